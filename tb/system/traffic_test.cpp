// Runs without a dispatcher: traffic generators say when a run ends.
#include <filesystem>
#include <sstream>

#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/digest.h"
#include "platforms/report/stat_table.h"
#include "platforms/report/summary.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"
#include "tb/support/temp_folder.h"

using namespace strata;
using namespace strata::platforms;
using Causes = std::map<std::string, std::uint64_t>;

namespace {

/// A platform of a shipped name under its own traffic, with protocol checkers.
struct Run {
  Run(const std::string& file, const std::vector<std::string>& sets)
      : platform(Netlist::load(file, sets, built_in_modules()), {7, true}) {
    Session session(platform, {});
    platform.finish_elaboration();
    outcome = session.run();
    for (const std::string& message : outcome.messages) UNSCOPED_INFO(message);
    REQUIRE(outcome.exit_code == exit_ok);
    CHECK_FALSE(outcome.partial);
    CHECK(platform.protocol_violations() == 0);
    tables = read_stats(platform);
    ledger = read_ledger(platform);
  }
  std::uint64_t sum(const std::string& kind, const std::string& name) const {
    std::uint64_t total = 0;
    for (const InstanceStats& table : tables)
      if (table.kind == kind) total += table.counter(name)->value;
    return total;
  }
  std::uint64_t figure(const char* name) const {
    return summarize(tables, ledger, outcome.cycles, {}).find(name)->count;
  }

  Platform platform;
  RunOutcome outcome;
  std::vector<InstanceStats> tables;
  LedgerTotals ledger;
};

/// Share of time in which the reply links of Sh40's nodes are busy under random hits, 16 a core in flight.
double closed_loop(const char* read_ports) {
  const Run run(find_platform("hpca21/traffic_shared"), {"gen.outstanding=16", read_ports});
  return static_cast<double>(run.sum("router_stage", "reply_flits_out")) / 40 /
         static_cast<double>(run.sum("router_stage", "cycles")) * 2;  // n1 and n2, which has no traffic
}

void check_machine(const std::string& name, const std::string& timing) {
  const Run run(find_platform(name), {"gen.accesses=100", "gen.load=0.3", "run.timing=" + timing});
  // 8 clusters of 10 ports.
  CHECK(run.sum("traffic_generator", "sent") == 8000);
  CHECK(run.figure("line_accesses") == 8000);
  CHECK(run.sum("l1_private", "accesses") + run.sum("l1_private", "stores") == 8000);
  const std::uint64_t answered =
      run.sum("traffic_generator", "answered_at_once") + run.sum("traffic_generator", "round_trips");
  CHECK(answered == 8000);
  CHECK(run.figure("round_trips") == run.sum("traffic_generator", "round_trips"));
  std::uint64_t retired = 0;
  for (const LedgerTotals::Sums& sums : run.ledger.groups) {
    retired += sums.count;
    CHECK(tb::cycles_of(run.platform.ledger_places(), sums.cycles, Cause::external) == 0);
  }
  CHECK(retired == 8000);
  CHECK(run.outcome.cycles > 100);  // 100 accesses at one a cycle at most
}

std::string tiny() {
  return std::filesystem::absolute(find_platform("tiny")).string();
}

/// The tiny platform with a generator in place of its SM, or of its SM and L1.
std::string tiny_traffic(const tb::TempFolder& folder, const std::string& params) {
  const bool l1 = params.find("place: l1") != std::string::npos;
  std::ostringstream out;
  out << "extends: " << tiny() << "\nclocks: {dram: 1400 MHz}\ninstances:\n  cta: ~\n  sm: ~\n"
      << "  mc: {rescale_timing: true}\n  gen: {module: traffic_generator, " << params << "}\n"
      << (l1 ? "  l1: ~\n  rtr: {inputs: gen.ports}\n" : "  l1: {count: gen.ports}\n") << "bind:\n"
      << (l1 ? "  - gen[c].noc[i] -> rtr.in[c * gen.ports + i]\n"
             : "  - gen[c].l1[i] -> l1[c * gen.ports + i].sm\n  - l1[i].noc -> rtr.in[i]\n")
      << "  - rtr.out[k] -> llc[k].noc\n"
      << "  - llc[i].mem -> mc[i / mc.slices].slice[i % mc.slices]\n  - mc[m].channel -> ch[m].controller\n";
  return folder.write("traffic.yaml", out.str());
}

Causes load_causes(const Run& run) {
  return tb::cycles_by_row(run.platform.ledger_places(), run.ledger.groups[LedgerTotals::loads].cycles);
}

}  // namespace

TEST_CASE("traffic on the shared LLC") {
  check_machine("isca19/traffic_shared", "at");
}
TEST_CASE("traffic on the private LLC") {
  check_machine("isca19/traffic_private", "at");
}
TEST_CASE("traffic behind a full crossbar") {
  check_machine("isca19/traffic_full_crossbar", "at");
}

