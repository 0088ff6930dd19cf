// Figures follow the roles that modules declare: whose module it is, and what it is called, makes no
// difference.
#include "platforms/netlist/data_folders.h"
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
