#include "platforms/cli/timeline_run.h"

#include <iostream>

#include "models/common/faults.h"

namespace strata::cli {
namespace {

using platforms::TimelineOptions;

struct Choice {
  const char* option;
  const char* help;
  void (TimelineOptions::*set)(const std::string&);
};
constexpr Choice choices[] = {
    {"timeline-window", "core cycles BEGIN:END: only requests in flight then", &TimelineOptions::set_window},
    {"timeline-address", "ADDRESS or FIRST:LAST: only requests for lines with these bytes",
     &TimelineOptions::set_address},
    {"timeline-fraction", "0.01 or 1/100: only so many of the requests, drawn with the seed",
     &TimelineOptions::set_fraction},
    {"timeline-limit", "size of the file at which it ends", &TimelineOptions::set_limit},
};

}  // namespace

void add_timeline_options(Arguments& arguments) {
  arguments.options().add_options()("timeline", po::value<std::string>(),
                                    "write the path of each request from block to block, with what it waited "
                                    "for, for ui.perfetto.dev (docs/guide/timeline.md)");
  for (const Choice& choice : choices)
    arguments.options().add_options()(choice.option,
                                      choice.set == &TimelineOptions::set_limit
                                          ? text_or(to_text(Bytes(TimelineOptions().limit)))
                                          : po::value<std::string>(),
                                      choice.help);
}

std::optional<TimelineOptions> timeline_options(const Arguments& arguments) {
  TimelineOptions options;
  for (const Choice& choice : choices) {
    if (!arguments.has(choice.option)) continue;
    if (!arguments.has("timeline"))
      throw ConfigError(
          "--" + std::string(choice.option) +
          ": selects requests of a timeline, but none is requested; name its file with --timeline");
    (options.*choice.set)(arguments.get<std::string>(choice.option));
  }
  if (!arguments.has("timeline")) return std::nullopt;
  options.file = arguments.get<std::string>("timeline");
  if (options.file.empty()) throw ConfigError("--timeline: the name of the file is empty");
  return options;
}

TimelineRun::TimelineRun(const std::optional<TimelineOptions>& options, std::uint64_t seed)
    : options_(options) {
  if (options_) recorder_ = std::make_unique<platforms::TimelineRecorder>("timeline", *options_, seed);
}

void TimelineRun::watch(platforms::ElaborateOptions& options) {
  if (recorder_ != nullptr)
    options.watch = [recorder = recorder_.get()](const PortBase& from, const PortBase& to) {
      return recorder->watch(from, to);
    };
}

void TimelineRun::attach(const platforms::Platform& platform) {
  if (recorder_ != nullptr) recorder_->attach(platform);
}

bool TimelineRun::finish(bool quiet) {
  if (recorder_ == nullptr) return true;
  try {
    recorder_->finish();
  } catch (const ConfigError& error) {
    std::cerr << "strata: --timeline: " << error.what() << "\n";
    return false;
  }
  if (recorder_->full_at() != never)
    std::cerr << "strata: --timeline: " << options_->file << " has reached "
              << to_text(Bytes(options_->limit)) << " in core cycle " << recorder_->full_at()
              << " and ends there; raise --timeline-limit, or show less with --timeline-window, "
                 "--timeline-address or --timeline-fraction\n";
  if (!quiet)
    std::cout << "timeline  " << options_->file << ": " << recorder_->requests() << " requests, "
              << recorder_->file().slices() << " slices, " << (recorder_->file().bytes() + 1023) / 1024
              << " KiB\n";
  return true;
}

}  // namespace strata::cli
