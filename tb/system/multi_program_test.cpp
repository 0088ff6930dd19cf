// Several applications side by side: what each asks for is counted by hand, with the protocol checker on
// every link and the end checks of the session. One TEST_CASE = one elaboration = one process.
#include "models/llc_slice/llc_slice.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/stat_table.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"
#include "tb/support/temp_folder.h"
#include "traces/application_source.h"

using namespace strata;
using namespace strata::platforms;
using namespace strata::tb;

namespace {

constexpr Address line_a = 0x10000;
constexpr Address line_b = 0x20000;

// Two clusters of two SMs, one controller of two slices; each application has one SM of each cluster.
const char* const machine = R"(
platform: two clusters of two SMs
clocks: {core: 1400 MHz, noc: 1400 MHz, dram: 924 MHz}
address_map: {kind: bits, channels: mc.count, slices_per_channel: llc.count / mc.count}
instances:
  cta: {module: cta_dispatcher, clusters: sm.count}
  sm:  {module: sm_cluster, count: 2, sms: 2}
  l1:  {module: l1_private, count: sm.count * sm.sms}
  smr: {module: router_stage, count: sm.count, inputs: sm.sms, outputs: mc.count, divide: mc.slices}
  mcr: {module: router_stage, count: mc.count, inputs: sm.count, outputs: mc.slices}
  llc: {module: llc_slice, count: 2}
  mc:  {module: memory_controller, slices: llc.count / mc.count}
  ch:  {module: dram_channel, count: mc.count}
  ctl: {module: llc_control, organizations: "shared:private", routers: smr.count, slices: llc.count, clusters: 2}
bind:
  - cta.cluster[c] -> sm[c].dispatch
  - sm[c].l1[s]    -> l1[c * sm.sms + s].sm
  - l1[i].noc      -> smr[i / sm.sms].in[i % sm.sms]
  - smr[c].out[m]  -> mcr[m].in[c]
  - mcr[m].out[k]  -> llc[m * mc.slices + k].noc
  - llc[i].mem     -> mc[i / mc.slices].slice[i % mc.slices]
  - mc[m].channel  -> ch[m].controller
  - smr[c].organization -> ctl.organization[c]
  - cta.boundary        -> ctl.boundary
  - ctl.slice[i]        -> llc[i].control
)";

WarpInstruction load_past_l1(Address address, int destination) {
  WarpInstruction instruction = load(address, destination);
  instruction.bypass_l1 = true;
  return instruction;
}

/// A program: kernels of CTAs of one warp, all CTAs of a kernel alike.
struct Kernel {
  std::uint32_t ctas;
  Program program;
};
using Kernels = std::vector<Kernel>;

struct Bench {
  explicit Bench(const std::string& file, const std::vector<std::string>& sets)
      : platform(Netlist::load(file, sets, built_in_modules()), {1, true}) {}

  void add(const Kernels& kernels, std::uint64_t budget = 0) {
    auto source = std::make_unique<ProgramSource>();
    for (const Kernel& kernel : kernels) source->add_kernel(kernel.ctas, 1);
    source->warps = [kernels](std::uint32_t kernel, std::uint64_t) {
      return std::vector<Program>{kernels[kernel].program};
    };
    const auto application = static_cast<std::uint32_t>(programs.size());
    moved.push_back(traces::make_application(*source, application));
    programs.push_back(std::move(source));
    runs.push_back({moved.back().get(), 1, budget});
  }

  void run(bool repeat = false) {
    SessionOptions options;
    options.repeat = repeat;
    Session session(platform, runs, options);
    platform.finish_elaboration();
    outcome = session.run();
    for (const std::string& message : outcome.messages) UNSCOPED_INFO(message);
    REQUIRE(outcome.exit_code == exit_ok);
    CHECK(platform.protocol_violations() == 0);
    tables = read_stats(platform);
    applications = session.applications();
    REQUIRE(applications.size() == runs.size());
  }

  std::uint64_t sum(const std::string& kind, const std::string& name) const {
    std::uint64_t sum = 0;
    for (const InstanceStats& table : tables)
      if (table.kind == kind) sum += table.counter(name)->value;
    return sum;
  }
  /// What all applications did is what the modules did.
  void check_sums() const {
    const auto check = [this](Role role, const char* counter) {
      std::uint64_t sum = 0;
      for (const ApplicationFigures& one : applications) sum += one.count(role, counter);
      INFO(counter << " of role " << to_text(role));
      CHECK(sum == sum_of(tables, role, counter));
    };
    check(Role::sm, "thread_instructions");
    check(Role::sm, "line_accesses");
    check(Role::sm, "ctas_done");
    for (const char* counter : {"accesses", "hits", "misses"}) {
      check(Role::l1, counter);
      check(Role::llc, counter);
    }
  }
  const LlcSliceCore& slice(std::size_t index) const {
    return dynamic_cast<const LlcSlice&>(*platform.of_kind("llc_slice")[index].block).state();
  }

