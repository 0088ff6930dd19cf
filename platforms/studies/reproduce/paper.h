#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/common/faults.h"
#include "platforms/studies/reproduce/decision.h"
#include "platforms/studies/reproduce/paper_claims.h"

namespace strata::platforms {

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
