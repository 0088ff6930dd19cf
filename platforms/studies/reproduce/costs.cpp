#include "platforms/studies/reproduce/costs.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/common/text.h"
#include "platforms/studies/energy/machine_figures.h"

namespace strata::platforms {
namespace {

/// Mean changes over workloads and seeds, in percent.
struct Cost {
  double ipc = 0, energy = 0, per_watt = 0, delay = 0;
};

/// Change in percent, or the logarithm for a geometric mean.
double change(ClaimMean mean, double of, double to) {
  return mean == ClaimMean::geometric ? std::log(of / to) : 100 * (of / to - 1);
}

/// Joules and seconds per instruction; false if the run does not report them.
bool for_an_instruction(const RunFigures* figures, double& joules, double& seconds) {
  if (figures == nullptr) return false;
  const auto energy = figures->values.find("energy.total"), time = figures->values.find("energy.seconds"),
             work = figures->values.find("thread_instructions");
  if (energy == figures->values.end() || work == figures->values.end() || work->second == 0) return false;
  joules = energy->second / work->second;
  seconds = time->second / work->second;
  return joules > 0 && seconds > 0;
}

bool cost_of(const Claim& claim, Measurements& measurements, Cost& cost) {
  double runs = 0;
  for (const std::uint64_t seed : measurements.plan().seeds_of(claim.figures))
    for (const std::string& workload : claim.on) {
      double of_joules, of_seconds, to_joules, to_seconds;
      const RunFigures* of = measurements.figures(claim.of, workload, seed);
      const RunFigures* to = measurements.figures(claim.to, workload, seed);
      if (!for_an_instruction(of, of_joules, of_seconds) || !for_an_instruction(to, to_joules, to_seconds))
        return false;
      ++runs;
      cost.ipc += change(claim.mean, of->values.at("ipc"), to->values.at("ipc"));
      cost.energy += change(claim.mean, of_joules, to_joules);
      cost.per_watt +=
          change(claim.mean, to_joules, of_joules);  // IPC over joules per second: instructions over joules
      cost.delay += change(claim.mean, of_joules * of_seconds, to_joules * to_seconds);
    }
  if (runs == 0) return false;
  for (double* sum : {&cost.ipc, &cost.energy, &cost.per_watt, &cost.delay}) {
    *sum /= runs;
    if (claim.mean == ClaimMean::geometric) *sum = 100 * std::expm1(*sum);
  }
  return true;
}

std::string cell(double value) {
  return formatted(" %+.1f %% |", value);
}

std::string group_name(const std::vector<std::string>& workloads, const Paper& paper) {
  for (const WorkloadGroup& group : paper.groups)
    if (group.workloads == workloads) return group.label;
  if (workloads.size() > 4) return std::to_string(workloads.size()) + " workloads";
  std::vector<std::string> labels;
  for (const std::string& workload : workloads) labels.push_back(paper.workload(workload)->label);
  return comma_list(labels);
}

}  // namespace

std::string costs_section(const std::vector<ClaimResult>& claims, Measurements& measurements) {
  const Paper& paper = measurements.paper();
  std::string rows;
  std::set<std::string> told;
  for (const ClaimResult& result : claims) {
    const Claim& claim = *result.claim;
    const Metric* metric = paper.metric(claim.metric);
    if (result.verdict == Verdict::not_run || claim.kind != ClaimKind::percent ||
        metric->over != std::vector<std::string>{"ipc"} || !metric->under.empty())
      continue;
    const std::string row = "| " + claim.of + " | " + claim.to + " | " + group_name(claim.on, paper) + " |";
    Cost cost;
    if (told.insert(row).second && cost_of(claim, measurements, cost))
      rows += row + cell(cost.ipc) + cell(cost.energy) + cell(cost.per_watt) + cell(cost.delay) + "\n";
  }
  if (rows.empty()) return "";
  return "## What it costs\n\nOf the same runs, with the constants of [energy and "
         "area](../methods/energy-and-area.md): changes, means over the "
         "workloads.\n\n| of | against | on | IPC | energy for an instruction | IPC/W | energy x delay |\n"
         "| --- | --- | --- | --- | --- | --- | --- |\n" +
         rows + "\n";
}

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
