#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/reproduce/run_figures.h"
#include "platforms/reproduce/run_history.h"
#include "platforms/reproduce/run_plan.h"

namespace strata::platforms {

/// What the finished runs of a plan took, whenever they ran.
struct ProcessorTime {
  std::size_t runs = 0;
  double seconds = 0;
};

/// The results of a plan's runs, each read when it is first asked for.
class Measurements {
 public:
  Measurements(const Paper& paper, const RunPlan& plan, std::string folder)
      : paper_(paper), plan_(plan), folder_(std::move(folder)) {}

  /// Null when that run was not planned or has not finished.
  const RunFigures* figures(const std::string& configuration, const std::string& workload,
                            std::uint64_t seed);
  /// Its kernels; empty when the results do not say.
  const std::vector<KernelHistory>& history(const std::string& configuration, const std::string& workload,
                                            std::uint64_t seed);
  /// Its decisions by the number of copies chosen, over all seeds.
  std::map<std::uint64_t, std::size_t> degrees(const std::string& configuration, const std::string& workload);
  /// Value of a metric; `missing` says why there is none.
  std::optional<double> value(const std::string& metric, const std::string& configuration,
                              const std::string& workload, std::uint64_t seed, std::string& missing);
  /// Mean over the seeds.
  std::optional<double> mean_value(const std::string& metric, const std::string& configuration,
                                   const std::string& workload, std::string& missing);
  ProcessorTime processor_time();
  const Paper& paper() const { return paper_; }
  const RunPlan& plan() const { return plan_; }

 private:
  /// STP of programs side by side.
  std::optional<double> throughput(const RunFigures& together, const std::string& alone,
                                   const PaperWorkload& pair, std::uint64_t seed, std::string& missing);

  const Paper& paper_;
  const RunPlan& plan_;
  std::string folder_;
  std::map<std::string, std::unique_ptr<RunFigures>> read_;
  std::map<std::string, std::vector<KernelHistory>> histories_;  // by directory
};

enum class Verdict : int { within, same_sign, miss, not_run };
std::string to_text(Verdict verdict);

/// Mean cycles of a load by row of the ledger in two configurations.
struct LedgerDifference {
  std::string row;   ///< "noc.request_queue"
  std::string role;  ///< of the blocks at that place
  double to = 0, of = 0;
};

struct LedgerEvidence {
  double to = 0, of = 0;               ///< mean latency of a load
  std::vector<LedgerDifference> rows;  ///< the largest difference first
};

struct ClaimResult {
  const Claim* claim = nullptr;
  Verdict verdict = Verdict::not_run;
  std::string reason;  ///< not_run: why
  double model = 0;
  double least = 0, most = 0;                          ///< over the seeds
  std::vector<std::pair<std::string, double>> values;  ///< of each workload, mean over the seeds
  std::optional<LedgerEvidence> evidence;              ///< of misses
};

struct OrderResult {
  const Order* order = nullptr;
  Verdict verdict = Verdict::not_run;
  std::string reason;
  std::vector<double> values;
};

ClaimResult judge(const Claim& claim, Measurements& measurements);
OrderResult judge(const Order& order, const std::vector<ClaimResult>& claims, Measurements& measurements);

/// Of loads, each workload counting alike, over the plan's seeds; empty when nothing was measured.
std::optional<LedgerEvidence> ledger_evidence(const std::string& of, const std::string& to,
                                              const std::vector<std::string>& workloads,
                                              Measurements& measurements);

}  // namespace strata::platforms
