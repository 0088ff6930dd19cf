#include "platforms/studies/energy/energy_report.h"

#include <cmath>
#include <map>

#include "models/power/sram_power.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/studies/energy/area_report.h"
#include "platforms/studies/energy/machine_model.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

namespace {

constexpr double hertz = 1.4e9;

struct Bench {
  explicit Bench(const std::string& platform)
      : table(load_constants()), machine(Netlist::load(find_platform(platform)).resolve(), table, {}) {}
  power::Constants table;
  MachineModel machine;

  power::Interval joules(const std::vector<CountedInstance>& instances, double cycles) const {
    return energy_of(machine, instances, cycles, hertz).total();
  }
};

/// One instance of each module of isca19/shared, with as many of everything as a short run has.
std::vector<CountedInstance> some_counts() {
  return {
      {"smr[0]",
       "router_stage",
       {{"request_flits_in", 1000},
        {"request_flits_out", 1000},
        {"reply_flits_in", 4000},
        {"reply_flits_out", 4000},
        {"cycles", 5000}}},
      {"l1[3]", "l1_private", {{"requests", 900}, {"hits", 300}, {"fills", 500}, {"write_hits", 10}}},
      {"llc[1]",
       "llc_slice",
       {{"accesses", 800},
        {"read_hits", 400},
        {"write_hits", 30},
        {"atomic_hits", 5},
        {"fills", 300},
        {"dirty_evictions", 20},
        {"flush_writes", 3},
        {"write_allocations", 4}}},
      {"ch[0]",
       "dram_channel",
       {{"activates", 40},
        {"bytes_read", 12800},
        {"bytes_written", 2560},
        {"refreshes", 2},
        {"bank_refreshes", 3},
        {"any_open_cycles", 2000}}},
      {"sm[0]",
       "sm_cluster",
       {{"thread_instructions", 32000},
        {"alu_instructions", 600},
        {"sfu_instructions", 20},
        {"load_instructions", 300},
        {"shared_load_instructions", 40},
        {"sectors", 3600},
        {"active_cycles", 40000}}},
  };
}

}  // namespace

TEST_CASE("The total is the sum over groups and over parts") {
  const Bench bench("isca19/shared");
  const EnergyReport report = energy_of(bench.machine, some_counts(), 5000, hertz);
  double groups = 0;
  for (const EnergyGroupRow& row : energy_groups) groups += report.of(row.value).nominal;
  double parts = 0;
  for (const PartEnergy& part : report.parts)
    parts += part.dynamic.nominal + part.leakage.nominal + part.clock.nominal;
  CHECK(report.total().nominal == Approx(groups));
  CHECK(report.total().nominal == Approx(parts));
  CHECK(report.total().low < report.total().nominal);
  CHECK(report.total().nominal < report.total().high);
  for (const EnergyGroup group : {EnergyGroup::noc, EnergyGroup::caches, EnergyGroup::dram, EnergyGroup::sms})
    CHECK(report.of(group).nominal > 0);
}

TEST_CASE("A run of nothing costs leakage and clock only") {
  const Bench bench("isca19/shared");
  std::vector<CountedInstance> nothing = some_counts();
  for (CountedInstance& instance : nothing)
    for (auto& [name, value] : instance.counters)
      if (name != "cycles") value = 0;
  const EnergyReport report = energy_of(bench.machine, nothing, 5000, hertz);
  double clock = 0;
  double leakage = 0;
  for (const PartEnergy& part : report.parts) {
    CHECK(part.dynamic.nominal == 0);
    clock += part.clock.nominal;
    leakage += part.leakage.nominal;
  }
  CHECK(clock > 0);
  CHECK(leakage > 0);
}

TEST_CASE("The halves of a run cost what the whole costs") {
  const Bench bench("isca19/shared");
  const std::vector<CountedInstance> half = some_counts();
  std::vector<CountedInstance> whole = half;
  for (CountedInstance& instance : whole)
    for (auto& [name, value] : instance.counters) value *= 2;
  CHECK(bench.joules(whole, 10000).nominal == Approx(2 * bench.joules(half, 5000).nominal));
  CHECK(bench.joules(whole, 10000).high == Approx(2 * bench.joules(half, 5000).high));
}

TEST_CASE("A run that is cut anywhere adds up") {
  const Bench bench("isca19/shared");
  const std::vector<CountedInstance> whole = some_counts();
  for (const std::uint64_t tenths : {1, 3, 9}) {
    // Time is cut at one place, every other counter at one of its own.
    std::vector<CountedInstance> first = whole, rest = whole;
    std::uint64_t shift = tenths;
    for (std::size_t i = 0; i < whole.size(); ++i)
      for (auto& [name, value] : first[i].counters) {
        shift = shift % 10 + 1;
        value = whole[i].counters.at(name) * (name.find("cycles") != std::string::npos ? tenths : shift) / 10;
        rest[i].counters[name] -= value;
      }
    const double cycles = 500.0 * static_cast<double>(tenths);
    CHECK(bench.joules(first, cycles).nominal + bench.joules(rest, 5000 - cycles).nominal ==
          Approx(bench.joules(whole, 5000).nominal));
  }
}

