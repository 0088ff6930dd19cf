// The control with stand-ins for the SMs, slices and routers around it: what a change costs, cycle by cycle,
// and the register window. One TEST_CASE = one elaboration = one process. Clock 1 GHz: a cycle is a
// nanosecond.
#include "models/llc_control/llc_control.h"

#include <cstring>

#include "tb/support/cache_bench.h"
#include "tb/support/catch.h"
#include "tb/support/register_host.h"

using namespace strata;
using tb::Host;

namespace {

AddressMapParams one_controller() {
  AddressMapParams params;
  params.channels = 1;
  params.slices_per_channel = 2;
  return params;
}

LlcControlParams adaptive() {
  LlcControlParams params;
  params.organization = LlcControlParams::named("adaptive");
  params.slices = params.clusters = 2;
  params.gates = 1;
  params.epoch = 1000;
  params.profile = 100;
  return params;
}

/// Replies an order `takes` cycles later.
class FakeSlice final : public Block, private SliceControlIf {
 public:
  FakeSlice(sc_core::sc_module_name name, ClockDomain& clock, Cycle takes)
      : Block(name, clock), takes_(takes) {}
  void advance(Cycle now, int) override { done_->slice_flushed(id_, now); }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  ControlIn<SliceControlIf> control{*this, "control", 0, *this};
  std::vector<std::string> log;
  std::uint64_t served = 0;

 private:
  void order(const char* what, SliceFlushDoneIf& done, int id) {
    log.push_back(what + (" @" + std::to_string(clock().now())));
    done_ = &done;
    id_ = id;
    book(clock().now() + takes_);
  }
  void begin_flush(LlcFlush what, ApplicationSet, SliceFlushDoneIf& done, int id) override {
    order(what == LlcFlush::none ? "write back" : "flush", done, id);
  }
  void set_write_through(ApplicationSet, bool through) override {
    log.push_back((through ? "through @" : "back @") + std::to_string(clock().now()));
  }
  void expect_replicas(ApplicationSet, int) override {}
  std::uint64_t accesses(ApplicationSet) const override { return served; }
  std::uint64_t misses(ApplicationSet) const override { return 0; }
  SliceTags tags() const override { return {}; }

  Cycle takes_;
  SliceFlushDoneIf* done_ = nullptr;
  int id_ = 0;
  tb::NoStats stats_;
};

/// A router that has its last credit back some cycles late.
class FakeRouter final : public Block, private RouterControlIf {
 public:
  using Block::Block;
  void advance(Cycle, int) override {}
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  ControlIn<RouterControlIf> control{*this, "control", 0, *this};
  std::vector<std::string> log;
  Cycle drained_from = 0;

 private:
  std::string bypass_fault() const override { return {}; }
  bool is_drained() const override { return clock().now() >= drained_from; }
  bool is_bypassed() const override { return false; }
  void set_bypass(bool on) override {
    log.push_back((on ? "bypass @" : "power @") + std::to_string(clock().now()));
  }
  ReplyStage reply_stage() const override { return {}; }
  tb::NoStats stats_;
};

/// Dispatcher and SMs: begins a kernel, needs `drains` cycles to come to rest, ends the kernel.
class FakeSms final : public Block, private SmStallIf, private KernelBoundaryDoneIf {
 public:
  FakeSms(sc_core::sc_module_name name, ClockDomain& clock) : Block(name, clock, 3) { book(0, 0); }
  void advance(Cycle now, int unit) override {
    if (unit == 0) boundary->kernel_began(0, now);
    if (unit == 1) boundary->sms_quiesced(now);
    if (unit == 2) boundary->kernel_ended(0, *this, now);
  }
  void end_kernel_at(Cycle at) { book(at, 2); }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  ControlOut<KernelBoundaryIf> boundary{*this, "boundary", 0};
  Cycle drains = 30;
  std::vector<std::string> log;

