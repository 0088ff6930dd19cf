#include <deque>
#include <memory>

#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/session/session.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"
#include "traces/open.h"

namespace strata::tb {

struct NoParams final : ParamSet {
  void for_each_param(ParamVisitor&) override {}
};
/// Sockets of an LLC slice; takes every request and keeps it for ever.
class SilentSlice final : public Block {
 public:
  SilentSlice(sc_core::sc_module_name name, const BuildContext& context)
      : Block(name, context.clock), noc_(*this, "noc", 0, 0), mem_(*this, "mem", 0, 0) {}
  Accept request(Txn&, int, Cycle at) override { return Accept::taken(at); }
  void advance(Cycle, int) override {}
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

 private:
  NoStats stats_;
  TargetPort noc_;
  InitiatorPort mem_;
};

inline const ModuleKind& silent_slice_kind() {
  static const ModuleKind kind = {
      "silent_slice",
      "never answers",
      Role::none,
      "core",
      []() -> std::unique_ptr<ParamSet> { return std::make_unique<NoParams>(); },
      [](const ParamSet&) {
        return std::vector<PortSpec>{{"noc", PortRole::target, 1, false, "tlm", "requests"},
                                     {"mem", PortRole::initiator, 1, false, "tlm", "unused"}};
      },
      [](const char* name, const ParamSet&, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<SilentSlice>(name, context);
      },
      []() -> std::unique_ptr<StatSet> { return std::make_unique<NoStats>(); }};
  return kind;
}

}  // namespace strata::tb

// A platform whose LLC slice takes requests and never answers: the watchdog must notice and say who waits.

using namespace strata;
using namespace strata::platforms;

TEST_CASE("A slice that never answers ends in a deadlock with a wait-for graph") {
  ModuleTable table = built_in_modules();
  table.push_back(&tb::silent_slice_kind());
  const Netlist netlist = Netlist::load(find_platform("tiny"), {"llc.module=silent_slice"}, table);
  Platform platform(netlist, {});
  const auto source = traces::open_trace("synthetic:random:loads=4");
  Session session(platform, *source, {});
  platform.finish_elaboration();
  const RunOutcome outcome = session.run();
  CHECK(outcome.exit_code == exit_deadlock);
  CHECK(outcome.partial);
  CHECK(outcome.reason == "deadlock");
  CHECK(outcome.wait_graph.find("sm[0]") != std::string::npos);
  CHECK(outcome.wait_graph.find("l1[0]") != std::string::npos);
}

// A third-party module waits by SystemC events, which no timing wheel shows: that is no deadlock.

namespace {

sc_core::sc_time wait_of_slices;  // ModuleKind::make is a plain function

/// Sockets of an LLC slice; answers each request a fixed time after it came, without any wheel.
class SleepySlice final : public Block {
 public:
  SleepySlice(sc_core::sc_module_name name, const BuildContext& context)
      : Block(name, context.clock), noc_(*this, "noc", 0, 0), mem_(*this, "mem", 0, 0) {
    SC_HAS_PROCESS(SleepySlice);
    SC_METHOD(answer);
    sensitive << due_;
    dont_initialize();
  }
  Accept request(Txn& txn, int, Cycle at) override {
    waiting_.push_back({&txn, sc_core::sc_time_stamp() + wait_of_slices});
    if (waiting_.size() == 1) due_.notify(wait_of_slices);
    return Accept::taken(at + 1);
  }
  void response_unblocked(int, Cycle) override { wake(); }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  void advance(Cycle, int) override {}

 private:
  struct Waiting {
    Txn* txn;
    sc_core::sc_time due;
  };
  void answer() {
    if (waiting_.empty() || noc_.response_blocked()) return;
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (waiting_.front().due > now || free_ > now) return wake();
    Txn& txn = *waiting_.front().txn;
    waiting_.pop_front();
    const Accept accept = noc_.respond(txn);
    if (accept.is_taken()) free_ = now + clock().delay_to(accept.at);
    wake();
  }
  void wake() {
    if (waiting_.empty()) return;
    const sc_core::sc_time due = std::max(waiting_.front().due, free_);
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    due_.notify(due > now ? due - now : sc_core::sc_time(1, sc_core::SC_FS));
  }

  tb::NoStats stats_;
  TargetPort noc_;
  InitiatorPort mem_;
  sc_core::sc_event due_;
  sc_core::sc_time free_;
  std::deque<Waiting> waiting_;
};

const ModuleKind& sleepy_slice_kind() {
  static const ModuleKind kind = {
      "sleepy_slice",
      "answers by and by",
      Role::none,
      "core",
      []() -> std::unique_ptr<ParamSet> { return std::make_unique<tb::NoParams>(); },
      [](const ParamSet&) {
        return std::vector<PortSpec>{{"noc", PortRole::target, 1, false, "tlm", "requests"},
                                     {"mem", PortRole::initiator, 1, false, "tlm", "unused"}};
      },
      [](const char* name, const ParamSet&, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<SleepySlice>(name, context);
      },
      []() -> std::unique_ptr<StatSet> { return std::make_unique<tb::NoStats>(); }};
  return kind;
}

void run_with_wait(const sc_core::sc_time& wait) {
  wait_of_slices = wait;
  ModuleTable table = built_in_modules();
  table.push_back(&sleepy_slice_kind());
  const Netlist netlist = Netlist::load(find_platform("tiny"), {"llc.module=sleepy_slice"}, table);
  Platform platform(netlist, {});
  const auto source = traces::open_trace("synthetic:random:loads=4,ctas=1,warps=1");
  Session session(platform, *source, {});
  platform.finish_elaboration();
  const RunOutcome outcome = session.run();
  for (const std::string& message : outcome.messages) UNSCOPED_INFO(message);
  CHECK(outcome.reason.empty());
  CHECK_FALSE(outcome.partial);
  CHECK(outcome.warnings == 0);
  // Four loads one after the other cannot end before one has been waited for.
  CHECK(static_cast<double>(outcome.cycles) > wait.to_seconds() * 1400e6);
}

}  // namespace

TEST_CASE("a module that answers after 5 ns of its own is waited for") {
  run_with_wait(sc_core::sc_time(5, sc_core::SC_NS));
}
TEST_CASE("a module that answers after 70 ns of its own is waited for") {
  run_with_wait(sc_core::sc_time(70, sc_core::SC_NS));
}
TEST_CASE("a module that answers after 700 ns of its own is waited for") {
  run_with_wait(sc_core::sc_time(700, sc_core::SC_NS));
}
TEST_CASE("a module that answers after 5 us of its own is waited for") {
  run_with_wait(sc_core::sc_time(5, sc_core::SC_US));
}
