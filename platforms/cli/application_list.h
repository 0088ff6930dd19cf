#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platforms/cli/arguments.h"
#include "platforms/cli/open_source.h"
#include "platforms/engine/netlist/resolved_netlist.h"
#include "platforms/engine/session/session.h"

namespace strata::cli {

/// The programs to run, as the arguments name them.
struct ApplicationList {
  std::vector<std::string> traces;     ///< as open_source() takes them, in the order of the command line
  std::vector<int> shares;             ///< SMs of a cluster, from --share; empty: equal parts
  std::vector<std::uint64_t> budgets;  ///< one for all, or one for each; empty: none
  std::uint64_t only_budget() const { return budgets.empty() ? 0 : budgets.front(); }
};

/// --trace, --workload, --share, --max-instructions and --no-repeat.
void add_application_options(Arguments& arguments);

/// Throws ConfigError if the lists do not fit together.
ApplicationList application_list(const Arguments& arguments, const std::vector<std::string>& words);

/// SMs of each cluster; 0 if there are no clusters or they differ.
int sms_of_a_cluster(const platforms::ResolvedNetlist& netlist);

/// SMs of a cluster for each of `count` applications: as `shares` says, or equal parts; if they cannot be
/// equal, the first applications get one more. Throws ConfigError if they do not add up to `sms`.
std::vector<int> share_out(const std::vector<int>& shares, std::size_t count, int sms);

/// The programs. Several programs have separate address spaces.
class OpenApplications {
 public:
  /// `run` is the budget of programs without one.
  OpenApplications(const ApplicationList& list, const SourceOptions& options, int sms,
                   const platforms::RunDefaults& run);
  const std::vector<platforms::ApplicationRun>& runs() const { return runs_; }
  std::vector<InstructionSource*> all() const;
  std::string description() const;
  /// Where each stream comes from, as in OpenedSource.
  const std::string& origin() const { return origin_; }
  /// The files that are read.
  const std::vector<std::string>& files() const { return files_; }
  /// The budget of each, if it is the same for all; 0: none, or they differ.
  std::uint64_t common_budget() const;

 private:
  std::vector<std::unique_ptr<InstructionSource>> programs_;
  std::vector<std::string> files_;
  std::string origin_;
  std::vector<std::unique_ptr<InstructionSource>> moved_;
  std::vector<std::unique_ptr<InstructionSource>> ahead_;  // destroyed first: their threads use the others
  std::vector<platforms::ApplicationRun> runs_;
};

}  // namespace strata::cli