TEST_CASE("in place of an SM: a miss, then hits of the L1") {
  const tb::TempFolder folder;
  const Run run(tiny_traffic(folder, "load: 1, accesses: 3, outstanding: 1, loads: 1, footprint: 128 B"), {});
  // LLC hits take 136 cycles from the L1 on (directed_test.cpp, without the coalescer's 1); the DRAM adds 29
  // to the first. L1 hits: 28 each.
  CHECK(run.sum("traffic_generator", "answered_at_once") == 2);
  CHECK(load_causes(run)["l1.pipeline"] == 1 + 28 + 28);
  CHECK(run.outcome.cycles == 1 + run.ledger.groups[LedgerTotals::loads].latency + 2);
}

TEST_CASE("in place of an SM and its L1: the tail of a reply is waited for") {
  const tb::TempFolder folder;
  const Run run(
      tiny_traffic(folder, "place: l1, load: 1, accesses: 2, outstanding: 1, loads: 1, footprint: 128 B"),
      {});
  Causes causes = load_causes(run);
  // Both have the router's 4 and the link's 1 each way, 4 tail flits of the 5 of the reply, the slice's 120.
  CHECK(causes["noc.request_link"] == 2 * 1);
  CHECK(causes["noc.request_router"] == 2 * 4);
  CHECK(causes["llc.pipeline"] == 2 * 120);
  CHECK(causes["noc.reply_link"] == 2 * 1);
  CHECK(causes["noc.reply_router"] == 2 * 4);
  CHECK(causes["noc.reply_serial"] == 2 * 4);
  CHECK(causes["l1.pipeline"] == 0);
  // The first begins in cycle 1; the second in the cycle after the first answer.
  CHECK(run.outcome.cycles == 1 + run.ledger.groups[LedgerTotals::loads].latency + 1);
}

TEST_CASE("a generator beside SMs: the run ends when both are done") {
  const tb::TempFolder folder;
  const std::string file = folder.write("beside.yaml", "extends: " + tiny() + R"(
instances:
  gen: {module: traffic_generator, place: l1, load: 0.01, accesses: 50}
  rtr: {inputs: 2}
bind:
  - cta.cluster[c] -> sm[c].dispatch
  - sm[c].l1[s]    -> l1[c * sm.sms + s].sm
  - l1[0].noc      -> rtr.in[0]
  - gen[0].noc[0]  -> rtr.in[1]
  - rtr.out[k]     -> llc[k].noc
  - llc[i].mem     -> mc[i / mc.slices].slice[i % mc.slices]
  - mc[m].channel  -> ch[m].controller
)");
  Platform platform(Netlist::load(file, {}, built_in_modules()), {1, true});
  tb::ProgramSource source;
  source.add_kernel(1, 1);
  source.warps = [](std::uint32_t, std::uint64_t) {
    return std::vector<tb::Program>{{tb::load(0x10000, 1)}};
  };
  Session session(platform, source, {});
  platform.finish_elaboration();
  const RunOutcome outcome = session.run();
  for (const std::string& message : outcome.messages) UNSCOPED_INFO(message);
  REQUIRE(outcome.exit_code == exit_ok);
  const auto& gen = dynamic_cast<const RunDriver&>(*platform.of_kind("traffic_generator").front().block);
  const auto& cta = dynamic_cast<const RunDriver&>(*platform.of_kind("cta_dispatcher").front().block);
  CHECK(gen.work_done() == 50);
  CHECK(cta.end_cycle() < 1000);
  CHECK(outcome.cycles == gen.end_cycle());
  CHECK(gen.end_cycle() > 2000);  // 50 accesses, a hundred cycles apart
}

// BookSim 2 with the same sources and nodes: 0.78 of the time in its first 16 000 cycles, with two read ports
// 0.94.
TEST_CASE("a closed loop of random hits keeps the links as busy as BookSim 2 does") {
  CHECK(closed_loop("n1.input_speedup=1") == Approx(0.78).epsilon(0.05));
}

TEST_CASE("two read ports keep the links of a closed loop busy") {
  CHECK(closed_loop("n1.input_speedup=2") == Approx(0.94).epsilon(0.05));
}

TEST_CASE("a platform without SMs and generators is refused") {
  const tb::TempFolder folder;
  Platform platform(Netlist::load(tiny_traffic(folder, "load: 1, accesses: 1"), {}, built_in_modules()), {});
  tb::ProgramSource source;
  CHECK_THROWS_AS(Session(platform, source, {}), ConfigError);  // a trace, but no dispatcher
  SessionOptions options;
  options.max_instructions = 5;
  CHECK_THROWS_AS(Session(platform, options), ConfigError);
}

TEST_CASE("a dispatcher needs a trace") {
  Platform platform(Netlist::load(find_platform("tiny"), {}, built_in_modules()), {});
  CHECK_THROWS_AS(Session(platform, SessionOptions{}), ConfigError);
}
