#include "platforms/cli/open_source.h"

#include <iostream>
#include <unistd.h>

#include "models/common/faults.h"
#include "models/common/units.h"
#include "traces/open.h"
#include "traces/workloads/workload.h"

namespace strata::cli {
namespace {

constexpr const char workload_prefix[] = "workload:";

/// One line on stderr, rewritten in place and erased at the end: a thread block takes long.
void show_progress(const traces::PtxProgress* so_far) {
  std::cerr << "\r";
  if (so_far != nullptr)
    std::cerr << "interpreting kernel " << so_far->kernel << ", thread block " << so_far->cta + 1 << " of "
              << so_far->ctas << ": " << so_far->instructions / 1'000'000 << " M warp instructions";
  std::cerr << "\033[K" << std::flush;
}

}  // namespace

void add_ptx_options(Arguments& arguments) {
  arguments.options().add_options()(
      "loads-in-flight", po::value<std::string>()->default_value("8"),
      "kernels from PTX: loads of a warp that are moved ahead of their first reader, 1 to 64; 0 = PTX order")(
      "read-only", po::value<std::string>(),
      "kernels from PTX: which loads are marked read-only: none, nc (as the compiler says), analysis (also "
      "what "
      "is proved) or oracle (what nothing writes in the launch; runs everything twice); without it as the "
      "workload says, or nc")("launch-instructions", po::value<std::string>(),
                              "kernels from PTX: warp instructions after which a launch counts as endless; "
                              "without it as the workload says, or 2^32")(
      "launch-memory", po::value<std::string>(),
      "kernels from PTX: memory that the record of one thread block may take, such as 2 GiB; without it as "
      "the workload says, or 1 GiB");
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
  if (arguments.has("launch-instructions"))
    options.max_instructions =
        whole_number("launch-instructions", arguments.get<std::string>("launch-instructions"), 1);
  if (arguments.has("launch-memory")) {
    const std::string text = arguments.get<std::string>("launch-memory");
    const auto bytes = parse_bytes(text);
    if (!bytes) throw ConfigError("--launch-memory: '" + text + "' is no size; allowed: such as 2 GiB");
    options.max_bytes = bytes->count;
  }
  if ((::isatty(STDERR_FILENO) != 0 || arguments.has("progress")) && !arguments.has("quiet"))
    options.progress = show_progress;
  return options;
}

std::unique_ptr<InstructionSource> open_source(const std::string& trace, const traces::PtxOptions& options,
                                               std::uint64_t seed) {
  if (trace.rfind(workload_prefix, 0) != 0) {
    traces::OpenOptions of_run;
    of_run.seed = seed;
    return traces::open_trace(trace, of_run);
  }
  return traces::Workload::open(traces::Workload::load(trace.substr(sizeof workload_prefix - 1)), options);
}

std::vector<std::string> input_files(const std::string& trace, const InstructionSource& source) {
  if (trace.rfind(workload_prefix, 0) != 0) return traces::files_of(source);
  return traces::Workload::load(trace.substr(sizeof workload_prefix - 1))->files();
}

}  // namespace strata::cli
