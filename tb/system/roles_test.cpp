// Figures follow the roles that modules declare: whose module it is, and what it is called, makes no
// difference.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "platforms/netlist/data_folders.h"
#include "platforms/page/page_machine.h"
#include "platforms/probe/probes.h"
#include "platforms/report/hop_laws.h"
#include "platforms/report/summary.h"
#include "platforms/session/exit_codes.h"
#include "platforms/session/session.h"
#include "tb/support/catch.h"
#include "tb/support/faulty_slice.h"
#include "traces/open.h"

using namespace strata;
using namespace strata::platforms;
using strata::tb::has_text;

namespace {

/// The module `name` as a stranger would offer it.
ModuleKind renamed(std::string_view name, std::string_view to) {
  ModuleKind kind = *find_module(built_in_modules(), name);
  kind.name = to;
  return kind;
}

struct Ending : RunOutcome {
  Summary summary;
  Faults hops;
};

Ending run_tiny(const std::vector<std::string>& sets, const ModuleTable& modules) {
  Platform platform(Netlist::load(find_platform("tiny"), sets, modules), {1, false});
  const auto source = traces::open_trace("synthetic:random:loads=8,ctas=2,warps=2");
  Session session(platform, *source, {});
  platform.finish_elaboration();
  Ending ending;
  static_cast<RunOutcome&>(ending) = session.run();
  const std::vector<InstanceStats> tables = read_stats(platform);
  ending.summary = summarize(tables, read_ledger(platform), ending.cycles, {});
  ending.hops = check_hops(platform.netlist(), tables);
  return ending;
}

}  // namespace

// 2 CTAs x 2 warps x 8 loads = 32 line accesses, in the L1s of a stranger as in ours.
TEST_CASE("A module of another name with the role l1 has L1 figures and hop laws") {
  const ModuleKind mine = renamed("l1_private", "mine");
  ModuleTable modules = built_in_modules();
  modules.push_back(&mine);
  const Ending ending = run_tiny({"l1.module=mine"}, modules);
  CHECK(ending.exit_code == exit_ok);
  CHECK(ending.hops.empty());
  CHECK(gaps(ending.summary).empty());
  CHECK(ending.summary.find("l1_accesses")->count == 32);
  CHECK(ending.summary.find("l1_hits")->count + ending.summary.find("l1_merges")->count +
            ending.summary.find("l1_misses")->count ==
        32);
}

TEST_CASE("A module that takes a role without counting what it asks for is named with the counter") {
  ModuleKind silent = tb::faulty_slice_kind();
  silent.role = Role::llc;
  ModuleTable modules = built_in_modules();
  modules.push_back(&silent);
  const Ending ending = run_tiny({"llc.module=faulty_slice", "llc.fault=none"}, modules);
  CHECK(ending.exit_code == exit_ok);
  std::string text;
  for (const std::string& gap : gaps(ending.summary)) text += gap + "\n";
  CHECK_THAT(text, has_text("the module faulty_slice does not count 'hits', hence no llc_hits"));
  CHECK_FALSE(ending.summary.find("llc_hits")->absent.empty());
  CHECK(ending.summary.find("l1_accesses")->count == 32);
}

// Nodes of DC-L1 have other parameters than L1s of an SM: what both are is their role and their port.
TEST_CASE("What has the role l1 and a port is probed as an L1") {
  const ResolvedNetlist netlist =
      Netlist::load(find_platform("hpca21/shared_nodes"), {"node.port_cycles=2"}).resolve();
  const std::vector<Probe> probes = probes_of(netlist);
  const auto named = [&](std::string_view name) {
    return std::find_if(probes.begin(), probes.end(), [&](const Probe& probe) { return probe.name == name; });
  };
  REQUIRE(named("latency.l1") != probes.end());
  REQUIRE(named("bandwidth.l1") != probes.end());
  CHECK(named("bandwidth.l1")->peak == 128.0 / 2);
}

// Of the two ends of a link, 24 B and 64 B wide, the narrower one counts; one that says nothing does not.
TEST_CASE("A page shows the width of links that any module declares") {
  ModuleKind mine = *find_module(built_in_modules(), "l1_private");
  mine.name = "mine";
  mine.resources = [](const ParamSet&) {
    Resource links{"links", "towards the LLC", Resource::Kind::rate, 1, {{"requests_to_llc"}}};
    links.bytes = 24;
    links.sockets = "noc";
    return Resources{links};
  };
  ModuleTable modules = built_in_modules();
  modules.push_back(&mine);
  const auto peak = [&](const std::string& module) {
    const auto netlist =
        Netlist::load(find_platform("tiny"), {"l1.module=" + module, "rtr.channel_bytes=64"}, modules);
    const auto empty = nlohmann::ordered_json::object();
    const nlohmann::ordered_json stats = {
        {"instances", empty}, {"summary", empty}, {"ledger_places", empty}, {"ledger", empty}};
    const nlohmann::ordered_json machine = page_machine(netlist.resolve(), stats);
    for (const auto& link : machine["links"])
      if (link["out"] == "noc") return link["peak"].get<double>();
    return 0.0;
  };
  CHECK(peak("mine") == 24);
  CHECK(peak("l1_private") == 64);
}
