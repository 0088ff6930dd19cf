#pragma once

#include <memory>
#include <optional>
#include <string>

#include "platforms/cli/arguments.h"
#include "platforms/dram_requests/dram_request_recorder.h"

namespace strata::cli {

struct DramRequestOptions {
  std::string file;
  platforms::DramRequestFormat format = platforms::DramRequestFormat::strata;
};

/// --dram-requests FILE and --dram-requests-format.
void add_dram_request_options(Arguments& arguments);

/// Nothing without --dram-requests. Throws ConfigError.
std::optional<DramRequestOptions> dram_request_options(const Arguments& arguments);

/// The file of requests of a run, or none.
class DramRequestsRun {
 public:
  /// Before the platform is built.
  explicit DramRequestsRun(const std::optional<DramRequestOptions>& options);
  /// What the platform is built with, and who sees its calls already.
  void watch(platforms::ElaborateOptions& options);
  void attach(const platforms::Platform& platform);
  /// After the run: the file takes its place; what is wrong with it goes to stderr. False: it is not there.
  bool finish(bool quiet);

 private:
  std::unique_ptr<platforms::DramRequestRecorder> recorder_;
};

}  // namespace strata::cli
