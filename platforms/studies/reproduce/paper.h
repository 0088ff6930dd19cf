#pragma once

#include <cstdint>
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

/// Goals for a decision. Negative: none.
struct DecisionBars {
  double right =
      -1;  ///< percent of the non-neutral workloads for which the better organization must be chosen
  double loss = -1;       ///< percent that any workload may lose against the best one
  double mean_loss = -1;  ///< percent that the workloads may lose on average
};

/// A configuration that chooses at run time, compared with its alternatives.
struct Decision {
  std::string name, says, of, metric;
  std::vector<std::string> figures;
  std::vector<std::string> between;  ///< configurations; an undecided kernel stays with the first
  std::vector<std::string> on;       ///< workloads
  std::vector<std::string> shows;    ///< further metrics of `of`
  double neutral = 3;                ///< percent within which configurations count as equal
  DecisionBars bars;
  SourcePosition where;
};

/// Amount of simulation: `quick` finds the signs in minutes, `full` runs what the paper ran.
enum class Effort : int { quick, full };

/// Part of a workload to run at an effort.
struct Subset {
  std::string workload;            ///< NAME@SCALE[:KEY=VALUE,...]
  std::uint64_t instructions = 0;  ///< ends after this many thread instructions; 0 = runs to its end
};

struct PaperWorkload {
  std::string name, label;
  Subset portions[2];  ///< by Effort
  std::vector<std::string>
      sets;  ///< netlist settings, for a workload that exists for several sizes of machine
  std::vector<std::string> programs;  ///< instead of portions: workloads that run side by side
  bool in_effort[2] = {true, true};   ///< by Effort: whether it runs
  SourcePosition where;
};

/// An LLC organization, or anything else that a paper compares: a platform.
struct Organization {
  std::string name, label, platform;
  std::vector<std::string> sets;
  std::vector<std::string>
      best_of;         ///< instead of a platform: the one of these organizations with the highest IPC
  std::string awaits;  ///< why it cannot run yet; empty = it can
  SourcePosition where;
};

/// A change of the machine that can be combined with every organization.
struct Variant {
  std::string name, label;
  std::vector<std::string> with;     ///< netlist files whose keys override the platform's
  std::vector<std::string> sets;     ///< KEY=VALUE
  std::vector<std::string> options;  ///< options of `strata run`
  /// Organization and the platform that replaces its own: another topology.
  std::vector<std::pair<std::string, std::string>> platforms;
  std::string awaits;
  SourcePosition where;
};

/// The table of a paper: a file of platforms/reproduce.
struct Paper {
  std::string name, title, notes;
  std::vector<std::string> options;      ///< options of `strata run`, for every run
  std::vector<std::string> jitter;       ///< settings that make runs with different seeds differ
  std::vector<std::uint64_t> seeds[2];   ///< by Effort
  std::vector<std::string> single_seed;  ///< figures whose runs use the first seed only
  double budget[2] = {0, 0};             ///< processor time of all runs in seconds, by Effort; 0 = no limit
  std::vector<WorkloadGroup> groups;
  std::vector<PaperWorkload> workloads;
  std::vector<Organization> organizations;
  std::vector<Variant> variants;
  std::vector<Metric> metrics;
  std::vector<Claim> claims;
  std::vector<Order> orders;
  std::vector<Decision> decisions;
  std::vector<Chart> charts;
  FigureTable sheet;

  const PaperWorkload* workload(const std::string& word) const;
  const Organization* organization(const std::string& word) const;
  const Variant* variant(const std::string& word) const;
  const Metric* metric(const std::string& word) const;
  const Claim* claim(const std::string& word) const;
  /// Every figure that a claim, order or chart names, in the order of the file.
  std::vector<std::string> figures() const;
  /// Throws ConfigError with every fault of the file: syntax, unknown keys, undefined names.
  static Paper load(const std::string& path);
};

/// The paper without workloads that do not run at an effort.
Paper at_effort(Paper paper, Effort effort);

/// A configuration name split into its parts.
struct ConfigurationName {
  std::string organization;
  std::string variant;  ///< empty: the unchanged machine
};
ConfigurationName configuration_name(const std::string& text);
/// The variant `baseline` is the unchanged machine.
std::string configuration_of(const std::string& organization, const std::string& variant);

/// The configurations to run for one: itself, or those of which it is the best.
std::vector<std::string> members_of(const Paper& paper, const std::string& configuration);

/// Names of the shipped papers: isca19, selrep20, ...
std::vector<std::string> paper_names();
/// The file of a paper, or the text itself if it is the path of a file. Throws ConfigError with the nearest
/// name.
std::string find_paper(const std::string& name);

}  // namespace strata::platforms
