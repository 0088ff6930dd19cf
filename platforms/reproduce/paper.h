#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/common/faults.h"
#include "platforms/reproduce/decision.h"
#include "platforms/reproduce/paper_claims.h"

namespace strata::platforms {

/// How much is simulated: `quick` sees the signs in minutes, `full` takes what the paper's runs ask for.
enum class Effort : int { quick, full };

/// What one workload runs at an effort.
struct Portion {
  std::string workload;            ///< NAME@SCALE[:KEY=VALUE,...]
  std::uint64_t instructions = 0;  ///< ends after this many thread instructions; 0 = at its end
};

struct PaperWorkload {
  std::string name, label;
  Portion portions[2];            ///< by Effort
  std::vector<std::string> sets;  ///< of the netlist, for a workload that comes in several sizes of machine
  std::vector<std::string> programs;  ///< instead of portions: workloads that run side by side
  bool in_effort[2] = {true, true};   ///< by Effort: whether it runs at all
  SourcePosition where;
};

/// An LLC organization, or whatever else a paper compares: a platform.
struct Organization {
  std::string name, label, platform;
  std::vector<std::string> sets;
  std::vector<std::string>
      best_of;         ///< instead of a platform: of these organizations the one with the most IPC
  std::string awaits;  ///< what is missing before it can run; empty = it can
  SourcePosition where;
};

/// A change of the machine that goes with every organization.
struct Variant {
  std::string name, label;
  std::vector<std::string> with;     ///< netlist files whose keys override the platform's
  std::vector<std::string> sets;     ///< KEY=VALUE
  std::vector<std::string> options;  ///< of `strata run`
  /// Organization and the platform that takes the place of its own: another topology.
  std::vector<std::pair<std::string, std::string>> platforms;
  std::string awaits;
  SourcePosition where;
};

/// What is to be reproduced of a paper: a file of platforms/reproduce.
struct Paper {
  std::string name, title, notes;
  std::vector<std::string> options;      ///< of `strata run`, for every run
  std::vector<std::string> jitter;       ///< sets that make runs with different seeds differ
  std::vector<std::uint64_t> seeds[2];   ///< by Effort
  std::vector<std::string> single_seed;  ///< figures whose runs use the first seed only
  double budget[2] = {0, 0};             ///< seconds of processor time for all runs, by Effort; 0 = none
  std::vector<WorkloadGroup> groups;
  std::vector<PaperWorkload> workloads;
  std::vector<Organization> organizations;
  std::vector<Variant> variants;
  std::vector<Metric> metrics;
  std::vector<Claim> claims;
  std::vector<Order> orders;
  std::vector<Decision> decisions;
  std::vector<Chart> charts;
  Sheet sheet;

  const PaperWorkload* workload(const std::string& word) const;
  const Organization* organization(const std::string& word) const;
  const Variant* variant(const std::string& word) const;
  const Metric* metric(const std::string& word) const;
  const Claim* claim(const std::string& word) const;
  /// Every figure that a claim, order or chart names, in the order of the file.
  std::vector<std::string> figures() const;
  /// Throws ConfigError with every fault of the file: syntax, unknown keys, names that nothing has.
  static Paper load(const std::string& path);
};

/// The paper without workloads that do not run at an effort.
Paper at_effort(Paper paper, Effort effort);

/// A configuration taken apart.
struct ConfigurationName {
  std::string organization;
  std::string variant;  ///< empty: the machine as it is
};
ConfigurationName configuration_name(const std::string& text);
/// The variant `baseline` is the machine as it is.
std::string configuration_of(const std::string& organization, const std::string& variant);

/// The configurations that run for one: itself, or those of which it is the best.
std::vector<std::string> members_of(const Paper& paper, const std::string& configuration);

/// Names of the papers that Strata comes with: isca19, selrep20, ...
std::vector<std::string> paper_names();
/// Its file, or the text itself when it is the path of a file. Throws ConfigError with the nearest name.
std::string find_paper(const std::string& name);

}  // namespace strata::platforms
