#include "platforms/studies/reproduce/constant_evidence.h"

#include <algorithm>
#include <cmath>

#include "platforms/studies/energy/energy_figures.h"

namespace strata::platforms {
namespace {

constexpr double shown = 0.05;  // percent or points: smaller effects on a claim are left out

double of_case(const power::Interval& value, bool high) {
  return high ? value.high : value.low;
}

/// All constants at their nominal values, except those whose names begin with `family`.
power::Constants with_case(const power::Constants& constants, const std::string& family, bool high) {
  power::Constants changed = constants;
  for (const auto& [name, constant] : constants.rows()) {
    power::Constant row = constant;
    const bool in_family = name.compare(0, family.size(), family) == 0;
    row.value = power::exactly(in_family ? of_case(row.value, high) : row.value.nominal);
    changed.set(name, row);
  }
  return changed;
}

/// Families of constants that a claim may depend on: the first words of their names.
const std::vector<std::pair<std::string, std::string>>& families() {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"all constants", ""},   {"routers", "router."}, {"links", "link."}, {"SRAMs", "sram_"},
      {"ports of L1s", "l1."}, {"DRAM", "dram."},      {"SMs", "sm."},     {"technology", "technology."}};
  return all;
}

}  // namespace

bool stands_on_constants(const Claim& claim, const Paper& paper) {
  const Metric* metric = paper.metric(claim.metric);
  if (metric == nullptr) return false;
  const std::vector<std::string> names = energy_figure_names();
  const auto known = [&names](const std::string& word) {
    return word != "energy.seconds" && word != "tags.storage" &&
           std::find(names.begin(), names.end(), word) != names.end();
  };
  return std::any_of(metric->over.begin(), metric->over.end(), known) ||
         std::any_of(metric->under.begin(), metric->under.end(), known);
}

void trace_to_constants(std::vector<ClaimResult>& results, Measurements& measurements) {
  std::vector<ClaimResult*> wanted;
  for (ClaimResult& result : results)
    if ((result.verdict == Verdict::miss || result.verdict == Verdict::same_sign) &&
        stands_on_constants(*result.claim, measurements.paper()))
      wanted.push_back(&result);
  if (wanted.empty()) return;
  for (const auto& [family, prefix] : families()) {
    Measurements low(measurements.paper(), measurements.plan(), measurements.folder(),
                     with_case(measurements.constants(), prefix, false));
    Measurements high(measurements.paper(), measurements.plan(), measurements.folder(),
                      with_case(measurements.constants(), prefix, true));
    for (ClaimResult* result : wanted) {
      const ConstantEvidence evidence{family, judge(*result->claim, low).model,
                                      judge(*result->claim, high).model};
      if (prefix.empty() || std::abs(evidence.low - result->model) >= shown ||
          std::abs(evidence.high - result->model) >= shown)
        result->constants.push_back(evidence);
    }
  }
}

}  // namespace strata::platforms
