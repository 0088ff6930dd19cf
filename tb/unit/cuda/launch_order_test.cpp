// What the record says of streams: which kernels each kernel waits for, beside what its stream says itself.
#include "traces/cuda/device/launch_order.h"

#include "models/common/streams.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::cuda;

namespace {

using After = std::vector<std::uint32_t>;

struct Program {
  LaunchOrder order;
  StreamPlace standard;  // the default stream
  StreamPlace a = order.add_stream(true, 0), b = order.add_stream(true, 0), free = order.add_stream(false, 3);

  // A kernel that is recorded: what it waits for.
  After launch(const StreamPlace& stream) {
    order.enter(order.put(stream));
    const LaunchOrder::Placed placed = order.place_kernel();
    CHECK(placed.stream == stream.number);
    CHECK(placed.priority == stream.priority);
    order.leave();
    return placed.after;
  }
  // A copy, or a kernel that is not recorded.
  LaunchOrder::Handle copy(const StreamPlace& stream) {
    const LaunchOrder::Handle operation = order.put(stream);
    order.enter(operation);
    order.leave();
    return operation;
  }
};

}  // namespace

TEST_CASE("a program of the default stream says nothing") {
  Program p;
  for (int n = 0; n < 3; ++n) {
    CHECK(p.launch(p.standard).empty());
    p.order.synchronize(p.copy(p.standard));
    p.order.synchronize();
  }
}

TEST_CASE("streams have numbers of their own, which say whether they block") {
  Program p;
  CHECK(p.standard.number == default_stream);
  CHECK(p.a.number != p.b.number);
  CHECK(is_blocking(p.a.number));
  CHECK_FALSE(is_blocking(p.free.number));
}

TEST_CASE("streams wait for nothing but events") {
  Program p;
  CHECK(p.launch(p.a).empty());  // 0
  CHECK(p.launch(p.b).empty());  // 1
  const LaunchOrder::Handle event = p.order.mark(p.a);
  CHECK(p.launch(p.a).empty());  // 2
  p.order.wait(p.b, event);
  CHECK(p.launch(p.b) == After{0});  // 3
  p.order.wait(p.b, event);
  CHECK(p.launch(p.b).empty());  // 4 is behind 3, which has waited
}

TEST_CASE("what is behind a wait for a value follows what was before the write of it") {
  Program p;
  CHECK(p.launch(p.a).empty());  // 0
  CHECK(p.launch(p.b).empty());  // 1
  const LaunchOrder::Handle written = p.copy(p.a);
  CHECK(p.launch(p.a).empty());  // 2 is behind the write
  const LaunchOrder::Handle wait = p.order.put(p.b);
  p.order.enter(wait);
  CHECK(p.order.running() == wait);
  p.order.inherit_waits(written);
  p.order.leave();
  CHECK(p.order.running() == nullptr);
  CHECK(p.launch(p.b) == After{0});  // 3: not behind 2
}

TEST_CASE("of several kernels of a stream the last one is waited for") {
  Program p;
  for (int n = 0; n < 3; ++n) p.launch(p.a);
  p.launch(p.free);
  p.order.wait(p.b, p.order.mark(p.a));
  p.order.wait(p.b, p.order.mark(p.free));
  CHECK(p.launch(p.b) == After{2, 3});
}

TEST_CASE("the default stream's rule is the record's, but for what is no kernel") {
  Program p;
  p.launch(p.a);                        // 0
  CHECK(p.launch(p.standard).empty());  // 1: behind 0 by the rule
  CHECK(p.launch(p.b).empty());         // 2: behind 1 by the rule
  p.copy(p.standard);                   // behind 2
  CHECK(p.launch(p.a) == After{2});     // 3
  CHECK(p.launch(p.free).empty());      // 4: it does not block
}

TEST_CASE("an operation without a kernel passes on what it waits for") {
  Program p;
  p.launch(p.a);  // 0
  p.order.wait(p.b, p.order.mark(p.a));
  p.copy(p.b);
  p.order.wait(p.free, p.order.mark(p.b));
  CHECK(p.launch(p.free) == After{0});
}