 private:
  void end_of_elaboration() override { boundary->connect(*this); }
  bool can_stall() const override { return true; }
  int cluster_count() const override { return 2; }
  int sm_count() const override { return 4; }
  void stall_sms(ApplicationSet) override {
    log.push_back("stall @" + std::to_string(clock().now()));
    book(clock().now() + drains, 1);
  }
  void resume_sms(ApplicationSet) override { log.push_back("resume @" + std::to_string(clock().now())); }
  void kernel_boundary_done(Cycle at) override { log.push_back("boundary done @" + std::to_string(at)); }
  tb::NoStats stats_;
};

struct Bench {
  explicit Bench(const LlcControlParams& params = adaptive())
      : clock("clock", Hertz(1'000'000'000)), map(make_address_map(one_controller())) {
    control = std::make_unique<LlcControl>("control", params, BuildContext{clock, *map});
    sms = std::make_unique<FakeSms>("sms", clock);
    fast = std::make_unique<FakeSlice>("fast", clock, 3);
    slow = std::make_unique<FakeSlice>("slow", clock, 10);
    router = std::make_unique<FakeRouter>("router", clock);
    host = std::make_unique<Host>("host");
    REQUIRE(sms->boundary.bind_to(control->boundary));
    REQUIRE(control->slice(0).bind_to(fast->control));
    REQUIRE(control->slice(1).bind_to(slow->control));
    if (params.gates != 0) REQUIRE(control->gate(0).bind_to(router->control));
    host->socket.bind(control->registers);
  }
  void run_to(Cycle cycle) {
    sc_core::sc_start(sc_core::sc_time(static_cast<double>(cycle), sc_core::SC_NS) -
                      sc_core::sc_time_stamp());
  }
  const LlcControlStats& stats() {
    control->settle(clock.now());
    for (const std::string& law : tb::broken_laws(control->stats())) FAIL_CHECK(law);
    return dynamic_cast<const LlcControlStats&>(control->stats());
  }

  ClockDomain clock;
  std::unique_ptr<AddressMap> map;
  std::unique_ptr<LlcControl> control;
  std::unique_ptr<FakeSms> sms;
  std::unique_ptr<FakeSlice> fast;
  std::unique_ptr<FakeSlice> slow;
  std::unique_ptr<FakeRouter> router;
  std::unique_ptr<Host> host;
};

using Log = std::vector<std::string>;

}  // namespace

TEST_CASE("a change: stall, drain, write back, gate, go on, and back at the kernel's end without a stall") {
  Bench bench;
  bench.run_to(50);
  CHECK(bench.control->force_mode(true, LlcMode::shared));  // which it is already
  CHECK_FALSE(bench.control->changing());
  bench.control->force_mode(true, LlcMode::private_);  // from outside, in cycle 50
  CHECK(bench.control->changing());
  bench.run_to(300);
  // Stalled at 50, at rest at 80; the slow slice is clean at 90; gating takes 20 cycles, until 110.
  CHECK(bench.sms->log == Log{"stall @50", "resume @110"});
  CHECK(bench.fast->log == Log{"write back @80", "through @110"});
  CHECK(bench.slow->log == Log{"write back @80", "through @110"});
  CHECK(bench.router->log == Log{"bypass @110"});
  CHECK(bench.control->policy(0).mode() == LlcMode::private_);
  CHECK(bench.stats().drain_cycles == 30);
  CHECK(bench.stats().clean_cycles == 10);
  CHECK(bench.stats().gate_cycles == 20);
  CHECK(bench.stats().transition_cycles == 60);

  bench.control->force_mode(false, LlcMode::shared);
  bench.sms->end_kernel_at(400);
  bench.run_to(600);
  // Flushed from 400 to 410, powered on until 430: the next kernel starts shared.
  CHECK(bench.sms->log.back() == "boundary done @430");
  CHECK(bench.sms->log.size() == 3);
  CHECK(bench.slow->log == Log{"write back @80", "through @110", "flush @400", "back @430"});
  CHECK(bench.router->log.back() == "power @430");
  CHECK(bench.stats().to_shared_at_boundary == 1);
  CHECK(bench.stats().drain_cycles == 30);
  CHECK(bench.stats().transition_cycles == 90);
  CHECK(bench.stats().private_cycles == 430 - 110);
  CHECK(bench.control->check_idle().empty());
}

TEST_CASE("kernels side by side are kept apart while their boundary would flush") {
  Bench bench;
  bench.run_to(50);
  CHECK_FALSE(bench.sms->boundary->separates_kernels(0));
  bench.control->force_mode(true, LlcMode::private_);
  bench.run_to(109);
  CHECK_FALSE(bench.sms->boundary->separates_kernels(0));  // on its way
  bench.run_to(300);
  CHECK(bench.sms->boundary->separates_kernels(0));
  bench.control->force_mode(false, LlcMode::shared);
  bench.sms->end_kernel_at(400);
  bench.run_to(600);
  CHECK_FALSE(bench.sms->boundary->separates_kernels(0));
}

TEST_CASE("profiles and epochs are events, and there are none when no kernel runs") {
  Bench bench;
  bench.run_to(50);
  CHECK(bench.stats().policy.profiles == 1);
  bench.run_to(1050);
  CHECK(bench.control->policy(0).choices().size() == 1);  // at 100; the next at 1100
  CHECK(bench.stats().policy.epochs == 1);
  const std::uint64_t before = bench.clock.active_cycles();
  bench.sms->end_kernel_at(1060);
  bench.run_to(1'000'000);
  CHECK(bench.clock.active_cycles() == before + 1);
  CHECK_FALSE(sc_core::sc_pending_activity());
  CHECK(bench.stats().policy.epochs == 1);
}

TEST_CASE("a late credit delays the gating, a kernel that ends meanwhile waits, atomics send the LLC back") {
  Bench bench;
  bench.router->drained_from = 117;
  bench.run_to(50);
  bench.control->force_mode(true, LlcMode::private_);
  bench.sms->end_kernel_at(100);
  bench.run_to(300);
  CHECK(bench.router->log == Log{"bypass @117"});
  // Forced private: flushed from 117 to 127 for the next kernel, and it stays private.
  CHECK(bench.sms->log == Log{"stall @50", "resume @117", "boundary done @127"});
  CHECK(bench.slow->log == Log{"write back @80", "through @117", "flush @117"});
  // A kernel with atomics is stalled before the first of them issues, whatever the host wants.
  bench.sms->boundary->atomics_found(0, bench.clock.now());
  bench.run_to(500);
  CHECK(bench.sms->log.back() == "resume @360");  // 300 + 30 + 10 + 20
  CHECK(bench.control->policy(0).mode() == LlcMode::shared);
  CHECK(bench.stats().policy.pinned_kernels == 1);
}

TEST_CASE("registers: a host reads and steers, and wrong accesses get errors") {
  sc_core::sc_report_handler::set_actions("strata/registers", sc_core::SC_WARNING, sc_core::SC_CACHE_REPORT);
  Bench bench;
  Host& host = *bench.host;
  bench.slow->served = 77;
  bench.host->program = [&] {
    wait(50, sc_core::SC_NS);
    CHECK((host.read(0x00) & 0xffffffff) == 0x4c4c4354);
    CHECK(host.delay == sc_core::sc_time(1, sc_core::SC_NS));  // a cycle
    CHECK(host.read(0x08) == 3);                               // adaptive
    CHECK(host.read(0x10) == 0);                               // shared
    CHECK(host.read(0x20) == 1);                               // one copy
    CHECK(host.read(0x38) == 1000);
    CHECK(host.read(0x1008) == 77);  // requests of slice 1
    CHECK(host.write(0x28, 2) == tlm::TLM_OK_RESPONSE);
    CHECK(host.read(0x18) == 1);  // changing
    wait(100, sc_core::SC_NS);
    CHECK(host.read(0x10) == 1);
    CHECK(host.read(0x20) == 2);
    CHECK(host.read(0x28) == 2);
    std::uint64_t half = 0;
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0x3c, half, 4) == tlm::TLM_OK_RESPONSE);
    CHECK(half == 0);
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0x38, half, 4) == tlm::TLM_OK_RESPONSE);
    CHECK(half == 1000);
    CHECK(host.write(0x38, 5000) == tlm::TLM_OK_RESPONSE);
    CHECK(host.read(0x38) == 5000);

    std::uint64_t value = 1;
    CHECK(host.write(0x10, 1) == tlm::TLM_COMMAND_ERROR_RESPONSE);  // MODE is read-only
    CHECK_THAT(sc_core::sc_report_handler::get_cached_report()->get_msg(),
               tb::has_text("control: an access to 0x10 writes MODE, which is read-only"));
    CHECK(host.write(0xf8, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);  // between the registers and the counters
    CHECK(host.write(0x100000, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0x10, value, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0x14, value, 8) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(host.access(tlm::TLM_IGNORE_COMMAND, 0x10, value) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0x10, value, 8, false, true) ==
          tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    CHECK(host.write(0x28, 3) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(host.write(0x30, 2) == tlm::TLM_GENERIC_ERROR_RESPONSE);    // no degrees under adaptive
    CHECK(host.write(0x38, 100) == tlm::TLM_GENERIC_ERROR_RESPONSE);  // no longer than the profile
    CHECK_THAT(sc_core::sc_report_handler::get_cached_report()->get_msg(),
               tb::has_text("writes 100 to EPOCH: allowed: an epoch that is longer than the profile"));

    // Debug accesses do the same, take no time, and are not counted.
    const std::uint64_t writes = bench.stats().register_writes;
    CHECK(bench.stats().register_errors == 10);
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0x10, value, 8, true) == tlm::TLM_OK_RESPONSE);
    CHECK(host.moved == 8);
    CHECK(value == 1);
    CHECK(host.access(tlm::TLM_WRITE_COMMAND, 0x10, value, 8, true) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(host.moved == 0);
    CHECK(bench.stats().register_writes == writes);
    CHECK(bench.stats().register_errors == 10);
    host.moved = 1234;
  };
  bench.run_to(400);
  CHECK(host.moved == 1234);  // the program came to its end
}

TEST_CASE("registers: every counter has one, in the order of the statistics") {
  Bench bench;
  bench.run_to(300);
  bench.control->force_mode(true, LlcMode::private_);
  bench.run_to(700);
  std::uint64_t at = 0x100;
  bool seen = false;
  struct Names final : StatVisitor {
    std::vector<std::pair<std::string, std::uint64_t>> counters;
    void counter(const StatInfo& info, const std::uint64_t& value) override {
      counters.emplace_back(std::string(info.name), value);
    }
    void histogram(const StatInfo&, const Histogram&) override {}
    void ratio(const StatInfo&, std::uint64_t, std::uint64_t) override {}
    void law(std::string_view) override {}
  } names;
  bench.stats().for_each_stat(names);
  for (const auto& [name, value] : names.counters) {
    std::uint64_t read = 0;
    INFO(name);
    CHECK(bench.host->access(tlm::TLM_READ_COMMAND, at, read, 8, true) == tlm::TLM_OK_RESPONSE);
    CHECK(read == value);
    seen = seen || (name == "transition_cycles" && value == 60);
    at += 8;
  }
  CHECK(seen);
}
