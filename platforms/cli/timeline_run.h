#pragma once

#include <memory>
#include <optional>
#include <string>

#include "platforms/cli/arguments.h"
#include "platforms/timeline/timeline_recorder.h"

namespace strata::cli {

/// --timeline FILE and what says which requests are in it.
void add_timeline_options(Arguments& arguments);

/// Nothing without --timeline. Throws ConfigError.
std::optional<platforms::TimelineOptions> timeline_options(const Arguments& arguments);

/// The timeline of a run, or none.
class TimelineRun {
 public:
  /// Before the platform is built.
  TimelineRun(const std::optional<platforms::TimelineOptions>& options, std::uint64_t seed);
  /// What the platform is built with.
  void watch(platforms::ElaborateOptions& options);
  void attach(const platforms::Platform& platform);
  /// After the run: the file takes its place; what is wrong with it goes to stderr. False: it is not there.
  bool finish(bool quiet);

 private:
  std::optional<platforms::TimelineOptions> options_;
  std::unique_ptr<platforms::TimelineRecorder> recorder_;
};

}  // namespace strata::cli
