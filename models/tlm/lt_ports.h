#pragma once

#include <algorithm>

#include <tlm>

#include "models/tlm/port_base.h"

namespace strata {

/// What an lt block says to a request, all of it known at once.
struct LtAnswer {
  Cycle accepted;        ///< the link of the request is free again (an at block's END_REQ)
  Cycle done;            ///< the response begins (BEGIN_RESP)
  bool at_once = false;  ///< answered without leaving the callee: an at block would return TLM_COMPLETED
  Cause waits = Cause::reply_queue;  ///< to which the caller charges a wait for the response's link
};

/// Base of every lt block: it answers each call at once with annotated cycles, and calls may come in any
/// order of time, ahead of simulated time by a quantum and the latencies on the way.
class LtBlock : public Block {
 public:
  using Block::Block;

  /// A request arrives at target port `port` in cycle `at`. Must not wait.
  virtual LtAnswer transport(Txn& txn, int port, Cycle at) = 0;
  /// The same from an LtCaller, who can be told later: `accepted` and `done` of the answer may be `never`.
  /// Then the block calls LtTargetPort::accept and LtTargetPort::answer in its own time. At most one request
  /// of a port waits to be accepted.
  virtual LtAnswer post(Txn& txn, int port, Cycle at) { return transport(txn, port, at); }
  /// The response last given at target port `port` began in cycle `began` and left its link in `until`.
  virtual void answer_taken(int /*port*/, Cycle /*began*/, Cycle /*until*/) {}
  /// A target port takes the next request from `at` on.
  virtual void port_free(Cycle /*at*/) {}
  /// How many cycles before they begin answers are told at least, but for odd ones.
  virtual Cycle answers_ahead() const { return 0; }
  void advance(Cycle, int) override {}
};

class LtInitiatorPort;
class LtShell;
class LtTargetPort;

/// One that posts requests: it learns later what the answer to post() left open.
class LtCaller {
 public:
  virtual ~LtCaller() = default;
  /// The answer to a request posted at initiator port `port`; `answer.accepted` means nothing.
  virtual void answered(Txn& txn, int port, const LtAnswer& answer) = 0;
  /// The link of the request posted last at `port` is free from `at` on.
  virtual void accepted(int port, Cycle at) = 0;
  /// A request posted at `port` ahead of its cycle was not accepted in that: the link is busy until
  /// accepted() is called.
  virtual void refused(int /*port*/) {}
  /// How many cycles ahead requests are posted at least, but for odd ones.
  virtual Cycle posts_ahead() const { return 0; }
  /// It speaks for an at block, which expects what at would answer.
  virtual bool speaks_for_at() const { return false; }
};

/// The block at the other end of a socket, for calls past the sockets: where it is ours, has the same clock
/// and nobody checks the calls. Null otherwise.
struct LtTargetLink {
  LtBlock* block = nullptr;
  int port = 0;
};
struct LtCallerLink {
  LtCaller* caller = nullptr;
  int port = 0;
};

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
