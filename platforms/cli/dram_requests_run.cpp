#include "platforms/cli/dram_requests_run.h"

#include <iostream>
#include <utility>

#include "models/common/faults.h"

namespace strata::cli {

void add_dram_request_options(Arguments& arguments) {
  arguments.options().add_options()("dram-requests", po::value<std::string>(),
                                    "write the requests of each memory controller with their cycles, for "
                                    "`strata dram` or another DRAM simulator "
                                    "(docs/blocks/memory-controller.md)")(
      "dram-requests-format", po::value<std::string>(),
      "strata, ramulator2-loadstore, ramulator2-readwrite or dramsim3; without it as the file ends: .csv, "
      ".loadstore, .readwrite or .dramsim3, else strata");
}

std::optional<DramRequestOptions> dram_request_options(const Arguments& arguments) {
  const bool has_format = arguments.has("dram-requests-format");
  if (!arguments.has("dram-requests")) {
    if (has_format)
      throw ConfigError(
          "--dram-requests-format: sets the format of a file that is not requested; name the file with "
          "--dram-requests");
    return std::nullopt;
  }
  DramRequestOptions options;
  options.file = arguments.get<std::string>("dram-requests");
  if (options.file.empty()) throw ConfigError("--dram-requests: the name of the file is empty");
  if (has_format)
    options.format = platforms::parse_dram_request_format(arguments.get<std::string>("dram-requests-format"));
  else
    options.format =
        platforms::dram_request_format_of(options.file).value_or(platforms::DramRequestFormat::strata);
  return options;
}

DramRequestsRun::DramRequestsRun(const std::optional<DramRequestOptions>& options) {
  if (options) recorder_ = std::make_unique<platforms::DramRequestRecorder>(options->file, options->format);
}

void DramRequestsRun::watch(platforms::ElaborateOptions& options) {
  if (recorder_ == nullptr) return;
  options.watch = [recorder = recorder_.get(), before = std::move(options.watch)](const PortBase& from,
                                                                                  const PortBase& to) {
    return recorder->watch(to, before ? before(from, to) : nullptr);
  };
}

void DramRequestsRun::attach(const platforms::Platform& platform) {
  if (recorder_ != nullptr) recorder_->attach(platform);
}

bool DramRequestsRun::finish(bool quiet) {
  if (recorder_ == nullptr) return true;
  try {
    recorder_->finish();
  } catch (const ConfigError& error) {
    std::cerr << "strata: --dram-requests: " << error.what() << "\n";
    return false;
  }
  if (!quiet)
    std::cout << "requests  " << recorder_->file().path() << ": " << recorder_->file().rows()
              << " column commands of " << recorder_->controllers() << " memory controllers, timing set "
              << recorder_->timing_set() << "\n";
  return true;
}

}  // namespace strata::cli
