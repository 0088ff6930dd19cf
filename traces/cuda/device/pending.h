#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <ucontext.h>
#include <vector>

#include "traces/cuda/device/streams.h"

namespace strata::cuda {

/// A coroutine with its own stack.
class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  /// Runs until it ends or suspends itself. `body` must catch its exceptions.
  void resume();
  /// Called by the body: returns to the caller of resume().
  void suspend();
  bool ended() const { return ended_; }

 private:
  static void enter(unsigned low, unsigned high);

  std::function<void()> body_;
  void* stack_ = nullptr;
  ucontext_t here_ = {}, there_ = {};  ///< of the fiber, and of the caller of resume()
  bool ended_ = false;
};

/// Work on a stream.
struct Work {
  GraphNode node;
  std::vector<std::shared_ptr<Work>> behind;  ///< work that must be done first
  std::unique_ptr<Fiber> fiber;               ///< if it has begun
  LaunchOrder::Handle operation;              ///< for the order of launches; null: part of other work
  LaunchOrder::Course course;                 ///< its running operations, while it waits
  bool blocking = false;                      ///< the default stream waits for it
  bool done = false;
  std::exception_ptr failure;
  // For a kernel that waits:
  std::string where;
  std::uint64_t executed = 0, state = 0;
  bool moved = false;  ///< made progress since the last wait
  bool fresh = false;  ///< has not yet waited twice in the same state
};

/// Work on streams that is not done. There is none as long as no kernel waits for anything but its own thread
/// blocks: all work is done when it is enqueued. A kernel that waits is suspended; the host continues, and
/// work on other streams is done. The kernel is tried again at every call of the host and, since hosts may
/// also just write to shared memory, periodically in between.
class Pending {
 public:
  explicit Pending(Device& device) : device_(device) {}
  /// Enqueues work on the stream. Throws what a node throws that is done at once.
  std::shared_ptr<Work> put(Stream& stream, GraphNode node, const LaunchOrder::Handle& operation);
  /// Runs all work that can continue. True if any was done.
  bool go_on();
  bool empty() const { return works_.empty(); }
  bool is_done(const Stream& stream) const;
  /// Waits for `done`. Throws CallError if a kernel waits for ever meanwhile.
  void finish(const std::function<bool()>& done);
  void finish() {
    finish([this] { return works_.empty(); });
  }
  /// Runs the nodes of a graph with `each`, in order of their dependences, as part of running work. While one
  /// waits, nodes of other branches run. Throws what a node throws, without beginning further nodes.
  void run(const std::vector<const GraphNode*>& nodes, const std::function<void(const GraphNode&)>& each);
  /// Called when nothing of a kernel can continue.
  traces::PtxWaiting::Next wait(const traces::PtxWaiting& waiting);
  /// Ends all work.
  void drop();

 private:
  void order(Stream& stream, Work& work) const;
  void step(const std::shared_ptr<Work>& work);
  void look_now_and_then();
  void end_waiting();

  Device& device_;
  std::vector<std::shared_ptr<Work>> works_;  ///< in order of their enqueueing
  Work* running_ = nullptr;
  bool deadlocked_ = false;  ///< all waits fail from now on
  bool looks_ = false;
  bool driving_ = false;
};

}  // namespace strata::cuda