TEST_CASE("More of any counter never costs less") {
  const Bench bench("isca19/shared");
  const power::Interval before = bench.joules(some_counts(), 5000);
  const std::vector<CountedInstance> counts = some_counts();
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (const auto& [name, value] : counts[i].counters) {
      std::vector<CountedInstance> more = counts;
      more[i].counters[name] += 7;
      const power::Interval after = bench.joules(more, 5000);
      INFO(more[i].name << "." << name);
      CHECK(after.low >= before.low * (1 - 1e-12));
      CHECK(after.nominal >= before.nominal * (1 - 1e-12));
      CHECK(after.high >= before.high * (1 - 1e-12));
    }
}

TEST_CASE("A gated router leaks nothing, and flits through its bypass cost nothing there") {
  const Bench bench("isca19/shared");
  const auto with = [&bench](std::uint64_t cycles, std::uint64_t flits) {
    const std::vector<CountedInstance> gated = {{"mcr[0]",
                                                 "router_stage",
                                                 {{"request_flits_in", 100},
                                                  {"request_flits_out", 100},
                                                  {"cycles", 1000},
                                                  {"gated_cycles", cycles},
                                                  {"request_gated_flits", flits}}}};
    power::Interval sum;
    for (const PartEnergy& part : energy_of(bench.machine, gated, 1000, hertz).parts)
      if (part.part.rfind("links", 0) != 0) sum += part.total();
    return sum.nominal;
  };
  CHECK(with(1000, 100) == 0);
  CHECK(with(500, 50) == Approx(with(0, 0) / 2));
}

// smr: 10 inputs, 8 outputs, 32 B, 1 VC of 8 flits; the request network of row 10 x 8 of the tool.
TEST_CASE("Flits, cycles and seconds of a router cost what its figures say") {
  const Bench bench("isca19/shared");
  const std::vector<CountedInstance> one = {
      {"smr[0]", "router_stage", {{"request_flits_in", 10}, {"request_flits_out", 8}, {"cycles", 1400}}}};
  const EnergyReport report = energy_of(bench.machine, one, 1400, hertz);  // 1 us
  const auto part = [&report](const std::string& name) {
    for (const PartEnergy& row : report.parts)
      if (row.part == name) return row;
    return PartEnergy{};
  };
  // Rows of tb/data/power: e_write 1.75088, e_read 1.30953, e_xbar 1.77286, e_clk 0.991377 pJ;
  // leakage 41.5265 mW
  CHECK(part("request buffers").dynamic.nominal ==
        Approx(1e-12 * (10 * 1.75088 + 8 * 1.30953)).epsilon(0.02));
  CHECK(part("request buffers").leakage.nominal == Approx(41.5265e-3 * 1e-6).epsilon(0.001));
  CHECK(part("request crossbar").dynamic.nominal == Approx(8e-12 * 1.77286).epsilon(0.02));
  CHECK(part("request clock tree").clock.nominal == Approx(1400e-12 * 0.991377).epsilon(0.03));
  // Links in: 10 flits through 8 squares of the chip, 24.6 / 2 / sqrt(8) = 4.35 mm, about 23.4 fJ a bit and
  // mm.
  CHECK(part("links in").dynamic.nominal == Approx(10 * 256 * 4.35 * 23.4e-15).epsilon(0.03));
  // To the other routers: they count it.
  CHECK(part("links out").part.empty());
}

TEST_CASE("Lookups, hits and fills of a cache cost what its figures say") {
  const Bench bench("isca19/shared");
  const power::SramPower& p = *bench.machine.group("llc[0]")->sram;
  const std::vector<CountedInstance> one = {{"llc[0]",
                                             "llc_slice",
                                             {{"accesses", 100},
                                              {"read_hits", 40},
                                              {"atomic_hits", 3},
                                              {"write_hits", 7},
                                              {"fills", 50},
                                              {"dirty_evictions", 5},
                                              {"flush_writes", 2},
                                              {"write_allocations", 4}}}};
  // tags: 100 + 50; reads: 40 + 3 + 5 + 2; writes: 50 + 7 + 3 + 4; a tag is part of what a read or write
  // costs
  const double nanojoules =
      150 * p.tags.nominal + 50 * (p.read.nominal - p.tags.nominal) + 64 * (p.write.nominal - p.tags.nominal);
  const double leaked = p.leakage.nominal * 1e-3 * 1e-6;  // mW over 1 us
  CHECK(bench.joules(one, 1400).nominal == Approx(1e-9 * nanojoules + leaked));
}

