#pragma once

#include <algorithm>
#include <string>

#include <tlm>

#include "models/tlm/target_port.h"

namespace strata {

class ProtocolChecker;

/// Where requests leave and answers come in; see TargetPort.
class InitiatorPort final : public PortBase,
                            public tlm::tlm_initiator_socket<>,
                            private tlm::tlm_bw_transport_if<> {
 public:
  InitiatorPort(Block& owner, const std::string& group, int index, int id = -1);

  /// Send a request: BEGIN_REQ in cycle `at`, or now when that is past. Must not be called while blocked(),
  /// nor for a cycle before the last accept's `at`.
  Accept send(Txn& txn, Cycle at = 0) {
    return direct_ != nullptr ? send_direct(txn, std::max(at, clock_.now())) : send_beyond(txn, at);
  }
  /// The same in the cycle in which the owner is being visited.
  Accept send_now(Txn& txn, Cycle now) {
    return direct_ != nullptr ? send_direct(txn, now) : send_beyond(txn, now);
  }
  /// End a held response: END_RESP at cycle `until`.
  void accept(Cycle until) {
    if (direct_ == nullptr) return accept_beyond(until);
    held_ = nullptr;
    target_->end_of_response(std::max(until, clock_.now()));
  }
  bool blocked() const { return waiting_ != nullptr; }
  bool holding() const { return held_ != nullptr; }
  Txn* held() const { return held_; }
  unsigned debug(tlm::tlm_generic_payload& payload);
  /// The block at the other end, when it is a Block with the same clock and no observer is between.
  Block* direct_end() const { return direct_; }
  /// The other end, when it is a port of a Block.
  const PortBase* peer_port() const { return peer_; }
  /// Its full name, for the wait-for graph; empty when there is none.
  std::string peer() const { return peer_ == nullptr ? "" : peer_->full_name(); }

  bool bind_to(PortBase& other) override;
  bool bind_to(PortBase& other, ProtocolChecker& checker) override;
  bool bind_out(tlm::tlm_target_socket<>& to) override;
  /// Requests without a response, of those that went to a module of others or past a checker.
  int open() const { return open_; }

 private:
  friend class TargetPort;

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  Accept send_direct(Txn& txn, Cycle now) {
    waiting_ = &txn;
    const Accept accept = direct_->request(txn, direct_id_, now);
    if (accept.is_held()) return direct_held(txn);
    waiting_ = nullptr;
    return {accept.kind, std::max(accept.at, now)};
  }
  Accept direct_held(Txn& txn);
  Accept send_beyond(Txn& txn, Cycle at);
  void accept_beyond(Cycle until);
  Accept begin_response(Txn& txn, Cycle at);
  void end_request(Cycle at);
  Accept send_phases(Txn& txn, Cycle begin);
  Accept request_held() const;
  sc_core::sc_time link_free(Cycle until) const;
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

  // One cache line holds all that a call needs, of the other end too.
  alignas(64) Block& block_;
  ClockDomain& clock_;
  Txn* waiting_ = nullptr;        // request whose END_REQ is owed to us
  Txn* held_ = nullptr;           // response whose END_RESP we owe
  TargetPort* target_ = nullptr;  // the other end, when it is a port of a Block and no observer is between
  Cycle free_at_ = 0;             // END_REQ that came while send() was under way
  Block* direct_ = nullptr;       // of `target_` when it has our clock,
  int direct_id_ = 0;             // and what it calls its port
  int id_;
  tlm::tlm_fw_transport_if<>* forward_ = nullptr;  // cached at the first use
  int open_ = 0;                        // requests without a response, of those sent through phases
  const ClockDomain* taker_ = nullptr;  // clock of the other end, when that is a Block
  const PortBase* peer_ = nullptr;
  sc_core::sc_time held_from_;  // BEGIN_RESP of the response that was last held
};

inline Accept TargetPort::respond_direct(Txn& txn, Cycle now) {
  responding_ = &txn;
  const Accept accept = direct_->response(txn, direct_id_, now);
  if (accept.is_held()) {
    source_->held_ = &txn;
    return responding_ != nullptr ? accept : response_held();
  }
  responding_ = nullptr;
  return Accept::taken(std::max(accept.at, now));
}

}  // namespace strata
