// The ledger by place: what a netlist calls its networks and whatever else keeps a place of its own.
#include <sstream>

#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/session/exit_codes.h"
#include "platforms/report/results_files.h"
#include "platforms/report/stat_table.h"
#include "tb/support/block_checks.h"
#include "tb/support/faulty_slice.h"
#include "tb/support/sm_bench.h"
#include "tb/support/temp_folder.h"
#include "tb/system/kernel_run.h"

using namespace strata;
using namespace strata::platforms;
using namespace strata::tb;
using Rows = std::map<std::string, std::uint64_t>;

namespace {

ModuleTable modules() {
  ModuleTable table = built_in_modules();
  table.push_back(&tb::faulty_slice_kind());
  return table;
}

/// `tiny` with the DRAM at the core's clock and a chain of 1 x 1 routers, each with the keys given for it.
std::string chain(const std::vector<std::string>& routers) {
  std::ostringstream out;
  out << "extends: " << std::filesystem::absolute(find_platform("tiny")).string()
      << "\nclocks: {dram: 1400 MHz}\ninstances:\n  rtr: ~\n  mc: {rescale_timing: true}\n";
  for (std::size_t i = 0; i < routers.size(); ++i)
    out << "  n" << i << ": {module: router_stage, inputs: 1, outputs: 1" << routers[i] << "}\n";
  out << "bind:\n  - cta.cluster[c] -> sm[c].dispatch\n  - sm[0].l1[0] -> l1[0].sm\n  - l1[0].noc -> "
         "n0.in[0]\n";
  for (std::size_t i = 1; i < routers.size(); ++i)
    out << "  - n" << i - 1 << ".out[0] -> n" << i << ".in[0]\n";
  out << "  - n" << routers.size() - 1
      << ".out[0] -> llc[0].noc\n  - llc[0].mem -> mc[0].slice[0]\n  - mc[0].channel -> ch[0].controller\n";
  return out.str();
}

struct Bench {
  Bench(const std::string& text, const std::vector<std::string>& sets, bool check = true)
      : platform(Netlist::load(folder.write("machine.yaml", text), sets, modules()), {1, check}) {}
  void run(const Program& program) {
    source.add_kernel(1, 1);
    source.warps = [&](auto, auto) -> std::vector<Program> { return {program}; };
    run_to_end(platform, source);  // no ledger whose sum is not its latency
    ledger = read_ledger(platform);
  }
  Rows rows() const { return tb::cycles_by_row(platform.ledger_places(), loads().cycles); }
  const LedgerTotals::Sums& loads() const { return ledger.groups[LedgerTotals::loads]; }
  std::uint64_t sum() const {
    std::uint64_t sum = 0;
    for (const auto& [row, cycles] : rows()) sum += cycles;
    return sum;
  }

  tb::TempFolder folder;
  Platform platform;
  tb::ProgramSource source;
  LedgerTotals ledger;
};

const Program one_load = {load(0x10000, 1), alu(2, 1)};

// As in directed_test.cpp, with two routers: each has a link of 1 and a pipeline of 4 cycles. The 4 tail
// flits of the reply follow its head over the last link, that of the first network.
Rows two_networks(const std::string& first, const std::string& second) {
  Rows rows = {{"sm.queue", 1},     {"l1.pipeline", 1},      {"llc.pipeline", 120},
               {"memory.queue", 2}, {"memory.activate", 12}, {"memory.access", 12},
               {"memory.bus", 1},   {"llc.reply_port", 1},   {first + ".reply_serial", 4},
               {"l1.fill", 1}};
  for (const std::string& noc : {first, second})
    for (const char* way : {".request_", ".reply_"}) {
      rows[noc + way + "link"] += 1;
      rows[noc + way + "router"] += 4;
    }
  return rows;
}

}  // namespace

TEST_CASE("Two networks have places of their own, and the sum is exact") {
  Bench bench(chain({", ledger_place: noc1", ", ledger_place: noc2"}), {});
  bench.run(one_load);
  CHECK(bench.rows() == two_networks("noc1", "noc2"));
  CHECK(bench.loads().latency == 165 + 10);  // a second router, there and back
  CHECK(bench.sum() == bench.loads().latency);
}

TEST_CASE("Two networks without names are one place") {
  Bench bench(chain({"", ""}), {});
  bench.run(one_load);
  CHECK(bench.rows() == two_networks("noc", "noc"));
}

