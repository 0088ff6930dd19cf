#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/common/faults.h"

namespace strata::platforms {

struct WorkloadGroup {
  std::string name, label;
  std::vector<std::string> workloads;
};

/// A quotient of sums. A name is a figure of the summary, or KIND.COUNTER: the sum over all instances of a
/// kind.
struct Metric {
  std::string name, label, unit;
  std::vector<std::string> over, under;
  /// Instead of a quotient, for programs side by side: the sum of IPC / IPC alone on this configuration
  /// (STP).
  std::string alone;
  std::string awaits;
  bool of_machine = false;  ///< the netlist alone determines it: it needs no run
  double nanometres = 22;   ///< technology of such a metric
  SourcePosition where;
};

/// How `of` is compared with `to`: change in percent, difference of shares in points, plain difference; or
/// without comparison: the value of `of`, plain or in percent.
enum class ClaimKind : int { percent, points, value, share, difference };
/// Over the workloads; geometric: mean of the quotients, as papers use for speed-ups; above, below: number of
/// workloads with a figure above or below 0.
enum class ClaimMean : int { mean, most, least, geometric, above, below };

/// A quantitative statement of the paper. `of` and `to` are configurations: ORGANIZATION or
/// ORGANIZATION+VARIANT.
struct Claim {
  bool compares() const { return kind != ClaimKind::value && kind != ClaimKind::share; }
  bool counts() const { return mean == ClaimMean::above || mean == ClaimMean::below; }
  std::string name, says, metric, of, to;
  std::vector<std::string> figures, on;  ///< workloads
  ClaimKind kind = ClaimKind::percent;
  ClaimMean mean = ClaimMean::mean;
  double paper = 0, tolerance = 0;
  bool printed = true;  ///< the paper prints the figure; otherwise only its sign counts
  std::string awaits;
  SourcePosition where;
};

/// Figures that rise, or fall, in the order given: those of claims, or a metric of one configuration over
/// steps: a workload, or the mean over a group.
struct Order {
  std::string says, metric, of;
  std::vector<std::string> figures, claims;
  std::vector<WorkloadGroup> steps;
  bool falling = false;
  SourcePosition where;
};

/// Bars of a metric: workloads x configurations, or claims (paper beside model).
struct Chart {
  std::string name, title, axis;
  std::vector<std::string> figures, metrics, configurations, on, claims;
  std::string relative_to;  ///< configuration that is 1
  bool only_means = false;  ///< one category per group
  SourcePosition where;
};

/// The sources of a gain: the same comparison on many variants of the machine.
struct FigureTable {
  std::string title, of, to;
  std::vector<std::string> metrics;       ///< the first one also for each workload
  std::vector<std::string> on, variants;  ///< the first variant is the machine whose gain is analysed
  std::vector<std::pair<std::string, std::string>>
      removes;  ///< a source of the gain, and a variant without it
  bool present() const { return !variants.empty(); }
};

}  // namespace strata::platforms