  Platform platform;
  std::vector<std::unique_ptr<ProgramSource>> programs;
  std::vector<std::unique_ptr<InstructionSource>> moved;
  std::vector<ApplicationRun> runs;
  RunOutcome outcome;
  std::vector<InstanceStats> tables;
  std::vector<ApplicationFigures> applications;
};

Bench tiny() {
  return Bench(find_platform("tiny"), {"sm.sms=2"});
}

// A load, its use, and the same line again: an L1 miss and an L1 hit; 4 instructions of 32 lanes.
const Program twice = {load(line_a, 1), alu(2, 1), load(line_a, 3), alu(4, 3)};
// The first load leaves nothing in the L1, so that both ask the LLC, and the second hits there.
const Program past_then_through = {load_past_l1(line_a, 1), alu(2, 1), load(line_a, 3), alu(4, 3)};

}  // namespace

TEST_CASE("each application's counts are its own, and equal addresses are different lines") {
  Bench bench = tiny();
  bench.add({{1, twice}});
  bench.add({{1, past_then_through}});
  bench.run();
  CHECK_FALSE(bench.outcome.partial);
  const ApplicationFigures& first = bench.applications[0];
  CHECK(first.count(Role::sm, "thread_instructions") == 4 * 32);
  CHECK(first.count(Role::l1, "accesses") == 2);
  CHECK(first.count(Role::l1, "hits") == 1);
  CHECK(first.count(Role::llc, "accesses") == 1);
  CHECK(first.count(Role::llc, "misses") == 1);
  const ApplicationFigures& second = bench.applications[1];
  CHECK(second.count(Role::sm, "thread_instructions") == 4 * 32);
  CHECK(second.count(Role::l1, "hits") == 0);
  CHECK(second.count(Role::llc, "accesses") == 2);
  CHECK(second.count(Role::llc, "misses") == 1);  // one line for both would have made it 0
  CHECK(second.count(Role::llc, "hits") == 1);
  CHECK(bench.sum("memory_controller", "reads") == 2);
  CHECK(first.ended);
  CHECK(second.ended);
  bench.check_sums();
}

TEST_CASE("kernels of one application end without the other's") {
  // The first one: a line into the L1, 20 loads past the L1 one after the other, the line again. Each load
  // past the L1 takes 137 cycles (directed_test.cpp) as long as nothing blocks it: 2740 cycles in all, in
  // which the second one ends three kernels, each with a flush of its own L1. The first one's line survives
  // them.
  Bench bench = tiny();
  Program walk = {load(line_a, 1), alu(2, 1)};
  for (int n = 0; n < 20; ++n) {
    walk.push_back(load_past_l1(line_b, 3));
    walk.push_back(alu(4, 3));
  }
  walk.push_back(load(line_a, 5));
  walk.push_back(alu(6, 5));
  bench.add({{1, walk}});
  bench.add({{1, twice}, {2, twice}, {1, twice}});
  bench.run();
  CHECK_FALSE(bench.outcome.partial);
  const ApplicationFigures& first = bench.applications[0];
  const ApplicationFigures& second = bench.applications[1];
  CHECK(first.cycles > 20 * 137);
  CHECK(first.count(Role::l1, "hits") == 1);
  CHECK(first.kernels_done == 1);
  CHECK(second.kernels_done == 3);
  CHECK(second.cycles < 20 * 137);
  // A kernel starts with an empty L1: CTAs miss once each, or hit what the one before them brought.
  CHECK(second.count(Role::l1, "accesses") == 8);
  CHECK(second.count(Role::llc, "misses") == 1);
  CHECK(second.count(Role::llc, "accesses") - second.count(Role::llc, "hits") >= 1);
  CHECK(second.count(Role::sm, "flushes") == 3);  // one SM, three kernels
  CHECK(first.count(Role::sm, "flushes") == 1);
  bench.check_sums();
}

TEST_CASE("a program that has ended begins again until the slowest has ended, and counts once") {
  Bench bench = tiny();
  Program walk;
  for (int n = 0; n < 40; ++n) {
    walk.push_back(load_past_l1(line_b, 3));
    walk.push_back(alu(4, 3));
  }
  bench.add({{1, twice}, {1, twice}});
  bench.add({{1, walk}});
  bench.run(true);
  CHECK(bench.outcome.partial);  // a program is always running
  CHECK(bench.outcome.reason == "every application is measured");
  const ApplicationFigures& first = bench.applications[0];
  CHECK(first.passes > 1);
  CHECK(first.kernels_done == 2);
  CHECK(first.count(Role::sm, "thread_instructions") == 2 * 4 * 32);
  CHECK(first.count(Role::sm, "ctas_done") == 2);
  CHECK(bench.applications[1].passes == 1);
  CHECK(bench.applications[1].count(Role::sm, "thread_instructions") == 80 * 32);
  CHECK(bench.sum("sm_cluster", "thread_instructions") > (2 * 4 + 80) * 32);
}

