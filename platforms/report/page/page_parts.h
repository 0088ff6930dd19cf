#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "platforms/engine/netlist/resolved_netlist.h"
#include "platforms/report/recorded_counts.h"
#include "platforms/studies/energy/energy_report.h"

namespace strata::platforms {

/// A CSV file of results as {"columns": [...], "rows": [[...]]}: numbers, or else texts, which may be quoted.
/// Throws ConfigError with file and line if a line has another number of values than the first.
nlohmann::ordered_json page_table(const std::string& path);

/// Merges lines of a time series until there are at most `most`: the first column is the end of an epoch, all
/// others are summed. Columns that cannot be summed are removed.
void merge_epochs(nlohmann::ordered_json& table, std::size_t most);

/// Options of runs on a page.
struct PageOptions {
  power::Constants constants;  ///< constants of the energy model
  power::Technology technology;
  std::size_t most_epochs = 300;  ///< epochs of a run; more are merged
};

/// The data of a results directory for a page: stats.json without the definitions, counters by group of
/// instances, machine, tables and energy. Missing or damaged files other than stats.json are listed in
/// "left_out" with the reason, and files changed since the run in "changed". Throws ConfigError if stats.json
/// cannot be read.
nlohmann::ordered_json page_run(const std::string& directory, const PageOptions& options);

/// A JSON file of results with a schema of this name. Throws ConfigError if it is something else.
nlohmann::ordered_json read_part(const std::string& path, const char* schema);
/// A required member. Throws ConfigError with the file name if it is missing.
const nlohmann::ordered_json& member_of(const nlohmann::ordered_json& json, const char* name,
                                        const std::string& path);

/// The contents of kernels.json for each kernel name and each launch: summary, ledger and limit. For more
/// than a few hundred launches, the names alone. Throws ConfigError if the file cannot be read.
nlohmann::ordered_json page_kernels(const std::string& path);

/// From what_if.json: `measured`, the measured part of the work, and `reliefs`, the resources and how much
/// faster the run was. Throws ConfigError.
nlohmann::ordered_json page_what_if(const std::string& path);

/// The data that a page needs to draw a machine and colour it by load: groups with their stage and the load
/// of each instance, the links with their peak and traffic, and the peaks of a roofline. `stats`: of the run,
/// as read_results() returns them; bytes and cycles refer to the core clock.
nlohmann::ordered_json page_machine(const ResolvedNetlist& netlist, const nlohmann::ordered_json& stats);

/// Peak bytes per core cycle of all DRAM channels.
std::optional<double> memory_peak(const ResolvedNetlist& netlist);

/// The roofs of a machine and the points of a run: the thread instructions that all SMs can issue per core
/// cycle, and for each memory level its peak bytes per core cycle and the bytes that the run moved there.
/// Levels with unknown peak or bytes are left out.
nlohmann::ordered_json machine_roofs(const ResolvedNetlist& netlist, const RecordedCounts& counts);

/// by_source.csv as page_table() returns it, and in "sources" the files that it names, if they can be read
/// now: by path {"lines", "changed"}. Lines are a list; large files have an object with only the lines that
/// have accesses. changed: after by_source.csv was written. Throws ConfigError if by_source.csv cannot be
/// read.
nlohmann::ordered_json page_source(const std::string& path);

/// The data of a sweep for a page, from its SQLite file or the folder with it: the planned points with their
/// states, their varied settings and their figures, column by column. Sweeps with very many points have only
/// the figures that the sweep's file names, and "left_out" counts the others. If more than workloads and
/// seeds vary, it adds the logarithm of each point's time, the baseline that compare_sweep() chooses, and its
/// results. Throws ConfigError if the sweep cannot be read.
nlohmann::ordered_json page_sweep(const std::string& path);

/// A folder of `strata reproduce`.
bool is_reproduction(const std::string& path);

/// The contents of its reproduction.json. Throws ConfigError if it cannot be read.
nlohmann::ordered_json page_claims(const std::string& folder);

}  // namespace strata::platforms
