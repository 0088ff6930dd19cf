#include "platforms/studies/reproduce/verdicts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "models/common/ledger_places.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/studies/energy/machine_figures.h"
#include "platforms/studies/energy/machine_model.h"
#include "platforms/studies/reproduce/throughput.h"

namespace strata::platforms {
namespace {

double compared(ClaimKind kind, double of, double to) {
  switch (kind) {
    case ClaimKind::percent:
      return 100 * (of / to - 1);
    case ClaimKind::points:
      return 100 * (of - to);
    case ClaimKind::share:
      return 100 * of;
    case ClaimKind::difference:
      return of - to;
    default:
      return of;
  }
}

double summary_of(ClaimMean mean, const std::vector<double>& values) {
  if (mean == ClaimMean::most) return *std::max_element(values.begin(), values.end());
  if (mean == ClaimMean::least) return *std::min_element(values.begin(), values.end());
  if (mean == ClaimMean::above || mean == ClaimMean::below) {
    const double side = mean == ClaimMean::above ? 1 : -1;
    return static_cast<double>(
        std::count_if(values.begin(), values.end(), [=](double value) { return value * side > 0; }));
  }
  const bool geometric = mean == ClaimMean::geometric;
  double sum = 0;
  for (const double value : values) sum += geometric ? std::log1p(value / 100) : value;
  sum /= static_cast<double>(values.size());
  return geometric ? 100 * std::expm1(sum) : sum;
}

/// The claim's figure for each workload with one seed; empty, with the reason, if a run is missing.
std::vector<double> with_seed(const Claim& claim, std::uint64_t seed, Measurements& measurements,
                              std::string& missing) {
  std::vector<double> values;
  const Metric& metric = *measurements.paper().metric(claim.metric);
  const auto value = [&](const std::string& configuration, const std::string& workload) {
    return metric.of_machine ? measurements.machine_value(metric, configuration, missing)
                             : measurements.value(claim.metric, configuration, workload, seed, missing);
  };
  const std::vector<std::string> machine{""};
  for (const std::string& workload : metric.of_machine ? machine : claim.on) {
    const auto of = value(claim.of, workload);
    std::optional<double> to = 1.0;
    if (of && claim.compares()) to = value(claim.to, workload);
    if (!of || !to) return {};
    if (claim.kind == ClaimKind::percent && *to == 0) {
      missing = claim.metric + " of " + claim.to + ", " + workload + " is 0";
      return {};
    }
    values.push_back(compared(claim.kind, *of, *to));
  }
  return values;
}

Verdict verdict_of(const Claim& claim, double model) {
  // Percent or points: the sign of a smaller value has no meaning.
  const double nothing = claim.kind == ClaimKind::difference ? 0 : 1;
  if (claim.printed && std::abs(model - claim.paper) <= claim.tolerance) return Verdict::within;
  const bool same = claim.paper * model > 0 && (!claim.printed || std::abs(model) >= nothing);
  if (claim.printed && (claim.counts() || !claim.compares()))
    return Verdict::miss;  // shares and counts are never negative
  if (!claim.printed) return same ? Verdict::within : Verdict::miss;
  return same ? Verdict::same_sign : Verdict::miss;
}

std::string why_not(const Claim& claim, const Paper& paper) {
  if (!claim.awaits.empty()) return claim.awaits;
  if (const std::string& awaits = paper.metric(claim.metric)->awaits; !awaits.empty()) return awaits;
  const std::string of = awaited_by(paper, claim.of);
  return of.empty() && claim.compares() ? awaited_by(paper, claim.to) : of;
}

/// Mean cycles of a load by row of the ledger, with the role of each, over workloads and seeds with equal
/// weight.
bool add_ledgers(const std::string& configuration, const std::vector<std::string>& workloads,
                 Measurements& measurements, double LedgerDifference::*side,
                 std::map<std::string, LedgerDifference>& rows, double& latency) {
  double runs = 0;
  for (const std::string& workload : workloads)
    for (const std::uint64_t seed : measurements.plan().seeds()) {
      const RunFigures* figures = measurements.figures(configuration, workload, seed);
      if (figures == nullptr || figures->loads == 0) continue;
      ++runs;
      latency += figures->latency / figures->loads;
      for (const auto& [name, cycles] : figures->places) {
        LedgerDifference& row = rows[name];
        const auto role = figures->roles.find(split_place(name).place);
        if (role != figures->roles.end()) row.role = role->second;
        row.*side += cycles / figures->loads;
      }
    }
  if (runs == 0) return false;
  latency /= runs;
  for (auto& [name, row] : rows) row.*side /= runs;
  return true;
}

}  // namespace

Measurements::Measurements(const Paper& paper, const RunPlan& plan, std::string folder)
    : Measurements(paper, plan, std::move(folder), load_constants()) {}

std::optional<double> Measurements::machine_value(const Metric& metric, const std::string& configuration,
                                                  std::string& missing) {
  const std::string key = configuration + " " + std::to_string(metric.nanometres);
  auto [at, fresh] = machines_.try_emplace(key);
  if (fresh) {
    const MachineFiles machine = plan_.machine(configuration);
    std::vector<std::string> files;
    for (const std::string& file : machine.files) files.push_back(find_platform(file));
    const ResolvedNetlist netlist = Netlist::load(files, machine.sets).resolve();
    power::Technology technology;
    technology.nanometres = metric.nanometres;
    const MachineModel model(netlist, constants_, technology);
    for (const auto& [name, value] : machine_figures(netlist, model)) at->second.values[name] = value.nominal;
  }
  return value_of(metric, at->second, missing);
}

const RunFigures* Measurements::figures(const std::string& configuration, const std::string& workload,
                                        std::uint64_t seed) {
  const std::vector<std::string> members = members_of(paper_, configuration);
  if (members.size() > 1 || members.front() != configuration) {
    const RunFigures* best = nullptr;
    for (const std::string& member : members) {
      const RunFigures* one = figures(member, workload, seed);
      if (one == nullptr) return nullptr;  // the best of all, not of some
      if (best == nullptr || one->values.at("ipc") > best->values.at("ipc")) best = one;
    }
    return best;
  }
  const RunSpec* run = plan_.find(configuration, workload, seed);
  if (run == nullptr) return nullptr;
  const std::string directory = folder_ + "/" + run->folder();
  auto [at, fresh] = read_.try_emplace(directory);
  if (fresh && is_finished(directory))
    at->second = std::make_unique<RunFigures>(read_figures(directory, constants_));
  return at->second.get();
}

const std::vector<KernelHistory>& Measurements::history(const std::string& configuration,
                                                        const std::string& workload, std::uint64_t seed) {
  static const std::vector<KernelHistory> none;
  const RunSpec* run = plan_.find(configuration, workload, seed);
  if (run == nullptr) return none;
  const std::string directory = folder_ + "/" + run->folder();
  auto [at, fresh] = histories_.try_emplace(directory);
  if (fresh) at->second = read_history(directory);
  return at->second;
}

std::map<std::uint64_t, std::size_t> Measurements::degrees(const std::string& configuration,
                                                           const std::string& workload) {
  std::map<std::uint64_t, std::size_t> all;
  for (const std::uint64_t seed : plan_.seeds())
    if (const RunSpec* run = plan_.find(configuration, workload, seed); run != nullptr)
      for (const auto& [degree, count] : read_degrees(folder_ + "/" + run->folder())) all[degree] += count;
  return all;
}

ProcessorTime Measurements::processor_time() {
  ProcessorTime time;
  for (const RunSpec& run : plan_.runs()) {
    const RunFigures* some = figures(run.configuration, run.workload, run.seed);
    if (some == nullptr) continue;
    ++time.runs;
    auto at = some->values.find("process_cpu_seconds");
    if (at == some->values.end()) at = some->values.find("cpu_seconds");  // written by an older program
    if (at != some->values.end()) time.seconds += at->second;
  }
  return time;
}

std::optional<double> Measurements::value(const std::string& metric, const std::string& configuration,
                                          const std::string& workload, std::uint64_t seed,
                                          std::string& missing) {
  const RunFigures* some = figures(configuration, workload, seed);
  if (some == nullptr) {
    missing = "no finished run of " + configuration + ", " + workload + ", seed " + std::to_string(seed);
    return std::nullopt;
  }
  const Metric& wanted = *paper_.metric(metric);
  if (wanted.alone.empty()) return value_of(wanted, *some, missing);
  return throughput(*some, wanted.alone, *paper_.workload(workload), seed, missing);
}

std::optional<double> Measurements::throughput(const RunFigures& together, const std::string& alone,
                                               const PaperWorkload& pair, std::uint64_t seed,
                                               std::string& missing) {
  if (pair.programs.empty() || together.applications.size() != pair.programs.size()) {
    missing = pair.name + " runs no programs side by side";
    return std::nullopt;
  }
  std::vector<Progress> programs;
  for (std::size_t i = 0; i < pair.programs.size(); ++i) {
    const RunFigures* solo = figures(alone, pair.programs[i], seed);
    if (solo == nullptr) {
      missing = "no finished run of " + alone + ", " + pair.programs[i] + ", seed " + std::to_string(seed);
      return std::nullopt;
    }
    programs.push_back({pair.programs[i], solo->values.at("ipc"), together.applications[i]});
  }
  return system_throughput(programs);
}

std::optional<double> Measurements::mean_value(const std::string& metric, const std::string& configuration,
                                               const std::string& workload, std::string& missing) {
  double sum = 0;
  for (const std::uint64_t seed : plan_.seeds()) {
    const auto one = value(metric, configuration, workload, seed, missing);
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum / static_cast<double>(plan_.seeds().size());
}

std::string to_text(Verdict verdict) {
  static constexpr Named<Verdict> names[] = {{Verdict::within, "within tolerance"},
                                             {Verdict::same_sign, "same sign"},
                                             {Verdict::miss, "miss"},
                                             {Verdict::not_run, "not run"}};
  static_assert(names_all(names, Verdict::not_run));
  return std::string(row_of_value(names, verdict).name);
}

std::optional<LedgerEvidence> ledger_evidence(const std::string& of, const std::string& to,
                                              const std::vector<std::string>& workloads,
                                              Measurements& measurements) {
  LedgerEvidence evidence;
  std::map<std::string, LedgerDifference> rows;
  if (!add_ledgers(of, workloads, measurements, &LedgerDifference::of, rows, evidence.of) ||
      !add_ledgers(to, workloads, measurements, &LedgerDifference::to, rows, evidence.to))
    return std::nullopt;
  for (auto& [name, row] : rows) {
    row.row = name;
    evidence.rows.push_back(row);
  }
  std::stable_sort(evidence.rows.begin(), evidence.rows.end(),
                   [](const LedgerDifference& a, const LedgerDifference& b) {
                     return std::abs(a.of - a.to) > std::abs(b.of - b.to);
                   });
  return evidence;
}

ClaimResult judge(const Claim& claim, Measurements& measurements) {
  ClaimResult result;
  result.claim = &claim;
  result.reason = why_not(claim, measurements.paper());
  if (!result.reason.empty()) return result;
  std::vector<double> means(std::max<std::size_t>(1, claim.on.size()), 0.0);
  std::vector<double> by_seed;
  const auto& seeds = measurements.plan().seeds_of(claim.figures);
  for (const std::uint64_t seed : seeds) {
    const std::vector<double> values = with_seed(claim, seed, measurements, result.reason);
    if (values.empty()) return result;
    by_seed.push_back(summary_of(claim.mean, values));
    for (std::size_t i = 0; i < values.size(); ++i) means[i] += values[i] / static_cast<double>(seeds.size());
  }
  result.model = summary_of(claim.mean, means);
  result.least = *std::min_element(by_seed.begin(), by_seed.end());
  result.most = *std::max_element(by_seed.begin(), by_seed.end());
  for (std::size_t i = 0; i < claim.on.size(); ++i) result.values.emplace_back(claim.on[i], means[i]);
  result.verdict = verdict_of(claim, result.model);
  if (result.verdict == Verdict::miss && claim.compares() && !claim.on.empty())
    result.evidence = ledger_evidence(claim.of, claim.to, claim.on, measurements);
  return result;
}

OrderResult judge(const Order& order, const std::vector<ClaimResult>& claims, Measurements& measurements) {
  OrderResult result;
  result.order = &order;
  for (const WorkloadGroup& step : order.steps) {
    double sum = 0;
    for (const std::string& workload : step.workloads) {
      const auto value = measurements.mean_value(order.metric, order.of, workload, result.reason);
      if (!value) return result;
      sum += *value;
    }
    result.values.push_back(sum / static_cast<double>(step.workloads.size()));
  }
  for (const std::string& name : order.claims) {
    const auto at = std::find_if(claims.begin(), claims.end(),
                                 [&](const ClaimResult& one) { return one.claim->name == name; });
    if (at == claims.end() || at->verdict == Verdict::not_run) {
      result.reason = at == claims.end() ? name + " was not looked at" : at->reason;
      return result;
    }
    result.values.push_back(at->model);
  }
  const auto& values = result.values;
  const bool holds = order.falling ? std::is_sorted(values.rbegin(), values.rend())
                                   : std::is_sorted(values.begin(), values.end());
  result.verdict = holds ? Verdict::within : Verdict::miss;
  return result;
}

}  // namespace strata::platforms