TEST_CASE("each application has its own budget") {
  // A walk issues one instruction of 32 lanes at a time; the look at the budgets comes every cycle near them,
  // and an SM issues at most two instructions in a cycle.
  Bench bench = tiny();
  Program walk;
  for (int n = 0; n < 40; ++n) {
    walk.push_back(load_past_l1(line_b, 3));
    walk.push_back(alu(4, 3));
  }
  bench.add({{1, walk}}, 10 * 32);
  bench.add({{1, walk}}, 20 * 32);
  bench.run(true);
  CHECK(bench.applications[0].count(Role::sm, "thread_instructions") == 10 * 32);
  CHECK(bench.applications[1].count(Role::sm, "thread_instructions") == 20 * 32);
  CHECK(bench.applications[0].cycles < bench.applications[1].cycles);
  CHECK_FALSE(bench.applications[0].ended);
}

TEST_CASE("one application sees a shared LLC and the other a private one") {
  const tb::TempFolder folder;
  Bench bench(folder.write("machine.yaml", machine), {});
  // A CTA on each cluster. Both load the same line and store one: shared, the second CTA finds the line in
  // its slice or on its way there. Private, each cluster has a slice of its own: both miss.
  const Program program = {load(line_a, 1), alu(2, 1), store(line_b)};
  bench.add({{2, program}});
  bench.add({{2, program}});
  bench.run();
  CHECK_FALSE(bench.outcome.partial);
  const ApplicationFigures& first = bench.applications[0];
  const ApplicationFigures& second = bench.applications[1];
  CHECK(first.organization == "shared");
  CHECK(second.organization == "private");
  CHECK(first.count(Role::llc, "accesses") == 4);  // two loads, two stores
  CHECK(first.count(Role::llc, "misses") == 2);    // the line that is loaded, and the one that is stored
  CHECK(second.count(Role::llc, "misses") == 4);   // each twice
  CHECK(bench.sum("llc_slice", "write_throughs") == 2);  // the private application's stores
  // Its kernel's end dropped its two lines; the shared application's two stay, one of them dirty.
  CHECK(bench.sum("llc_slice", "flushed_lines") == 2);
  CHECK(bench.slice(0).valid_lines() + bench.slice(1).valid_lines() == 2);
  CHECK(bench.slice(0).dirty_lines(every_application) + bench.slice(1).dirty_lines(every_application) == 1);
  CHECK(bench.slice(0).dirty_lines(only_application(1)) + bench.slice(1).dirty_lines(only_application(1)) ==
        0);
  CHECK(bench.sum("llc_control", "flushes") == 1);
  CHECK(first.count(Role::control, "private_cycles") == 0);
  CHECK(second.count(Role::control, "private_cycles") > 0);
  bench.check_sums();
}

TEST_CASE("an address beyond the space of an application is refused") {
  ProgramSource source;
  source.add_kernel(1, 1);
  source.warps = [](auto, auto) -> std::vector<Program> { return {{load(Address{1} << 48, 1)}}; };
  const auto moved = traces::make_application(source, 1);
  CHECK_THROWS_AS(moved->fetch(0, 0), TraceError);
  CHECK(traces::make_application(source, 0)->fetch(0, 0) != nullptr);  // the first one is not moved
}

TEST_CASE("lists of addresses move with their application, those of shared memory stay") {
  struct Listed final : InstructionSource {
    std::vector<KernelInfo> infos = std::vector<KernelInfo>(1);
    std::vector<MemcpyInfo> none;
    const std::vector<KernelInfo>& kernels() const override { return infos; }
    const std::vector<MemcpyInfo>& copies() const override { return none; }
    std::string description() const override { return "listed"; }
    std::shared_ptr<const CtaTrace> fetch(std::uint32_t, std::uint64_t) override {
      auto cta = std::make_shared<CtaTrace>();
      cta->addresses = {8, 4096};
      WarpInstruction global;
      global.op = OpClass::load;
      global.address_kind = AddressKind::list;
      global.active_mask = 3;
      WarpInstruction shared = global;  // the same list
      shared.op = OpClass::shared_load;
      cta->instructions = {global, shared};
      cta->warp_begin = {0, 2};
      return cta;
    }
  } listed;
  const auto moved = traces::make_application(listed, 2);
  const auto cta = moved->fetch(0, 0);
  const Address base = traces::application_base(2);
  CHECK(cta->addresses == std::vector<Address>{base + 8, base + 4096, 8, 4096});
  CHECK(cta->instructions[0].address == 0);
  CHECK(cta->instructions[1].address == 2);
  CHECK(moved->kernels()[0].application == 2);
}
