#pragma once

#include "models/tlm/block.h"

namespace strata {

/// What an lt block says to a request, all of it known at once.
struct LtAnswer {
  Cycle accepted;          ///< the link of the request is free again (an at block's END_REQ)
  Cycle done;              ///< the response begins (BEGIN_RESP)
  bool at_once = false;    ///< answered without leaving the callee: an at block would return TLM_COMPLETED
  Place waits = no_place;  ///< to which a wait for the response's link is charged; none: to the link
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

}  // namespace strata
