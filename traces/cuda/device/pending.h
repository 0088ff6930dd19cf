#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <ucontext.h>
#include <vector>

#include "traces/cuda/device/streams.h"

namespace strata::cuda {

/// A course of calls that stops in the middle and goes on later, on a stack of its own.
class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  /// Until it ends or suspends itself. What it throws does not come out: `body` sees to that.
  void resume();
  /// Called by the body: the caller of resume() goes on.
  void suspend();
  bool ended() const { return ended_; }

 private:
  static void enter(unsigned low, unsigned high);

  std::function<void()> body_;
  void* stack_ = nullptr;
  ucontext_t here_ = {}, there_ = {};  ///< the fiber; who resumed it
  bool ended_ = false;
};

/// Something that was put on a stream.
struct Work {
  GraphNode node;
  std::vector<std::shared_ptr<Work>> behind;  ///< what must have been done before
  std::unique_ptr<Fiber> fiber;               ///< of what has begun
  LaunchOrder::Handle operation;              ///< for the order of launches; null: a part of another
  LaunchOrder::Course course;                 ///< what runs of it, while it waits
  bool blocking = false;                      ///< the default stream waits for it
  bool done = false;
  std::exception_ptr failure;
  // Of a kernel that waits: what it says of itself.
  std::string where;
  std::uint64_t executed = 0, state = 0;
  bool moved = false;  ///< since it waited the last time
  bool fresh = false;  ///< it has not waited twice with the same state
};

/// What has been put on streams and is not done. That is nothing as long as no kernel waits for what its own
/// thread blocks do not do: everything is done when it is put. A kernel that waits is left where it is; the
/// host goes on, and what stands on other streams is done. It looks again whenever the host calls, and, since
/// hosts also just write to memory that both see, every now and then in between.
class Pending {
 public:
  explicit Pending(Device& device) : device_(device) {}
  /// In the order of its stream. Throws what a node throws that is done at once.
  std::shared_ptr<Work> put(Stream& stream, GraphNode node, const LaunchOrder::Handle& operation);
  /// All that can go on does, until it waits. True: something was done.
  bool go_on();
  bool empty() const { return works_.empty(); }
  bool is_done(const Stream& stream) const;
  /// The host waits. A kernel that waits for ever meanwhile is a fault: thrown as CallError.
  void finish(const std::function<bool()>& done);
  void finish() {
    finish([this] { return works_.empty(); });
  }
  /// The nodes of a graph, as `each` runs one, each behind those before it, from within what is being done:
  /// where one waits, others of other branches go on. Throws what a node throws; those that have not begun
  /// are then left out.
  void run(const std::vector<const GraphNode*>& nodes, const std::function<void(const GraphNode&)>& each);
  /// Of a kernel: nothing of it can go on.
  traces::PtxWaiting::Next wait(const traces::PtxWaiting& waiting);
  /// Nothing goes on any more.
  void drop();

 private:
  void order(Stream& stream, Work& work) const;
  void step(const std::shared_ptr<Work>& work);
  void look_now_and_then();
  void end_waiting();

  Device& device_;
  std::vector<std::shared_ptr<Work>> works_;  ///< in the order in which they were put
  Work* running_ = nullptr;
  bool hopeless_ = false;  ///< waits end with an error from now on
  bool looks_ = false;
  bool driving_ = false;
};

}  // namespace strata::cuda
