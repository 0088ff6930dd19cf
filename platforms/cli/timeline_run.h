#pragma once

#include <memory>
#include <optional>
#include <string>

#include "platforms/cli/arguments.h"
#include "platforms/report/timeline/timeline_recorder.h"

namespace strata::cli {

/// --timeline FILE and the options that select its requests.
void add_timeline_options(Arguments& arguments);

/// Empty without --timeline. Throws ConfigError.
std::optional<platforms::TimelineOptions> timeline_options(const Arguments& arguments);

/// The timeline of a run, if any.
class TimelineRun {
 public:
  /// Call before the platform is built.
  TimelineRun(const std::optional<platforms::TimelineOptions>& options, std::uint64_t seed);
  /// Adds the recorder to the watches of the platform to be built.
  void watch(platforms::ElaborateOptions& options);
  void attach(const platforms::Platform& platform);
  /// Call after the run: renames the file to its final name and prints errors to stderr. Returns false if
  /// there is no file.
  bool finish(bool quiet);

 private:
  std::optional<platforms::TimelineOptions> options_;
  std::unique_ptr<platforms::TimelineRecorder> recorder_;
};

}  // namespace strata::cli
