#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platforms/cli/arguments.h"
#include "platforms/cli/open_source.h"
#include "platforms/netlist/resolved_netlist.h"
#include "platforms/session/session.h"

namespace strata::cli {

/// What the arguments say of the programs to run.
struct ApplicationList {
  std::vector<std::string> traces;     ///< as open_source() takes them, in the order of the command line
  std::vector<int> shares;             ///< SMs of a cluster, as --share says; empty: equal ones
  std::vector<std::uint64_t> budgets;  ///< one for all, or one each; empty: none
  std::uint64_t only_budget() const { return budgets.empty() ? 0 : budgets.front(); }
};

/// --trace, --workload, --share, --max-instructions and --no-repeat.
void add_application_options(Arguments& arguments);

/// Throws ConfigError when the lists do not fit together.
ApplicationList application_list(const Arguments& arguments, const std::vector<std::string>& words);

/// SMs of each cluster; 0 when there are no clusters or they differ.
int sms_of_a_cluster(const platforms::ResolvedNetlist& netlist);

/// SMs of a cluster for each of `count` applications: as `shares` says, or equal parts, the first ones one
/// more when they cannot be equal. Throws ConfigError when they do not add up to `sms`.
std::vector<int> share_out(const std::vector<int>& shares, std::size_t count, int sms);

/// The programs, each in its own address space when there are several.
class OpenApplications {
 public:
  /// `run` says the budget of those that have none.
  OpenApplications(const ApplicationList& list, const SourceOptions& options, int sms,
                   const platforms::RunDefaults& run);
  const std::vector<platforms::ApplicationRun>& runs() const { return runs_; }
  std::vector<InstructionSource*> all() const;
  std::string description() const;
  /// What each is read from, as OpenedSource says it.
  const std::string& origin() const { return origin_; }
  /// What they are read from.
  const std::vector<std::string>& files() const { return files_; }
  /// The budget of each, when it is the same for all; 0: none, or not the same.
  std::uint64_t common_budget() const;

 private:
  std::vector<std::unique_ptr<InstructionSource>> programs_;
  std::vector<std::string> files_;
  std::string origin_;
  std::vector<std::unique_ptr<InstructionSource>> moved_;
  std::vector<std::unique_ptr<InstructionSource>> ahead_;  // gone first: their threads use the others
  std::vector<platforms::ApplicationRun> runs_;
};

}  // namespace strata::cli
