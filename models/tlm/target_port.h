#pragma once

#include <algorithm>
#include <memory>

#include <tlm>

#include "models/tlm/external.h"
#include "models/tlm/port_base.h"

namespace strata {

class InitiatorPort;

/// The only place where TLM phases are handled: one object per socket, base protocol exactly (IEEE
/// 1666-2011, 15.2).
///
/// Two of these ports bound to each other exchange the same calls without writing them down as phases and
/// delays; as soon as anything else sits on the binding (a checker, an external module) the interfaces are
/// used.
///
/// Requests come in: TLM_UPDATED/END_REQ with the annotated end when the owner takes them, TLM_ACCEPTED when
/// it holds them, TLM_COMPLETED when it answers at once. The creator's reference keeps a payload alive until
/// the end of its response, so hops need not acquire it. Payloads of external modules are wrapped in a Txn at
/// the edge; unless payloads carry bytes (`run.data`), their data moves through transport_dbg at the point of
/// completion.
class TargetPort final : public PortBase,
                         public tlm::tlm_target_socket<>,
                         private tlm::tlm_fw_transport_if<> {
 public:
  /// `id`: what the owner's request() and response_unblocked() get; by default the index.
  TargetPort(Block& owner, const std::string& group, int index, int id = -1);
  ~TargetPort() override;

  /// End a held request: END_REQ at cycle `until` (now or later). Nothing when its response has ended it.
  void accept(Cycle until);
  /// Send the response: BEGIN_RESP in cycle `at`, or now when that is past. taken: the link is busy until the
  /// answer's `at`; held: wait for response_unblocked().
  Accept respond(Txn& txn, Cycle at = 0) {
    return is_direct(txn) ? respond_direct(txn, std::max(at, clock_.now())) : respond_beyond(txn, at);
  }
  /// The same in the cycle in which the owner is being visited.
  Accept respond_now(Txn& txn, Cycle now) {
    return is_direct(txn) ? respond_direct(txn, now) : respond_beyond(txn, now);
  }
  bool holding() const { return held_ != nullptr; }
  Txn* held() const { return held_; }
  bool response_blocked() const { return responding_ != nullptr; }
  /// Replies go to a network, where each has to wait for its place.
  bool answers_network() const { return sender_ != nullptr && sender_->is_network(); }

  /// The block at the other end, when it is a Block with the same clock and no observer is between.
  Block* direct_end() const { return direct_; }
  /// The other end, when it is a port of a Block and no observer is between.
  const PortBase* peer_port() const;

  bool bind_to(PortBase& other) override;
  bool bind_in(tlm::tlm_initiator_socket<>& from) override;

  /// Blocking calls of an external module that may be under way at the same time. Default: 1.
  void allow_calls(int calls) { external().limit = calls; }
  /// Requests of external modules that came in here: how many have no answer, and how many have got one.
  int external_open() const { return external_ == nullptr ? 0 : external_->under_way(); }
  std::uint64_t external_ended() const { return external_ == nullptr ? 0 : external_->ended(); }
  sc_core::sc_time external_last_end() const {
    return external_ == nullptr ? sc_core::SC_ZERO_TIME : external_->last_end();
  }

 private:
  friend class InitiatorPort;

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

  /// Its BEGIN_RESP ends no held request: the usual case.
  bool is_direct(const Txn& txn) const { return direct_ != nullptr && held_ != &txn; }
  Accept respond_direct(Txn& txn, Cycle now);  // in ports.h
  Accept respond_beyond(Txn& txn, Cycle at);
  Accept begin_request(Txn& txn, Cycle at);
  Accept respond_phases(Txn& txn, Cycle at);
  Accept response_held() const;
  void end_of_response(Cycle at) {
    responding_ = nullptr;
    free_at_ = at;
    block_.response_unblocked(id_, at);
  }
  /// Annotation that says from when on the link is free again that is taken here until `until`.
  sc_core::sc_time link_free(Cycle until) const;
  /// The transaction was made here, for an external payload.
  bool wraps(const Txn& txn) const { return external_ != nullptr && txn.outer != nullptr; }
  ExternalRequests& external();
  Accept begin_parts(ExternalRequest& request, Cycle at);
  bool end_of_part(Txn& txn, bool was_held, Cycle& at);
  void free_link(Cycle until);

  // One cache line holds all that a call needs, of the other end too: ports are visited cold, hundreds of
  // them in turn.
  alignas(64) Block& block_;
  ClockDomain& clock_;
  Txn* held_ = nullptr;              // request whose END_REQ is owed
  Txn* responding_ = nullptr;        // response whose END_RESP is owed to us
  InitiatorPort* source_ = nullptr;  // the other end, when it is a port of a Block and no observer is between
  Cycle free_at_ = 0;                // END_RESP that came while respond() was under way
  Block* direct_ = nullptr;          // of `source_` when it has our clock,
  int direct_id_ = 0;                // and what it calls its port
  int id_;
  std::unique_ptr<ExternalRequests> external_;      // none while only transactions of Blocks enter here
  tlm::tlm_bw_transport_if<>* backward_ = nullptr;  // cached at the first use
  sc_core::sc_time held_from_;                      // BEGIN_REQ of the request that was last held
  const Block* sender_ = nullptr;                   // at the other end, when that is a Block
};

}  // namespace strata
