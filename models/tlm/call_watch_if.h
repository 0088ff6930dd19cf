#pragma once

#include <tlm>

namespace strata {

/// Sees the non-blocking calls that pass a binding, and changes nothing. A protocol checker tells it.
class CallWatchIf {
 public:
  using Payload = tlm::tlm_generic_payload;

  /// Before the call is passed on. `forward`: from the initiator to the target.
  virtual void call_begins(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay,
                           bool forward) = 0;
  /// What came back. `sent`: the phase of the call; the payload may be free already, unless the watch holds a
  /// reference.
  virtual void call_ends(Payload& payload, const tlm::tlm_phase& sent, tlm::tlm_sync_enum result,
                         const tlm::tlm_phase& phase, const sc_core::sc_time& delay, bool forward) = 0;

 protected:
  ~CallWatchIf() = default;
};

}  // namespace strata
