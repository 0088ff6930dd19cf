// The machines of the decoupled L1 paper. One TEST_CASE = one elaboration = one process.
#include <algorithm>
#include <random>

#include "models/dcl1_node/dcl1_pipeline.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/report/laws.h"
#include "platforms/report/module_tables.h"
#include "platforms/report/replication_observer.h"
#include "platforms/report/stat_table.h"
#include "tb/support/block_checks.h"
#include "tb/support/long_mode.h"
#include "tb/support/sm_bench.h"
#include "tb/system/kernel_run.h"
#include "traces/application_source.h"

using namespace strata;
using namespace strata::platforms;
using namespace strata::tb;

namespace {

using Words = std::vector<std::string>;

struct Bench {
  explicit Bench(const std::string& name, const Words& sets, bool check = false)
      : platform(Netlist::load(find_platform(name), sets, built_in_modules()), {1, check}) {}

  /// A CTA of `warps` warps for each core; every warp loads `loads` times, line `line(core, i)` at i.
  template <class Line>
  void run(std::uint64_t cores, std::size_t warps, int loads, Line line) {
    source.add_kernel(cores, static_cast<unsigned>(warps));
    source.warps = [=](std::uint32_t, std::uint64_t cta) {
      Program program;
      for (int i = 0; i < loads; ++i) program.push_back(load(0x100000 + line(cta, i) * 128, 1 + i % 4));
      return std::vector<Program>(warps, program);
    };
    finish();
  }
  void finish() {
    outcome = run_to_end(platform, source);
    tables = read_stats(platform);
    for (const Fault& fault : check_hops(platform.netlist(), tables)) FAIL_CHECK(fault.message);
  }
  /// How often the nodes held lines of a program in which all cores go through the same `lines`.
  LineCopies copies(std::uint64_t lines) {
    ReplicationObserver observer(platform, 500);
    run(80, 4, 400,
        [=](std::uint64_t core, int i) { return (core + static_cast<std::uint64_t>(i) * 7) % lines; });
    CHECK(observer.copies().looks > 10);
    CHECK(observer.copies().lines > 1000);
    return observer.copies();
  }
  std::vector<std::uint64_t> by_node(const std::string& name, const std::string& instances = "node") const {
    std::vector<std::uint64_t> values;
    for (const InstanceStats& table : tables)
      if (table.instance.rfind(instances + "[", 0) == 0) values.push_back(table.counter(name)->value);
    return values;
  }
  std::uint64_t sum(const std::string& name, const std::string& instances = "node") const {
    std::uint64_t sum = 0;
    for (const std::uint64_t value : by_node(name, instances)) sum += value;
    return sum;
  }
  Platform platform;
  ProgramSource source;
  RunOutcome outcome;
  std::vector<InstanceStats> tables;
};

/// Random loads and stores of all cores, most of lines whose home is one node, through queues of these
/// depths: for so many cycles at least, with the protocol checked.
void crowd(const std::string& platform, const std::string& requests, const std::string& replies,
           const std::string& misses, const std::string& fills) {
  const std::uint64_t cycles = tb::cycles_without_deadlock(20'000);
  Bench bench(platform,
              {"node.request_queue=" + requests, "node.reply_queue=" + replies, "node.miss_queue=" + misses,
               "node.fill_queue=" + fills, "node.mshrs=2", "node.merges=2", "node.size=1KiB"},
              true);
  bench.source.add_kernel(80 + static_cast<std::uint32_t>(cycles / 100), 8);
  bench.source.warps = [](std::uint32_t, std::uint64_t cta) {
    std::mt19937_64 random(cta);
    std::vector<Program> warps(8);
    for (Program& program : warps)
      for (int i = 0; i < 25; ++i) {
        const std::uint64_t line = random() % 8 == 0 ? random() % 4000 : random() % 100 * 40;
        const Address address = 0x100000 + line * 128;
        program.push_back(random() % 4 == 0 ? store(address) : load(address, 1 + i % 4));
      }
    return warps;
  };
  bench.finish();
  UNSCOPED_INFO(bench.outcome.cycles);
  CHECK(bench.outcome.cycles >= cycles);
}

/// Bytes of hits a cycle behind `nodes` private nodes, all clocks equal and packets without headers.
double peak(int nodes) {
  const std::string count = std::to_string(nodes);
  Bench bench("hpca21/private_nodes",
              {"clocks.noc=1400MHz", "clocks.noc1=1400MHz", "n1.header_bytes=0", "n2.header_bytes=0",
               "node.count=" + count, "node.size=" + std::to_string(1280 / nodes) + "KiB"});
  bench.run(80, 24, 640 * nodes / 80, [](std::uint64_t, int i) { return i % 4; });
  return static_cast<double>(bench.sum("accesses")) * 128 / static_cast<double>(bench.outcome.cycles);
}

}  // namespace

// HPCA 2021, Table I: 80 L1s give 128 B a cycle each, nodes a flit of 32 B.
TEST_CASE("80 private nodes have a fourth of the bandwidth of L1s") {
  CHECK(peak(80) == Approx(80 * 128 / 4.0).epsilon(0.02));
}
TEST_CASE("40 private nodes have an eighth") {
  CHECK(peak(40) == Approx(80 * 128 / 8.0).epsilon(0.02));
}
TEST_CASE("20 private nodes have a sixteenth") {
  CHECK(peak(20) == Approx(80 * 128 / 16.0).epsilon(0.02));
}
TEST_CASE("10 private nodes have a thirty-second") {
  CHECK(peak(10) == Approx(80 * 128 / 32.0).epsilon(0.02));
}

// Section III: a reply "only needs to provide the data requested". All lanes load the same word: 8 B of
// header and 4 B of data are a flit of 32 B, as a sector with its header is two and a line five.
TEST_CASE("nodes answer with the words that a core asks for") {
  Bench bench("hpca21/shared_nodes", {});
  bench.source.add_kernel(80, 2);
  bench.source.warps = [](std::uint32_t, std::uint64_t cta) {
    Program program;
    for (std::uint64_t i = 0; i < 20; ++i) program.push_back(load(0x100000 + (cta + i) % 30 * 128, 1, 0));
    return std::vector<Program>(2, program);
  };
  bench.finish();
  CHECK(bench.sum("replies_out", "n1") == 80 * 2 * 20);
  CHECK(bench.sum("reply_flits_out", "n1") == 80 * 2 * 20);
}
TEST_CASE("nodes answer with sectors where cores ask for them") {
  Bench bench("hpca21/shared_nodes", {"sm.replies=sectors"});
  bench.source.add_kernel(80, 1);
  bench.source.warps = [](std::uint32_t, std::uint64_t cta) {
    return std::vector<Program>{{load(0x100000 + cta * 128, 1, 0), load(0x100000 + cta * 128, 2, 4)}};
  };
  bench.finish();
  CHECK(bench.sum("reply_flits_out", "n1") == 80 * (2 + 5));
}

TEST_CASE("shared nodes hold no line twice") {
  Bench bench("hpca21/shared_nodes", {}, true);
  bench.run(80, 4, 200,
            [](std::uint64_t core, int i) { return (core * 7 + static_cast<std::uint64_t>(i)) % 500; });
  CHECK(bench.sum("misses") == 500);  // each line once for all 80 cores
  CHECK(bench.sum("accesses") == 80 * 4 * 200);
}

TEST_CASE("clustered nodes hold a line once a cluster") {
  Bench bench("hpca21/clustered_nodes", {}, true);
  bench.run(80, 4, 200, [](std::uint64_t, int i) { return static_cast<std::uint64_t>(i); });
  CHECK(bench.sum("misses") == 10 * 200);
}

// Every 500 cycles of the run all nodes are asked for every line that was ever fetched.
TEST_CASE("at no time do shared nodes hold a line twice") {
  Bench shared("hpca21/shared_nodes", {"node.size=4KiB"});
  CHECK(shared.copies(4000).most_copies == 1);
}
TEST_CASE("clusters of nodes hold a line at most once each") {
  Bench clustered("hpca21/clustered_nodes", {"node.size=4KiB"});
  const LineCopies copies = clustered.copies(4000);
  CHECK(copies.most_copies > 1);
  CHECK(copies.most_copies <= 10);
}
TEST_CASE("80 private nodes hold a line as often as there are cores") {
  Bench apart("hpca21/private_nodes", {"node.count=80", "node.size=16KiB"});
  CHECK(apart.copies(100).most_copies == 80);  // 16 KiB hold all of them
}

// A node of 32 KiB holds 256 lines: each of its own 256 adjacent lines has a place, and a second turn hits.
TEST_CASE("the lines of a shared node fill all its sets") {
  Bench bench("hpca21/shared_nodes", {});
  bench.run(1, 1, 512, [](std::uint64_t, int i) { return static_cast<std::uint64_t>(i % 256) * 40; });
  CHECK(bench.sum("misses") == 256);
  CHECK(bench.sum("hits") == 256);
}
TEST_CASE("the lines of a clustered node fill all its sets") {
  Bench bench("hpca21/clustered_nodes", {});
  // 8 slices a node: 8 lines of 4 channels, then 24 of the other three nodes.
  bench.run(1, 1, 512,
            [](std::uint64_t, int i) { return static_cast<std::uint64_t>(i % 256 / 8 * 32 + i % 8); });
  CHECK(bench.by_node("accesses")[0] == 512);
  CHECK(bench.sum("hits") == 256);
}
TEST_CASE("plain sets that do not know of homes lose lines") {
  Bench bench("hpca21/shared_nodes", {"node.homes=1"});
  bench.run(1, 1, 512, [](std::uint64_t, int i) { return static_cast<std::uint64_t>(i % 256) * 40; });
  CHECK(bench.sum("hits") == 0);  // 8 sets of 4 for 256 lines, the one used longest ago leaves
}

TEST_CASE("homes by bits let lines camp on a node") {
  Bench bench("hpca21/shared_nodes", {});
  bench.run(80, 4, 100,
            [](std::uint64_t core, int i) { return (core + static_cast<std::uint64_t>(i)) % 100 * 40; });
  const std::vector<std::uint64_t> nodes = bench.by_node("accesses");
  CHECK(*std::max_element(nodes.begin(), nodes.end()) == 80 * 4 * 100);
}

TEST_CASE("the same lines spread when homes are hashed") {
  Bench bench("hpca21/shared_nodes", {"n1.route=hash"});
  bench.run(80, 4, 100,
            [](std::uint64_t core, int i) { return (core + static_cast<std::uint64_t>(i)) % 100 * 40; });
  const std::vector<std::uint64_t> nodes = bench.by_node("accesses");
  CHECK(*std::max_element(nodes.begin(), nodes.end()) < 80 * 4 * 100 / 8);
}

TEST_CASE("queues of one entry under traffic that all goes to one node do not block") {
  Bench bench("hpca21/shared_nodes",
              {"node.request_queue=1", "node.reply_queue=1", "node.miss_queue=1", "node.fill_queue=1",
               "node.mshrs=2", "node.merges=2"},
              true);
  bench.run(80, 8, 60, [](std::uint64_t core, int i) {
    return (core * 131 + static_cast<std::uint64_t>(i) * 17) % 1000 * 40;
  });
  CHECK(bench.sum("accesses") == 80 * 8 * 60);
}

// STRATA_DEADLOCK_CYCLES=100000000 makes each of them last so long.
TEST_CASE("random traffic through queues of one entry does not block") {
  crowd("hpca21/shared_nodes", "1", "1", "1", "1");
}
TEST_CASE("random traffic through short queues of different depths does not block") {
  crowd("hpca21/shared_nodes", "2", "1", "3", "1");
}
TEST_CASE("random traffic through queues of one entry in clusters does not block") {
  crowd("hpca21/clustered_nodes", "1", "1", "1", "1");
}
TEST_CASE("random traffic through queues of one entry of private nodes does not block") {
  crowd("hpca21/private_nodes", "1", "1", "1", "1");
}

namespace {

/// Two programs of two CTAs each on four clusters of two SMs: one SM of a cluster for each. They share every
/// node. The first one loads 40 lines and stores one, the second loads 10 lines eight times over.
struct SharedNodes {
  Platform platform{Netlist::load(find_platform("hpca21/shared_nodes"),
                                  {"sm.count=4", "sm.sms=2", "llc.count=4", "mc.count=2", "node.count=4"},
                                  built_in_modules()),
                    {1, true}};
  ProgramSource programs[2];
  std::vector<std::unique_ptr<InstructionSource>> moved;
  std::vector<ApplicationFigures> applications;

