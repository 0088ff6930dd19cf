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
      "read-only", po::value<std::string>(),
      "kernels from PTX: which loads are marked read-only: none, nc (as the compiler says), analysis (also "
      "what "
      "is proved) or oracle (what nothing writes in the launch; runs everything twice); without it as the "
      "workload says, or nc");
}

traces::PtxOptions ptx_options(const Arguments& arguments) {
  traces::PtxOptions options;
  const std::uint64_t loads =
      whole_number("loads-in-flight", arguments.get<std::string>("loads-in-flight"), 0);
  if (loads > 64) throw ConfigError("--loads-in-flight: at most 64");
  options.hoist_loads = loads != 0;
  if (loads != 0) options.loads_in_flight = static_cast<int>(loads);
  if (arguments.has("read-only"))
    options.read_only = traces::parse_read_only("--read-only", arguments.get<std::string>("read-only"));
  return options;
}

std::unique_ptr<traces::InstructionSource> open_source(const std::string& trace,
                                                       const traces::PtxOptions& options) {
  if (trace.rfind(workload_prefix, 0) != 0) return traces::open_trace(trace);
  return traces::Workload::open(traces::Workload::load(trace.substr(sizeof workload_prefix - 1)), options);
}

}  // namespace strata::cli
