#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace strata::cuda {

/// What a stream is for the order of launches.
struct StreamPlace {
  std::uint64_t number = 0;  ///< KernelInfo::stream (models/common/streams.h)
  int priority = 0;          ///< the higher, the sooner
};

/// Which launches wait for which: what the record of an application says of streams, events, graphs and of
/// what the host waits for. Whatever is put on a stream is an operation; a kernel is placed behind the
/// kernels of those operations that its own one waits for. Operations run later than they are put, if at all,
/// but after those that they wait for.
class LaunchOrder {
 public:
  struct Operation;
  using Handle = std::shared_ptr<Operation>;
  struct Placed {
    std::uint64_t stream;
    int priority;
    std::vector<std::uint32_t> after;  ///< kernels, by their number in the record
  };

  StreamPlace add_stream(bool blocking, int priority);
  /// Nothing more will be put on it.
  void remove_stream(const StreamPlace& stream);
  /// Something is put on a stream: it waits for what is there and, between the default stream and blocking
  /// ones, for the other.
  Handle put(const StreamPlace& stream);
  /// The same without anything that runs: an event.
  Handle mark(const StreamPlace& stream);
  /// What is put on the stream next waits for this one, too.
  void wait(const StreamPlace& stream, const Handle& operation);
  /// The host waits: whatever it puts on any stream comes later.
  void synchronize(const Handle& operation);
  void synchronize();  ///< with all that was put

  /// The operation runs: what is placed until it leaves is its own.
  void enter(const Handle& operation);
  void leave();
  /// The one that runs; null: none.
  Handle running() const { return course_.running.empty() ? nullptr : course_.running.back(); }
  /// Kernels behind the one that runs wait for what was before `operation`, too.
  void follow(const Handle& operation);
  /// The operations that run, one within the other. Work that waits keeps its own, and others run meanwhile.
  struct Course {
    std::vector<Handle> running;
    std::shared_ptr<std::size_t> next_branch = std::make_shared<std::size_t>(0);  ///< of all its parts
  };
  /// For what is a part of what runs, beside other parts.
  Course part() const { return course_; }
  /// From now on those of `course` run; it takes those that did.
  void exchange(Course& course) { std::swap(course_, course); }
  /// A kernel of the record begins: its numbers rise from 0.
  Placed place_kernel();

  /// Operations within the present one, as the nodes of a graph: `before` are others of the same graph, none
  /// for one that waits for what the present one does.
  Handle branch(const std::vector<Handle>& before);
  /// These are the last ones of the graph.
  void join(const std::vector<Handle>& last);

 private:
  using Kernels = std::vector<std::uint32_t>;
  struct Open {
    Handle last;                // what was put on it
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
  std::vector<Handle> since_default_;   // put on blocking streams since the last one of the default stream
  Handle last_default_, host_, removed_;
  std::map<std::uint64_t, LastByStream> covered_;  // by stream: what its kernels have waited for
  std::map<std::uint64_t, std::vector<std::uint64_t>> branches_;  // streams of branches, by that of the graph
  Course course_;
  std::vector<std::uint64_t> kernel_streams_;  // by kernel
};

/// An operation runs as long as this is there.
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
