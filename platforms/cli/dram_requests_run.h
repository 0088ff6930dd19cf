#pragma once

#include <memory>
#include <optional>
#include <string>

#include "platforms/cli/arguments.h"
#include "platforms/studies/dram_requests/dram_request_file.h"

namespace strata::cli {

struct DramRequestOptions {
  std::string file;
  platforms::DramRequestFormat format = platforms::DramRequestFormat::strata;
};

/// --dram-requests FILE and --dram-requests-format.
void add_dram_request_options(Arguments& arguments);

/// Empty without --dram-requests. Throws ConfigError.
std::optional<DramRequestOptions> dram_request_options(const Arguments& arguments);

/// The file of requests of a run, if any.
class DramRequestsRun {
 public:
  /// Call before the platform is built.
  explicit DramRequestsRun(const std::optional<DramRequestOptions>& options);
  /// Adds the recorder to the watches of the platform to be built.
  void watch(platforms::ElaborateOptions& options);
  void attach(const platforms::Platform& platform);
  /// Call after the run: renames the file to its final name and prints errors to stderr. Returns false if
  /// there is no file.
  bool finish(bool quiet);

 private:
  std::unique_ptr<platforms::DramRequestRecorder> recorder_;
};

}  // namespace strata::cli
