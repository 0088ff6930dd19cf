#include "tb/contract/contract.h"

#include "tb/contract/cases.h"
#include "tb/contract/declarations.h"
#include "tb/contract/externals.h"

namespace strata::contract {
namespace {

constexpr std::size_t enough_findings = 60;  // what runs after so many says nothing new

class List {
 public:
  List(const ModuleKind& kind, const ModuleTable& modules, const Budget& budget)
      : kind_(kind), modules_(modules), budget_(budget) {}

  Verdict run() {
    const std::vector<Case> plain = plain_cases(kind_);
    add(check_declarations(kind_, plain.front(), modules_, budget_.docs), "");
    for (const Case& one : plain) run_twice([&] { return one; });
    for (const Case& one : stopped_cases(kind_)) run_twice([&] { return one; });
    for (const ExternalCase& one : external_cases(kind_)) {
      ++verdict_.runs;
      add(run_among_externals(kind_, one), to_text(one) + ": ");
    }
    ParameterReport parameters = try_parameters(kind_, small_case(plain.front()), modules_);
    add(parameters.findings, "");
    verdict_.values = parameters.values;
    for (const Case& one : parameters.allowed) run_once([&] { return one; }, {});
    for (int i = 0; i < budget_.drawn; ++i) draw(i);
    return std::move(verdict_);
  }

 private:
  void add(const Findings& findings, const std::string& where) {
    for (const Finding& finding : findings)
      verdict_.findings.push_back({finding.check, where + finding.text});
  }
  using Make = std::function<Case()>;

  RunResult run_once(const Make& make, const RunOptions& options) {
    if (verdict_.findings.size() >= enough_findings) return {};
    RunResult result = run_case(kind_, make, modules_, options);
    ++verdict_.runs;
    if (!result.refused.empty()) ++verdict_.refused;
    add(result.findings, result.about + ": ");
    return result;
  }
  /// Neither the checker nor how often the time series is sampled may matter, nor that it is another process.
  void run_twice(const Make& make) {
    const RunResult first = run_once(make, {});
    if (first.digest.empty() || !first.findings.empty()) return;
    const RunResult second = run_once(make, {false, 137});
    if (first.digest == second.digest) return;
    const RunResult again = run_once(make, {});
    const bool repeated = again.digest != first.digest;
    add({{"digest",
          std::string("another digest ") +
              (repeated ? "when it is repeated" : "without the protocol checker and with another epoch") +
              ": " + first.digest + ", then " + (repeated ? again.digest : second.digest)}},
        first.about + ": ");
  }
  void draw(int number) {
    const Make make = [&] {
      return drawn_case(kind_, modules_, budget_.seed, static_cast<std::uint64_t>(number));
    };
    if (number % 3 == 0)
      run_twice(make);
    else
      run_once(make, {});
  }

  const ModuleKind& kind_;
  const ModuleTable& modules_;
  const Budget& budget_;
  Verdict verdict_;
};

}  // namespace

Verdict check_contract(const ModuleKind& kind, const ModuleTable& modules, const Budget& budget) {
  try {
    return List(kind, modules, budget).run();
  } catch (const CannotSurround& error) {
    Verdict verdict;
    verdict.findings.push_back({"test_bench", error.what()});
    return verdict;
  }
}

}  // namespace strata::contract
