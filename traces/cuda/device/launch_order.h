#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace strata::cuda {

/// Properties of a stream that order launches.
struct StreamPlace {
  std::uint64_t number = 0;  ///< KernelInfo::stream (models/common/streams.h)
  int priority = 0;          ///< larger is sooner
};

/// Order of launches: which launches wait for which, from streams, events, graphs and waits of the host.
/// Everything on a stream is an operation. A kernel comes after the kernels of the operations that its own
/// operation waits for. Operations may run later than they are enqueued, or never, but after those that they
/// wait for.
class LaunchOrder {
 public:
  struct Operation;
  using Handle = std::shared_ptr<Operation>;
  struct Placed {
    std::uint64_t stream;
    int priority;
    std::vector<std::uint32_t> after;  ///< kernels by their number in the record
  };

  StreamPlace add_stream(bool blocking, int priority);
  /// Nothing more will be enqueued on the stream.
  void remove_stream(const StreamPlace& stream);
  /// Enqueues an operation: it waits for the stream and, between the default stream and blocking ones, for
  /// the other.
  Handle put(const StreamPlace& stream);
  /// Like put(), for an event, which runs nothing.
  Handle mark(const StreamPlace& stream);
  /// The next operation of the stream also waits for this one.
  void wait(const StreamPlace& stream, const Handle& operation);
  /// The host waits: all later operations come after this one.
  void synchronize(const Handle& operation);
  void synchronize();  ///< waits for all operations

  /// The operation begins: kernels placed until it leaves belong to it.
  void enter(const Handle& operation);
  void leave();
  /// The running operation; null: none.
  Handle running() const { return course_.running.empty() ? nullptr : course_.running.back(); }
  /// Later kernels of the running operation wait for predecessors of `operation`, too.
  void inherit_waits(const Handle& operation);
  /// The nested running operations. Suspended work keeps its own; others run meanwhile.
  struct Course {
    std::vector<Handle> running;
    std::shared_ptr<std::size_t> next_branch = std::make_shared<std::size_t>(0);  ///< shared by all its parts
  };
  /// For concurrent parts of the running operation.
  Course part() const { return course_; }
  /// Makes the operations of `course` the running ones; it receives the former ones.
  void exchange(Course& course) { std::swap(course_, course); }
  /// A kernel of the record begins; numbers ascend from 0.
  Placed place_kernel();

  /// An operation within the running one, such as a node of a graph. `before` are operations of the same
  /// graph; empty: it waits for what the running operation waits for.
  Handle branch(const std::vector<Handle>& before);
  /// The last operations of the graph.
  void join(const std::vector<Handle>& last);

 private:
  using Kernels = std::vector<std::uint32_t>;
  struct Open {
    Handle last;                // last operation of the stream
    std::vector<Handle> waits;  // for events, from the next operation on
  };
  using LastByStream = std::map<std::uint64_t, std::uint32_t>;  // kernels
  static Handle behind(const Handle& one, const Handle& other);
  const Kernels& kernels_of(Operation& operation);
  void settle(Operation& operation);
  void prune(Kernels& kernels) const;
  Kernels reduced(const Kernels& kernels, std::uint64_t stream);

  std::uint64_t streams_ = 0;
  std::map<std::uint64_t, Open> open_;  // by stream
  std::vector<Handle>
      since_default_;  // operations of blocking streams since the last one of the default stream
  Handle last_default_, host_, removed_;
  std::map<std::uint64_t, LastByStream> covered_;  // by stream: kernels that its kernels have waited for
  std::map<std::uint64_t, std::vector<std::uint64_t>>
      branches_;  // streams of branches, by the stream of the graph
  Course course_;
  std::vector<std::uint64_t> kernel_streams_;  // by kernel
};

/// Scope in which an operation runs.
class RunningOperation {
 public:
  RunningOperation(LaunchOrder& order, const LaunchOrder::Handle& operation) : order_(order) {
    order.enter(operation);
  }
  ~RunningOperation() { order_.leave(); }
  RunningOperation(const RunningOperation&) = delete;
  RunningOperation& operator=(const RunningOperation&) = delete;

 private:
  LaunchOrder& order_;
};

}  // namespace strata::cuda
