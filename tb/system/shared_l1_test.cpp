// L1s that four SMs share behind a network: what an SM's own L1 need not do. Hits wait for their place in the
// reply network, and a flush finds every L1 that an SM can reach. One TEST_CASE = one elaboration = one
// process.
#include "platforms/report/laws.h"
#include "platforms/report/stat_table.h"
#include "tb/support/sm_bench.h"
#include "tb/support/temp_folder.h"
#include "tb/system/kernel_run.h"

using namespace strata;
using namespace strata::platforms;
using namespace strata::tb;

namespace {

const char* const machine = R"(
platform: four SMs share two L1s
clocks: {core: 1400 MHz, noc: 1400 MHz, dram: 924 MHz}
address_map: {kind: bits, channels: 1, slices_per_channel: 1}
instances:
  cta:  {module: cta_dispatcher}
  sm:   {module: sm_cluster, sms: 4}
  near: {module: router_stage, inputs: sm.sms, outputs: l1.count, route: line}
  l1:   {module: l1_private, count: 2}
  far:  {module: router_stage, inputs: l1.count, outputs: 1}
  llc:  {module: llc_slice}
  mc:   {module: memory_controller, slices: 1}
  ch:   {module: dram_channel}
bind:
  - cta.cluster     -> sm.dispatch
  - sm.l1[s]        -> near.in[s]
  - near.out[n]     -> l1[n].sm
  - l1[n].noc       -> far.in[n]
  - far.out         -> llc.noc
  - llc.mem         -> mc.slice
  - mc.channel      -> ch.controller
)";

struct Bench {
  explicit Bench(const std::string& file, const std::vector<std::string>& sets = {})
      : platform(Netlist::load(file, sets, built_in_modules()), {1, true}) {}

  /// Two kernels of a CTA for each SM, each of eight warps that load the same two lines 16 times.
  void run() {
    for (int k = 0; k < 2; ++k) source.add_kernel(4, 8);
    source.warps = [](std::uint32_t, std::uint64_t) {
      Program program;
      for (int i = 0; i < 32; ++i) program.push_back(load(0x10000 + i % 2 * 128, 1 + i % 2));
      return std::vector<Program>(8, program);
    };
    outcome = run_to_end(platform, source);
    tables = read_stats(platform);
    for (const Fault& fault : check_hops(platform.netlist(), tables)) FAIL_CHECK(fault.message);
  }
  std::uint64_t sum(const std::string& group, const std::string& name) const {
    std::uint64_t sum = 0;
    for (const InstanceStats& table : tables)
      if (table.instance.rfind(group + "[", 0) == 0) sum += table.counter(name)->value;
    return sum;
  }

  Platform platform;
  ProgramSource source;
  RunOutcome outcome;
  std::vector<InstanceStats> tables;
};

std::string fault_of(const std::string& file, const std::vector<std::string>& sets,
                     const ModuleTable& modules) {
  try {
    Netlist::load(file, sets, modules);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("hits behind a network come one after the other, and the L1 takes no more than it has room for") {
  const TempFolder folder;
  Bench bench(folder.write("machine.yaml", machine));
  bench.run();
  const std::uint64_t accesses = 2ULL * 4 * 8 * 32;
  CHECK(bench.sum("l1", "accesses") == accesses);
  CHECK(bench.sum("l1", "hits") > accesses * 8 / 10);
  CHECK(bench.sum("near", "completed_early") == 0);
  CHECK(bench.sum("sm", "answered_at_once") == 0);
  CHECK(bench.sum("sm", "round_trips") == accesses);
  // Each L1 sends a line in 5 flits: 5 cycles an answer, far less than the SMs ask for.
  CHECK(bench.outcome.cycles >= 5 * accesses / 2);
  CHECK(bench.sum("near", "requests_held") > 0);
}

TEST_CASE("a flush goes through the network to every L1 that an SM can reach") {
  const TempFolder folder;
  Bench bench(folder.write("machine.yaml", machine));
  CHECK(bench.platform.netlist().implied.size() == 4 * 2);
  bench.run();
  CHECK(bench.sum("sm", "flushes") == 2ULL * 4 * 2);  // kernels, SMs, L1s
  CHECK(bench.sum("sm", "flush_replies") == 2ULL * 4 * 2);
  CHECK(bench.sum("l1", "flushes") == 2ULL * 4 * 2);
  CHECK(bench.sum("l1", "flushed_lines") == 2ULL * 2);  // each line once a kernel
  CHECK(bench.sum("l1", "misses") == 2ULL * 2);
}

TEST_CASE("the same with flushes that the netlist binds") {
  const TempFolder folder;
  const std::string bound = std::string(machine) + "  - sm.flush[s] -> l1[s / 2].flush\n";
  Bench bench(folder.write("machine.yaml", bound), {});
  CHECK(bench.platform.netlist().implied.empty());
  bench.run();
  CHECK(bench.sum("l1", "flushes") == 2ULL * 4);
  CHECK(bench.sum("l1", "flushed_lines") == 2ULL * 2);
  CHECK(bench.sum("sm", "flush_replies") == 2ULL * 4);
}

TEST_CASE("an L1 that cannot be flushed is refused, unless nothing is to be flushed") {
  const TempFolder folder;
  const std::string file = folder.write("machine.yaml", machine);
  ModuleKind external = *find_module(built_in_modules(), "l1_private");
  external.name = "mine";
  external.ports = [](const ParamSet& params) {
    std::vector<PortSpec> ports = find_module(built_in_modules(), "l1_private")->ports(params);
    ports.pop_back();
    return ports;
  };
  ModuleTable modules = built_in_modules();
  modules.push_back(&external);
  CHECK_THAT(fault_of(file, {"l1.module=mine"}, modules),
             tb::has_text("l1 (mine) has no control input 'LineFlushIf'"));
  CHECK(fault_of(file, {"l1.module=mine", "cta.flush_l1=false"}, modules).empty());
}
