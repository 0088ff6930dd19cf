#pragma once

#include <algorithm>
#include <memory>

#include <tlm>

#include "models/tlm/lt_block.h"
#include "models/tlm/port_base.h"
#include "models/tlm/txn_pool.h"

namespace strata {

class LtInitiatorPort;
class LtShell;

/// Target socket of an lt block: TLM-2.0 b_transport with annotated delay, which never waits. Our own
/// initiator ports call the block directly. Foreign payloads are wrapped as at TargetPort.
class LtTargetPort final : public PortBase,
                           public tlm::tlm_target_socket<>,
                           private tlm::tlm_fw_transport_if<> {
 public:
  LtTargetPort(LtBlock& owner, const std::string& group, int index, int id = -1);
  ~LtTargetPort() override;
  bool bind_to(PortBase& other) override;
  /// What a posted request was not told at once, in cycles of the owner's clock.
  void answer(Txn& txn, const LtAnswer& answer) {
    if (link_.caller != nullptr) return link_.caller->answered(txn, link_.port, answer);
    answer_across(txn, answer);
  }
  void accept(Cycle at);

  // As TargetPort, for the shells of LtLinks.
  Accept respond(Txn& txn) { return respond(txn, clock_.now()); }
  Accept respond(Txn& txn, Cycle at) {
    responding_ = in_respond_ = true;
    held_ = held_ == &txn ? nullptr : held_;
    answer(txn, {0, at});
    in_respond_ = false;
    return responding_ ? Accept::held() : Accept::taken(std::max(taken_, clock_.now() + 1));
  }
  bool response_blocked() const { return responding_; }
  bool holding() const { return held_ != nullptr; }
  Txn* held() const { return held_; }
  /// How many cycles ahead requests come here.
  Cycle posted_ahead() const;
  /// The caller speaks for an at block.
  bool called_for_at() const;

 private:
  friend class LtInitiatorPort;
  friend class LtShell;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

  void answer_across(Txn& txn, const LtAnswer& answer);
  void tell_accepted(Cycle at);
  void tell_refused();

  LtCallerLink link_;
  LtBlock& block_;
  ClockDomain& clock_;
  int id_;
  LtInitiatorPort* source_ = nullptr;  // the other end, when it is one of ours
  Txn* held_ = nullptr;                // posted, not yet accepted
  AccessFifo queue_;                   // came while another was held
  int announced_ = 0;                  // posted, to come
  bool responding_ = false;            // the caller has not yet taken the last answer
  bool in_respond_ = false;
  Cycle taken_ = 0;
  LtAnswer last_{};                   // to the last call through the socket
  std::unique_ptr<TxnPool> foreign_;  // made with the first foreign payload
};

/// Initiator socket of an lt block.
class LtInitiatorPort final : public PortBase,
                              public tlm::tlm_initiator_socket<>,
                              private tlm::tlm_bw_transport_if<> {
 public:
  LtInitiatorPort(Block& owner, const std::string& group, int index, LtCaller* caller = nullptr);
  LtInitiatorPort(LtShell& owner, const std::string& group, int index);

  /// Send a request that leaves in cycle `at`; the answer is in cycles of the owner's clock.
  LtAnswer transport(Txn& txn, Cycle at);
  /// The same for owners that are callers: what is `never` in the answer comes through LtCaller.
  LtAnswer post(Txn& txn, Cycle at) {
    if (link_.block != nullptr) return link_.block->post(txn, link_.port, at);
    return post_across(txn, at);
  }

  // As InitiatorPort, for the shells of LtLinks.
  Accept send(Txn& txn);
  void accept(Cycle until);
  bool blocked() const { return blocked_; }
  bool holding() const { return held_ != nullptr; }
  Txn* held() const { return held_; }
  /// Tell the target what became of its last answer; a foreign target is not told.
  void answer_taken(Cycle began, Cycle until) {
    if (link_.block != nullptr) return link_.block->answer_taken(link_.port, began, until);
    answer_taken_across(began, until);
  }
  unsigned debug(tlm::tlm_generic_payload& payload);
  /// How many cycles ahead answers come here.
  Cycle answered_ahead() const;
  /// The other end, when it is one of ours.
  const PortBase* peer_port() const { return target_; }
  /// Its full name; empty when there is none.
  std::string peer() const { return target_ == nullptr ? "" : target_->full_name(); }
  bool bind_to(PortBase& other) override;
  /// Call through the sockets even when the target is ours, and check every call.
  void check_calls() {
    checked_ = true;
    find_link();
  }
  std::uint64_t violations() const { return violations_; }

 private:
  friend class LtTargetPort;
  friend class LtShell;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;
  void find_link();
  LtAnswer post_across(Txn& txn, Cycle at);
  void answer_taken_across(Cycle began, Cycle until);
  LtAnswer call(Txn& txn, Cycle at);
  void violation(const char* rule);

  LtTargetLink link_;
  ClockDomain& clock_;
  LtCaller* caller_;
  LtTargetPort* target_ = nullptr;  // the other end, when it is one of ours
  bool checked_ = false;
  bool blocked_ = false;   // the request posted last is not yet accepted
  Txn* held_ = nullptr;    // answer that the owner does not take yet
  Cycle began_ = 0;        // of the answer that came last
  AccessFifo queue_;       // answers that came while one was held
  std::int64_t open_ = 0;  // posted and not answered
  std::uint64_t violations_ = 0;
};

}  // namespace strata
