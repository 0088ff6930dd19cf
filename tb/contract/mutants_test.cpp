// The list can fail: each module with a fault is found out, and the finding says what the fault is.
#include "tb/contract/mutants.h"

#include <algorithm>

#include "tb/contract/contract.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::contract;

namespace {

Verdict verdict_of(const ModuleKind& kind) {
  ModuleTable modules = platforms::built_in_modules();
  modules.push_back(&kind);
  return check_contract(kind, modules, {1, 3, {}});
}

bool says(const Verdict& verdict, const std::string& check, const std::string& text) {
  return std::any_of(verdict.findings.begin(), verdict.findings.end(), [&](const Finding& finding) {
    return finding.check == check && finding.text.find(text) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("each mutant is found out by the check that is meant for its fault, and a sound module by none") {
  for (const Mutant& mutant : mutants()) {
    const Verdict verdict = verdict_of(*mutant.kind);
    std::string all;
    for (const Finding& finding : verdict.findings) all += finding.check + ": " + finding.text + "\n";
    INFO(mutant.kind->name << ": " << verdict.findings.size() << " findings in " << verdict.runs << " runs\n"
                           << all);
    CHECK(verdict.runs > 15);
    if (mutant.check.empty())
      CHECK(verdict.findings.empty());
    else
      CHECK(says(verdict, mutant.check, mutant.says));
  }
}

TEST_CASE("a module that the harness cannot surround is a failure that says what to add") {
  ModuleKind kind = *platforms::find_module(platforms::built_in_modules(), "l1_private");
  kind.name = "external module";
  kind.role = Role::none;
  CHECK(says(verdict_of(kind), "test_bench", "'external module' has no role"));
  kind.role = Role::llc;
  kind.ports = [](const ParamSet&) -> std::vector<PortSpec> {
    return {{"mem", PortRole::initiator, 1, false, "tlm", "to memory", {{"misses"}, {"fills"}}}};
  };
  CHECK(says(verdict_of(kind), "test_bench", "the role 'llc' but no target socket"));
  kind.ports = [](const ParamSet&) -> std::vector<PortSpec> {
    return {{"noc", PortRole::target, 1, false, "tlm", "requests", {{"accesses"}, {"replies"}}},
            {"power", PortRole::control_in, 1, false, "PowerIf", "on and off"}};
  };
  CHECK(says(verdict_of(kind), "test_bench", "protocol 'PowerIf', has to be bound, and no neighbour"));
}