TEST_CASE("Instructions and cycles of SMs cost what its constants say") {
  const Bench bench("isca19/shared");
  const std::vector<CountedInstance> one = {{"sm[0]",
                                             "sm_cluster",
                                             {{"thread_instructions", 3200},
                                              {"alu_instructions", 60},
                                              {"sfu_instructions", 5},
                                              {"load_instructions", 20},
                                              {"read_only_load_instructions", 2},
                                              {"store_instructions", 9},
                                              {"atomic_instructions", 1},
                                              {"shared_load_instructions", 6},
                                              {"shared_store_instructions", 4},
                                              {"active_cycles", 1400}}}};
  const auto nominal = [&bench](const char* name) { return bench.table.value(name).nominal; };
  const double dynamic = 3200 * nominal("sm.thread") + 60 * nominal("sm.alu") + 5 * nominal("sm.sfu") +
                         32 * nominal("sm.address") + 10 * nominal("sm.shared");
  const double sms = bench.machine.group("sm[0]")->params.number("sms", 1);
  const double idle = (sms - 1) * nominal("sm.idle") + nominal("sm.active");  // one SM has CTAs all the time
  CHECK(bench.joules(one, 1400).nominal == Approx(1e-12 * dynamic + 1e-6 * idle));
}

TEST_CASE("Bytes and rows of a channel cost what its constants say") {
  const Bench bench("isca19/shared");
  const std::vector<CountedInstance> one = {
      {"ch[0]", "dram_channel", {{"activates", 10}, {"bytes_read", 100}, {"any_open_cycles", 924}}}};
  const EnergyReport report = energy_of(bench.machine, one, 2800, hertz);  // 2 us, one of them with open rows
  // 8 devices: rows 10 x 8 x 824.4 pJ; data 100 x 8 x 9.73 pJ; standby 8 x (91.5 + 90) mW x 1 us
  CHECK(report.total().nominal == Approx(65952e-12 + 7784e-12 + 1452e-9));
}

TEST_CASE("Modules without figures are listed, and counted with figures of their own") {
  Bench bench("isca19/shared");
  REQUIRE(bench.machine.uncounted.size() == 2);
  CHECK(bench.machine.uncounted[0] == "cta (cta_dispatcher): no figures");
  CHECK(bench.machine.uncounted[1] == "mc (memory_controller): no figures");
  bench.table.set("module.memory_controller.accepted", {power::exactly(5), "pJ", "a test", "chosen", {}});
  bench.table.set("module.memory_controller.static", {power::exactly(2), "mW", "a test", "chosen", {}});
  bench.table.set("module.memory_controller.area", {power::exactly(0.5), "mm2", "a test", "chosen", {}});
  const MachineModel machine(Netlist::load(find_platform("isca19/shared")).resolve(), bench.table, {});
  CHECK(machine.uncounted.size() == 1);
  const std::vector<CountedInstance> one = {{"mc[0]", "memory_controller", {{"accepted", 7}}}};
  CHECK(energy_of(machine, one, 1400, hertz).total().nominal == Approx(35e-12 + 2e-9));
  for (const PartArea& part : area_of(machine))
    if (part.name == "mc") CHECK(part.area.nominal == Approx(4));  // 8 of them
}

TEST_CASE("A cache that does not count its hits is named once") {
  const Bench bench("isca19/shared");
  const std::size_t before = bench.machine.uncounted.size();
  CHECK(energy_of(bench.machine, some_counts(), 5000, hertz).uncounted.size() == before);
  const std::vector<CountedInstance> silent = {{"llc[0]", "llc_slice", {{"accesses", 800}}},
                                               {"llc[1]", "llc_slice", {{"accesses", 700}}},
                                               {"l1[0]", "l1_private", {{"requests", 9}}}};
  const auto uncounted = energy_of(bench.machine, silent, 5000, hertz).uncounted;
  REQUIRE(uncounted.size() == before + 2);
  CHECK(uncounted[before] == "llc (llc_slice): does not count 'read_hits', its data are counted too low");
  CHECK(uncounted[before + 1] == "l1 (l1_private): does not count 'hits', its data are counted too low");
}

TEST_CASE("Links across the chip take half of its side, those of clusters less") {
  const Bench bench("isca19/shared");
  REQUIRE(bench.machine.plan.size() == 3);
  for (const LinkGroup& link : bench.machine.plan) {
    const bool across = bench.machine.groups[static_cast<std::size_t>(link.from)].name == "smr";
    CHECK(link.regions == (across ? 1 : 8));
    CHECK(link.length_mm == Approx(across ? 12.3 : 12.3 / std::sqrt(8.0)));
  }
}

