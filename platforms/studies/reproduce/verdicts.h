#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/studies/reproduce/run_figures.h"
#include "platforms/studies/reproduce/run_plan.h"

namespace strata::platforms {

/// Cost of the finished runs of a plan, whenever they ran.
struct ProcessorTime {
  std::size_t runs = 0;
  double seconds = 0;
};

/// The results of a plan's runs, each read on first use.
class Measurements {
 public:
  /// `constants`: of energies and areas; default: the shipped ones.
  Measurements(const Paper& paper, const RunPlan& plan, std::string folder);
  Measurements(const Paper& paper, const RunPlan& plan, std::string folder, power::Constants constants)
      : paper_(paper), plan_(plan), folder_(std::move(folder)), constants_(std::move(constants)) {}

  /// Null if the run was not planned or has not finished.
  const RunFigures* figures(const std::string& configuration, const std::string& workload,
                            std::uint64_t seed);
  /// The kernels of a run; empty if the results do not have them.
  const std::vector<KernelHistory>& history(const std::string& configuration, const std::string& workload,
                                            std::uint64_t seed);
  /// Decisions of a configuration by number of copies, over all seeds.
  std::map<std::uint64_t, std::size_t> degrees(const std::string& configuration, const std::string& workload);
  /// Value of a metric of a machine, which needs no run.
  std::optional<double> machine_value(const Metric& metric, const std::string& configuration,
                                      std::string& missing);
  /// Value of a metric; `missing` gives the reason if there is none.
  std::optional<double> value(const std::string& metric, const std::string& configuration,
                              const std::string& workload, std::uint64_t seed, std::string& missing);
  /// Mean over the seeds.
  std::optional<double> mean_value(const std::string& metric, const std::string& configuration,
                                   const std::string& workload, std::string& missing);
  ProcessorTime processor_time();
  const Paper& paper() const { return paper_; }
  const RunPlan& plan() const { return plan_; }
  const std::string& folder() const { return folder_; }
  const power::Constants& constants() const { return constants_; }

 private:
  /// STP of programs side by side.
  std::optional<double> throughput(const RunFigures& together, const std::string& alone,
                                   const PaperWorkload& pair, std::uint64_t seed, std::string& missing);

  const Paper& paper_;
  const RunPlan& plan_;
  std::string folder_;
  power::Constants constants_;
  std::map<std::string, std::unique_ptr<RunFigures>> read_;
  std::map<std::string, RunFigures> machines_;                   // by configuration and technology
  std::map<std::string, std::vector<KernelHistory>> histories_;  // by directory
};

enum class Verdict : int { within, same_sign, miss, not_run };
std::string to_text(Verdict verdict);

/// Mean cycles of a load by row of the ledger in two configurations.
struct LedgerDifference {
  std::string row;   ///< "noc.request_queue"
  std::string role;  ///< role of the blocks at that place
  double to = 0, of = 0;
};

struct LedgerEvidence {
  double to = 0, of = 0;               ///< mean latency of a load
  std::vector<LedgerDifference> rows;  ///< the largest difference first
};

/// A claim's figure with one family of constants at their low and at their high values.
struct ConstantEvidence {
  std::string family;
  double low = 0, high = 0;
};

struct ClaimResult {
  const Claim* claim = nullptr;
  Verdict verdict = Verdict::not_run;
  std::string reason;  ///< reason for not_run
  double model = 0;
  double least = 0, most = 0;                          ///< over the seeds
  std::vector<std::pair<std::string, double>> values;  ///< by workload, mean over the seeds
  std::optional<LedgerEvidence> evidence;              ///< for misses
  std::vector<ConstantEvidence> constants;  ///< for claims about energy or area outside their tolerance
};

struct OrderResult {
  const Order* order = nullptr;
  Verdict verdict = Verdict::not_run;
  std::string reason;
  std::vector<double> values;
};

ClaimResult judge(const Claim& claim, Measurements& measurements);
OrderResult judge(const Order& order, const std::vector<ClaimResult>& claims, Measurements& measurements);

/// For loads, with equal weight for each workload, over the plan's seeds; empty if nothing was measured.
std::optional<LedgerEvidence> ledger_evidence(const std::string& of, const std::string& to,
                                              const std::vector<std::string>& workloads,
                                              Measurements& measurements);

}  // namespace strata::platforms