TEST_CASE("what the host has waited for comes before all that follows") {
  Program p;
  p.launch(p.a);     // 0
  p.launch(p.free);  // 1
  p.order.synchronize(p.order.mark(p.a));
  CHECK(p.launch(p.free) == After{0});  // 2
  p.order.synchronize();
  CHECK(p.launch(p.b) == After{0, 2});  // 3
  CHECK(p.launch(p.a) == After{2});     // 4
}

TEST_CASE("a stream that was destroyed counts when the host waits for all") {
  Program p;
  const StreamPlace gone = p.order.add_stream(false, 0);
  p.launch(gone);  // 0
  p.order.remove_stream(gone);
  p.order.synchronize();
  CHECK(p.launch(p.a) == After{0});
}

TEST_CASE("operations may run later than they were put") {
  Program p;
  const LaunchOrder::Handle first = p.order.put(p.a);
  p.order.wait(p.b, p.order.mark(p.a));
  const LaunchOrder::Handle second = p.order.put(p.b);
  p.order.enter(first);
  p.order.place_kernel();  // 0
  p.order.leave();
  p.order.enter(second);
  CHECK(p.order.place_kernel().after == After{0});
  p.order.leave();
}

TEST_CASE("branches of a graph have streams of their own, the same at each launch") {
  Program p;
  std::vector<std::uint64_t> branches;
  for (int launch = 0; launch < 2; ++launch) {
    const std::uint32_t first = 4U * static_cast<unsigned>(launch);
    p.order.enter(p.order.put(p.a));
    const auto run = [&](const LaunchOrder::Handle& node) {
      p.order.enter(node);
      const LaunchOrder::Placed placed = p.order.place_kernel();
      p.order.leave();
      return placed;
    };
    // root -> left, right -> last
    const LaunchOrder::Handle root = p.order.branch({});
    const LaunchOrder::Placed of_root = run(root);
    CHECK(of_root.stream == p.a.number);
    CHECK(of_root.after.empty());  // the last one of the launch before is in its stream
    const LaunchOrder::Handle left = p.order.branch({root});
    CHECK(run(left).stream == p.a.number);
    const LaunchOrder::Handle right = p.order.branch({root});
    const LaunchOrder::Placed of_right = run(right);
    CHECK_FALSE(is_blocking(of_right.stream));
    CHECK(of_right.after == After{first});
    branches.push_back(of_right.stream);
    const LaunchOrder::Handle last = p.order.branch({left, right});
    const LaunchOrder::Placed of_last = run(last);
    CHECK(of_last.stream == p.a.number);
    CHECK(of_last.after == After{first + 2});
    p.order.join({last});
    p.order.leave();
  }
  CHECK(branches[0] == branches[1]);
  p.order.wait(p.b, p.order.mark(p.a));
  CHECK(p.launch(p.b) == After{7});
}

TEST_CASE("what follows a graph waits for all its ends") {
  Program p;
  p.order.enter(p.order.put(p.a));
  std::vector<LaunchOrder::Handle> ends;
  for (int n = 0; n < 3; ++n) {
    ends.push_back(p.order.branch({}));
    p.order.enter(ends.back());
    CHECK(p.order.place_kernel().after.empty());
    p.order.leave();
  }
  p.order.join(ends);
  p.order.leave();
  CHECK(p.launch(p.a) == After{1, 2});  // 0 is in its stream
}

TEST_CASE("an operation that waits keeps its place while others run") {
  Program p;
  const LaunchOrder::Handle waits = p.order.put(p.a);
  LaunchOrder::Course course;
  p.order.exchange(course);
  p.order.enter(waits);
  CHECK(p.order.place_kernel().after.empty());  // 0
  p.order.exchange(course);                     // it waits
  CHECK(p.launch(p.free).empty());              // 1: not within it
  const LaunchOrder::Handle event = p.order.mark(p.free);
  const LaunchOrder::Handle behind = p.order.mark(p.a);  // what it waits for is not known yet
  p.order.wait(p.b, behind);
  p.order.wait(p.b, event);
  p.order.exchange(course);
  CHECK(p.order.place_kernel().stream == p.a.number);  // 2: of the same operation
  p.order.leave();
  p.order.exchange(course);
  CHECK(course.running.empty());
  CHECK(p.launch(p.b) == After{1, 2});
}