// DC-L1 paper, section VIII: 3.3 mm in NoC#1, 12.3 mm in NoC#2.
TEST_CASE("Links have the length that a router states, between two routers that of the one that asks") {
  const auto lengths = [](const Netlist& netlist) {
    const power::Constants table = load_constants();
    const MachineModel machine(netlist.resolve(), table, {});
    std::map<std::string, double> found;
    for (const LinkGroup& link : machine.plan)
      found[machine.groups[static_cast<std::size_t>(link.from)].name + " " +
            machine.groups[static_cast<std::size_t>(link.to)].name] = link.length_mm;
    return found;
  };
  CHECK(lengths(Netlist::load(find_platform("hpca21/clustered_nodes"))) ==
        std::map<std::string, double>{{"sm n1", 3.3}, {"n1 node", 3.3}, {"node n2", 12.3}, {"n2 llc", 12.3}});
  const auto load = [](const std::vector<std::string>& settings) {
    return Netlist::load(find_platform("isca19/shared"), settings);
  };
  const auto between = [&](const std::vector<std::string>& settings) {
    return lengths(load(settings)).at("smr mcr");
  };
  CHECK(between({}) == Approx(12.3));  // the plan: half a side of the chip
  CHECK(between({"smr.link_mm=5", "mcr.link_mm=7"}) == 5);
  CHECK(between({"mcr.link_mm=7"}) == 7);
  // What a run writes down reads the same.
  CHECK_THAT(effective_configuration(load({"smr.link_mm=5.25"}).resolve()), tb::has_text("link_mm: 5.25\n"));
}

TEST_CASE("Lengths of links are numbers of mm, of routers") {
  const auto refused = [](const std::string& setting, const std::string& why) {
    CHECK_THROWS_WITH(Netlist::load(find_platform("isca19/shared"), {setting}).resolve(), tb::has_text(why));
  };
  refused("smr.link_mm=0", "smr.link_mm: '0' is out of range; allowed: 0.1 to 100 mm (nearest: 0.1)");
  refused("smr.link_mm=101", "allowed: 0.1 to 100 mm (nearest: 100)");
  refused("smr.link_mm=long", "smr.link_mm: 'long' is no number; allowed: 0.1 to 100 mm");
  refused("llc.link_mm=3", "llc.link_mm: '3' - llc is no router; allowed: at either end of a link");
}

// 8 sets of 16 ways with 19 bits of tag and 8 of routers, beside 8 counters of 16 bits: 432 and 16 bytes
// (ISCA 2019). 2 x 16 entries of a tag of 20 bits and 30 bits of groups, beside 86 counters (SelRep;
// docs/blocks/llc-predictors.md).
TEST_CASE("Predictors of an LLC control, and tags beyond those of a plain cache, take an area") {
  const auto added = [](const char* platform, const char* name) {
    const Bench bench(platform);
    std::map<std::string, double> areas;
    for (const PartArea& part : area_of(bench.machine))
      if (part.name == name) areas[part.part] = part.area.nominal;
    return areas;
  };
  const power::Constants table = load_constants();
  const auto area = [&table](double rows, double bits) {
    return Approx(power::small_array_power({rows, bits}, table).area.nominal);
  };
  const auto adaptive = added("isca19/adaptive", "ctl");
  REQUIRE(adaptive.size() == 2);
  CHECK(adaptive.at("auxiliary tag directory") == area(8, 16 * 27));
  CHECK(adaptive.at("counters of private slices") == area(1, 8 * 16));
  const auto selrep = added("selrep20/selrep", "ctl");
  REQUIRE(selrep.size() == 3);
  CHECK(selrep.at("replication degree directory") == area(2, 16 * (20 + 30)));
  CHECK(selrep.at("counters of slices, by degree") == area(1, 80 * 16));
  CHECK(added("hpca21/private_l1", "l1").size() == 1);  // a plain cache: data and tags
  CHECK(added("tsc16/baseline", "l1").at("tags beyond a plain cache's") ==
        Approx(15 * power::small_array_power({32, 4}, table).area.nominal));  // states of 4 sectors of a set
  CHECK(added("isca19/shared", "ctl").empty());
}

TEST_CASE("A hierarchical crossbar takes less than a full one") {
  const auto noc = [](const char* platform) {
    const Bench bench(platform);
    double sum = 0;
    for (const PartArea& part : area_of(bench.machine))
      if (part.group == EnergyGroup::noc) sum += part.area.nominal;
    return sum;
  };
  const double change = 100 * (noc("isca19/shared") / noc("isca19/full_crossbar") - 1);
  CHECK(change < -62);  // adaptive LLC paper, Figure 7b: 62 to 79 % less
  CHECK(change > -79);
}