TEST_CASE("Two networks, where every row of the ledger is used") {
  Bench bench(chain({", ledger_place: noc1", ", ledger_place: noc2"}), {}, false);
  bench.run(one_load);
  CHECK(bench.platform.ledger_places().size() > usual_places);
  CHECK(bench.rows() == two_networks("noc1", "noc2"));
  CHECK(bench.sum() == 175);
}

TEST_CASE("Results name the places in the order of the way, and their roles") {
  Bench bench(chain({", ledger_place: noc1", ", ledger_place: noc2"}), {});
  bench.run(one_load);
  RunRecord record;
  record.ledger = bench.ledger;
  record.places = bench.platform.ledger_places();
  const std::string csv = ledger_csv(record.ledger, record.places), json = stats_json(record);
  CHECK_THAT(csv,
             has_text("group,place,cause,cycles,share,mean_per_access\nloads,sm,queue,1,0.005714,1.0000\n"));
  std::size_t at = 0;
  for (const char* row : {"loads,l1,pipeline", "loads,noc1,request_link", "loads,noc2,request_link",
                          "loads,llc,pipeline", "loads,memory,activate", "loads,llc,reply_port",
                          "loads,noc2,reply_link", "loads,noc1,reply_link", "loads,l1,fill"}) {
    INFO(row);
    const std::size_t found = csv.find(row);
    REQUIRE(found != std::string::npos);
    CHECK(found > at);
    at = found;
  }
  for (const char* text :
       {"\"noc2.request_link\": 1", "\"noc1\": \"router\"", "\"l1\": \"l1\"", "\"llc\": \"llc\""})
    CHECK_THAT(json, has_text(text));
}

TEST_CASE("A external block is charged by the name of its instance") {
  const std::string bare =
      "platform: an SM and a block\nclocks: {core: 1 GHz, noc: 1 GHz, dram: 1 GHz}\n"
      "address_map: {kind: bits, channels: 1, slices_per_channel: 1}\n"
      "instances:\n  cta: {module: cta_dispatcher}\n  sm:  {module: sm_cluster, sms: 1}\n"
      "  dut: {module: faulty_slice}\n"
      "bind:\n  - cta.cluster[0] -> sm[0].dispatch\n  - sm[0].l1[0]  -> dut[0].noc\n";
  Bench bench(bare, {});
  bench.run(one_load);
  CHECK(bench.rows() == Rows{{"sm.queue", 1}, {"dut.pipeline", 20}});
}

TEST_CASE("A external block in a place that the netlist names") {
  Bench bench(chain({", ledger_place: noc1"}), {"llc.module=faulty_slice", "llc.ledger_place=mine"});
  bench.run(one_load);
  CHECK(bench.rows().at("mine.pipeline") == 20);
}

TEST_CASE("The rows of a machine with a block of every role are the nominal ones, and external cycles") {
  Bench bench(chain({""}), {});
  bench.run(one_load);
  const LedgerPlaces& places = bench.platform.ledger_places();
  for (const Place place : nominal_places().on_the_way())
    if (const std::string name = nominal_places().name(place); name != "sm.external") {
      INFO(name);
      CHECK(places.find(name).has_value());
    }
  for (const Place place : places.on_the_way()) {
    INFO(places.name(place));
    CHECK((places.cause(place) == Cause::external || nominal_places().find(places.name(place)).has_value()));
  }
}

TEST_CASE("Names that are no places are refused where they stand") {
  const tb::TempFolder folder;
  const auto refusal = [&](const std::string& keys) {
    const std::string file = folder.write("machine.yaml", chain({keys}));
    try {
      Netlist::load(file, {}, modules());
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const std::string name :
       {"noc.1", "1noc", "'noc 1'", "''", "_noc", "a2345678901234567890123456789012x"}) {
    INFO(name);
    const std::string text = refusal(", ledger_place: " + name);
    CHECK_THAT(text, has_text("machine.yaml:6:"));
    CHECK_THAT(text, has_text("n0.ledger_place: '"));
    CHECK_THAT(text, has_text("allowed: a letter, then letters, digits and '_'"));
  }
  CHECK(refusal(", ledger_place: noc_1").empty());
  CHECK_THAT(refusal(", ledger_plac: noc1"), has_text("(did you mean 'ledger_place'?)"));
}

TEST_CASE("More rows than a ledger has are refused before the run") {
  std::vector<std::string> routers;
  for (int i = 0; i < 6; ++i) routers.push_back(", ledger_place: noc" + std::to_string(i));
  const auto build = [&] {
    Bench bench(chain(routers), {});
    bench.platform.finish_elaboration();
  };
  CHECK_THROWS_WITH(build(), has_text("at most 64"));
}
