#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "platforms/engine/pool/run_identity.h"
#include "platforms/engine/pool/run_pool.h"
#include "platforms/studies/reproduce/paper.h"

namespace strata::platforms {

/// One run of the program: a workload on a configuration with a seed.
struct RunSpec {
  std::string configuration, workload;
  std::uint64_t seed = 1;
  std::vector<std::string> arguments;  ///< arguments of `strata run`, without --out
  std::string key;                     ///< changes with everything that may change the result

  /// Name of its results directory.
  std::string folder() const;
  /// `private+hynix nn seed 2`
  std::string text() const;
  RunJob job() const { return {folder(), text(), arguments}; }
};

/// A configuration without a workload: the arguments of Netlist::load().
struct MachineFiles {
  std::vector<std::string> files;  ///< the platform and the files of --with
  std::vector<std::string> sets;
};

/// The selected part of a paper.
struct Selection {
  std::vector<std::string> figures;  ///< empty: all figures
  bool sensitivity = false;          ///< include the sheet on the sources of a gain
  bool only_sensitivity = false;
  std::vector<std::string> with;  ///< netlist files that change the machine of every run
  std::vector<std::string> sets;  ///< for every run too, including its plug-ins
  Effort effort = Effort::full;
};

/// The runs that the claims and charts of a selection need, each once, and the configurations that cannot
/// run.
class RunPlan {
 public:
  /// `program`: a text that identifies the build of the program. Throws ConfigError with every netlist and
  /// workload that cannot be loaded, and for a figure that the paper's table does not have.
  RunPlan(const Paper& paper, const Selection& selection, const std::string& program);

  const std::vector<RunSpec>& runs() const { return runs_; }
  std::vector<RunJob> jobs() const;
  const std::vector<std::uint64_t>& seeds() const { return seeds_; }
  /// Seeds of the runs of these figures.
  const std::vector<std::uint64_t>& seeds_of(const std::vector<std::string>& figures) const;
  /// The run of a configuration, workload and seed; null if the plan has none.
  const RunSpec* find(const std::string& configuration, const std::string& workload,
                      std::uint64_t seed) const;
  bool shows(const std::vector<std::string>& figures) const;
  MachineFiles machine(const std::string& configuration) const;
  bool shows_sheet() const { return selection_.sensitivity && paper_.sheet.present(); }

 private:
  void add_claim(const Claim& claim);
  void check_machine(const std::string& configuration);
  void add_alone(const Metric& metric, const std::vector<std::string>& workloads,
                 const std::vector<std::uint64_t>& seeds);
  void add(const std::string& configuration, const std::vector<std::string>& workloads,
           const std::vector<std::uint64_t>& seeds);
  void add(const std::string& configuration, const PaperWorkload& workload, std::uint64_t seed);
  std::vector<std::string> arguments_of(const std::string& configuration, const PaperWorkload& workload,
                                        std::uint64_t seed) const;

  const Paper& paper_;
  Selection selection_;
  RunIdentities identities_;
  std::vector<std::uint64_t> seeds_;
  std::vector<std::uint64_t> first_seed_;
  std::vector<RunSpec> runs_;
  std::map<std::string, std::size_t> index_;
  Faults faults_;
  std::set<std::string> told_;
};

/// Why a configuration cannot run yet; empty if it can.
std::string awaited_by(const Paper& paper, const std::string& configuration);

}  // namespace strata::platforms