  void run() {
    programs[0].warps = [](std::uint32_t, std::uint64_t) {
      Program program;
      for (int i = 0; i < 40; ++i) program.push_back(load(0x100000 + Address(i) * 128, 1 + i % 4));
      program.push_back(store(0x800000));
      return std::vector<Program>{program};
    };
    programs[1].warps = [](std::uint32_t, std::uint64_t) {
      Program program;
      for (int i = 0; i < 80; ++i) program.push_back(load(0x100000 + Address(i % 10) * 128, 1 + i % 4));
      return std::vector<Program>{program};
    };
    std::vector<ApplicationRun> runs;
    for (std::uint32_t a = 0; a < 2; ++a) {
      programs[a].add_kernel(2, 1);
      moved.push_back(traces::make_application(programs[a], a));
      runs.push_back({moved.back().get(), 1, 0});
    }
    SessionOptions options;
    options.repeat = false;
    Session session(platform, runs, options);
    platform.finish_elaboration();
    const RunOutcome outcome = session.run();
    for (const std::string& message : outcome.messages) UNSCOPED_INFO(message);
    REQUIRE(outcome.exit_code == exit_ok);
    applications = session.applications();
  }
};

}  // namespace

TEST_CASE("shared nodes count the accesses of each application and each SM") {
  SharedNodes bench;
  bench.run();
  const ApplicationFigures &first = bench.applications[0], &second = bench.applications[1];
  CHECK(first.count(Role::l1, "accesses") == 2 * 40);
  CHECK(first.count(Role::l1, "misses") == 40);  // the other CTA finds each line, or on its way
  CHECK(first.count(Role::l1, "stores") == 2);
  CHECK(first.count(Role::l1, "requests") == 2 * 41);
  CHECK(second.count(Role::l1, "accesses") == 2 * 80);
  CHECK(second.count(Role::l1, "misses") == 10);
  CHECK(second.count(Role::l1, "stores") == 0);
  CHECK(second.count(Role::l1, "hits") + second.count(Role::l1, "merges") == 2 * 80 - 10);
  // Four nodes and the SMs of the four CTAs: two clusters, a program on each of their SMs.
  const std::string table = requesters_csv(bench.platform);
  CHECK(table.find("node,sm,requests,accesses,hits,misses,merges,bypasses,stores,atomics\n") == 0);
  CHECK(std::count(table.begin(), table.end(), '\n') == 1 + 4 * 4);
  // Applications, and SMs, add up to each node; every part keeps the laws.
  for (const PlatformInstance& instance : bench.platform.of_role(Role::l1)) {
    const Block& node = *instance.block;
    DcL1RequesterCounts by_application, by_sm;
    for (int a = 0; a < 2; ++a) {
      REQUIRE(node.application_stats(a) != nullptr);
      add_stats(by_application, *node.application_stats(a));
      CHECK(strata::tb::broken_laws(*node.application_stats(a)).empty());
    }
    for (const StatSet* sm : dynamic_cast<const RequesterCountsIf&>(node).by_requester())
      add_stats(by_sm, *sm);
    const auto& all = dynamic_cast<const L1Stats&>(node.stats());
    for (const DcL1RequesterCounts* sum : {&by_application, &by_sm}) {
      CHECK(sum->requests == all.requests);
      CHECK(sum->hits == all.hits);
      CHECK(sum->misses == all.misses);
      CHECK(sum->merges == all.merges);
      CHECK(sum->stores == all.stores);
    }
  }
}

TEST_CASE("a node keeps no counts by application when there is one") {
  Bench bench("hpca21/shared_nodes", {});
  bench.run(80, 1, 4, [](std::uint64_t core, int i) { return core + static_cast<std::uint64_t>(i); });
  for (const PlatformInstance& instance : bench.platform.of_role(Role::l1)) {
    CHECK(instance.block->application_stats(0) == nullptr);
    CHECK(dynamic_cast<const RequesterCountsIf&>(*instance.block).by_requester().empty());
  }
}
