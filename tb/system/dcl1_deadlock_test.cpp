// DC-L1 nodes under all-hot traffic, whatever their queues, homes and organization: nothing blocks, the
// protocol holds, the laws hold. A machine and its traffic follow from a seed; docs/blocks/dcl1-node.md has
// the command for many of them. One TEST_CASE = one elaboration = one process.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/laws.h"
#include "platforms/report/stat_table.h"
#include "tb/support/catch.h"
#include "tb/support/long_mode.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::platforms;
using strata::tb::load;
using strata::tb::Program;
using strata::tb::ProgramSource;
using strata::tb::store;

namespace {

using Words = std::vector<std::string>;
using Random = std::mt19937_64;

constexpr int warps = 4, accesses_of_a_warp = 16;
constexpr std::uint64_t cycles_of_a_cta = 16;  // at least: four cores at one access a cycle each

std::uint64_t seed_of_machine() {
  const char* seed = std::getenv("STRATA_DEADLOCK_SEED");
  return seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10);
}

/// One of few, the first most often.
std::string drawn(Random& random, const Words& choices) {
  return random() % 2 == 0 ? choices.front() : choices[random() % choices.size()];
}

/// A small machine around nodes of this module: one of the paper's designs, its homes, queues from one entry
/// on, few MSHRs, short VCs. Four CTAs a core at a time, so that a run lasts little longer than asked for.
std::string draw_machine(Random& random, const std::string& node, Words& sets) {
  const std::string design = Words{"shared_nodes", "clustered_nodes", "private_nodes"}[random() % 3];
  sets = {"sm.count=4",
          "llc.count=4",
          "mc.count=2",
          "node.module=" + node,
          design == "private_nodes" ? "node.count=2" : "node.count=4",
          "node.size=1KiB"};
  if (design == "clustered_nodes")
    sets.emplace_back("n1.count=2");
  else
    sets.push_back("n1.route=" + drawn(random, {"line", "hash"}));
  for (const char* queue : {"request_queue", "reply_queue", "miss_queue", "fill_queue"})
    sets.push_back("node." + std::string(queue) + "=" + drawn(random, {"1", "2", "3", "4", "7"}));
  sets.push_back("node.fill_until=" + drawn(random, {"installed", "answered"}));
  sets.push_back("node.mshrs=" + drawn(random, {"2", "1", "3", "8"}));
  sets.push_back("node.merges=" + drawn(random, {"2", "1", "8"}));
  sets.push_back("node.latency=" + drawn(random, {"30", "1", "3"}));
  for (const char* network : {"n1.", "n2."}) {
    sets.push_back(network + ("vcs=" + drawn(random, {"1", "4", "2"})));
    sets.push_back(network + ("vc_flits=" + drawn(random, {"4", "1", "8"})));
    const std::string queues = drawn(random, {"fifo", "voq"});
    sets.push_back(network + ("queues=" + queues));
    if (queues == "voq") sets.push_back(network + std::string("input_speedup=1"));  // all that they allow
  }
  return "hpca21/" + design;
}

/// Loads, stores, atomics and loads past the L1, of whole lines and of parts of them. All
/// go to lines of one home: to one of them, to a few, or to many.
Program draw_program(Random& random, std::uint64_t hot_lines) {
  Program program;
  for (int i = 0; i < accesses_of_a_warp; ++i) {
    const Address address = 0x100000 + random() % hot_lines * 40 * 256 + random() % 2 * 64;
    const std::uint64_t kind = random() % 16;
    const int stride = random() % 2 == 0 ? 1 : 2;
    WarpInstruction access = kind < 3 ? store(address, stride) : load(address, 1 + i % 4, stride);
    if (kind == 3) access.op = OpClass::atomic;
    if (kind == 4) access.op = OpClass::read_only_load;
    if (kind == 5) access.bypass_l1 = true;
    program.push_back(access);
  }
  return program;
}

void crowd(const std::string& node) {
  const std::uint64_t seed = seed_of_machine(), cycles = tb::cycles_without_deadlock(20'000);
  Random random(seed);
  Words sets;
  const std::string design = draw_machine(random, node, sets);
  const std::uint64_t hot_lines = std::vector<std::uint64_t>{1, 3, 12, 200}[random() % 4];
  std::string machine = "seed " + std::to_string(seed) + ", " + design;
  for (const std::string& set : sets) machine += " " + set;
  INFO(machine);
  Platform platform(Netlist::load(find_platform(design), sets, built_in_modules()), {seed, true});
  const double cycle_ns = 1000.0 / 1400;
  ProgramSource source;
  source.add_kernel(static_cast<std::uint32_t>(cycles / cycles_of_a_cta), warps);
  source.warps = [=](std::uint32_t, std::uint64_t cta) {
    // When it has lasted long enough what is left of the kernel does nothing.
    const bool enough = sc_core::sc_time_stamp().to_seconds() * 1e9 > static_cast<double>(cycles) * cycle_ns;
    Random own(seed * 1'000'003 + cta);
    std::vector<Program> programs(warps);
    if (!enough)
      for (Program& program : programs) program = draw_program(own, hot_lines);
    return programs;
  };
  Session session(platform, source, {});
  platform.finish_elaboration();
  const RunOutcome outcome = session.run();
  for (const std::string& message : outcome.messages) UNSCOPED_INFO(message);
  REQUIRE(outcome.exit_code == exit_ok);
  CHECK(platform.protocol_violations() == 0);
  CHECK(outcome.cycles >= cycles);
  const std::vector<InstanceStats> tables = read_stats(platform);
  for (const Fault& fault : check_hops(platform.netlist(), tables)) FAIL_CHECK(fault.message);
  const std::uint64_t requests = sum_of(tables, Role::l1, "requests");
  CHECK(requests > cycles / 200);
  if (std::getenv("STRATA_DEADLOCK_CYCLES") != nullptr)
    std::printf("%s, %llu hot lines: %llu cycles, %llu accesses\n", machine.c_str(),
                static_cast<unsigned long long>(hot_lines), static_cast<unsigned long long>(outcome.cycles),
                static_cast<unsigned long long>(requests));
}

}  // namespace

TEST_CASE("nodes of whole lines do not block under all-hot traffic") {
  crowd("dcl1_node");
}
TEST_CASE("sectored nodes do not block under all-hot traffic") {
  crowd("dcl1_node_sectored");
}
TEST_CASE("decoupled sectored nodes do not block under all-hot traffic") {
  crowd("dcl1_node_decoupled_sectored");
}
TEST_CASE("tag-split nodes do not block under all-hot traffic") {
  crowd("dcl1_node_tag_split");
}
TEST_CASE("prioritized nodes do not block under all-hot traffic") {
  crowd("dcl1_node_prioritized");
}
