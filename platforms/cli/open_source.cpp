#include "platforms/cli/open_source.h"

#include "models/common/faults.h"
#include "traces/open.h"
#include "traces/workloads/workload.h"

namespace strata::cli {
namespace {

constexpr const char workload_prefix[] = "workload:";

}  // namespace

void add_ptx_options(Arguments& arguments) {
  arguments.options().add_options()(
      "loads-in-flight", po::value<std::string>()->default_value("8"),
      "kernels from PTX: loads of a warp that are moved ahead of their first reader, 1 to 64; 0 = PTX order")(
      "read-only", po::value<std::string>()->default_value("nc"),
      "kernels from PTX: which loads are marked read-only: none, nc (as the compiler says) or analysis");
}

traces::PtxOptions ptx_options(const Arguments& arguments) {
  using ReadOnly = traces::PtxOptions::ReadOnly;
  traces::PtxOptions options;
  const std::uint64_t loads =
      whole_number("loads-in-flight", arguments.get<std::string>("loads-in-flight"), 0);
  if (loads > 64) throw ConfigError("--loads-in-flight: at most 64");
  options.hoist_loads = loads != 0;
  if (loads != 0) options.loads_in_flight = static_cast<int>(loads);
  const std::string word = arguments.get<std::string>("read-only");
  if (word == "none")
    options.read_only = ReadOnly::none;
  else if (word == "nc")
    options.read_only = ReadOnly::nc;
  else if (word == "analysis")
    options.read_only = ReadOnly::analysis;
  else
    throw ConfigError("--read-only: '" + word + "' is no choice; allowed: none, nc, analysis" +
                      suggestion(word, {"none", "nc", "analysis"}));
  return options;
}

std::unique_ptr<traces::InstructionSource> open_source(const std::string& trace,
                                                       const traces::PtxOptions& options) {
  if (trace.rfind(workload_prefix, 0) != 0) return traces::open_trace(trace);
  return traces::Workload::open(traces::Workload::load(trace.substr(sizeof workload_prefix - 1)), options);
}

}  // namespace strata::cli
