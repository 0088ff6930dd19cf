// `strata trace export`: traces for other simulators.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include "models/common/faults.h"
#include "models/io/draft.h"
#include "models/io/file_guard.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/open_source.h"
#include "platforms/engine/application/application_run.h"
#include "platforms/engine/application/device_table.h"
#include "platforms/engine/session/exit_codes.h"
#include "platforms/engine/session/interrupt_watch.h"
#include "traces/accelsim/out/export.h"
#include "traces/workloads/workload.h"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Interrupted {};

Arguments export_arguments() {
  Arguments a(
      "trace export SOURCE --out DIR [--format accelsim] [--xz] [options] | trace export --out DIR [options] "
      "-- PROGRAM ARGUMENTS...",
      "Writes kernelslist.g and a kernel-N.traceg for each launch into DIR, which Accel-Sim reads "
      "directly\n"
      "(docs/guide/trace-formats.md). SOURCE is a trace as for --trace of `strata run`, or a workload:\n"
      "NAME[@SCALE]. A PROGRAM is run as `strata app` runs it.",
      "  strata trace export gemm@tiny --out gemm-trace\n"
      "  strata trace export run.strata --out traces/run --xz\n"
      "  strata trace export synthetic:random:footprint=1MiB --out traces/random\n"
      "  strata trace export --out traces/vectoradd -- ./vectoradd 1000\n");
  a.options().add_options()("out", po::value<std::string>(),
                            "folder to write; it must not exist, or be empty")(
      "format", po::value<std::string>()->default_value("accelsim"),
      "accelsim: text traces as the NVBit tracer of Accel-Sim makes them")(
      "xz", "compress the kernels: kernel-N.traceg.xz, for versions of Accel-Sim that read these")(
      "device", po::value<std::string>()->default_value("a100"), "with a PROGRAM: the device that it finds")(
      "quiet", "no summary");
  add_plugin_option(a);
  add_ptx_options(a, memcheck_of_programs);
  add_cache_options(a);
  return a;
}

/// The path of the new trace, with links resolved: existing files are not replaced. Throws ConfigError if the
/// place holds more than an empty folder.
std::string free_place(const std::string& out) {
  std::error_code error;
  fs::path place = fs::absolute(out).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  if (!fs::exists(place, error)) {
    if (fs::is_symlink(place, error)) throw ConfigError("--out " + out + ": is a broken link");
    fs::create_directories(place.parent_path(), error);  // creating the draft reports the error
    return place.string();
  }
  if (!fs::is_directory(place, error))
    throw ConfigError("--out " + out + ": expected a folder that is empty or not there, found a file");
  const bool empty = fs::is_empty(place, error);
  if (error) throw ConfigError("--out " + out + ": " + error.message());
  if (!empty)
    throw ConfigError("--out " + out +
                      ": expected a folder that is empty or not there, found one with files in it");
  place = fs::canonical(place, error);
  if (error) throw ConfigError("--out " + out + ": " + error.message());
  return place.string();
}

/// A workload may be named without `workload:` here.
std::string as_trace(const std::string& source, const platforms::PluginFiles& plugins) {
  std::error_code ignored;
  if (source.find(':') != std::string::npos && source.find('@') == std::string::npos) return source;
  if (source.rfind("workload:", 0) == 0 || source.rfind("synthetic:", 0) == 0) return source;
  if (platforms::find_trace_kind(plugins, source) != nullptr) return source;
  const bool definition = fs::path(source.substr(0, source.find('@'))).extension() == ".yaml";
  return fs::exists(source, ignored) && !definition ? source : "workload:" + source;
}

/// Runs the program and records its launches. Returns its exit code if that is not 0.
int record_program(const Arguments& a, const Words& program, const std::string& record) {
  cuda::AppOptions options;
  options.device = platforms::find_device(a.get<std::string>("device"));
  options.ptx = ptx_options(a, memcheck_of_programs);
  platforms::ApplicationRun run(program, options, record, false);
  const platforms::ApplicationRun::Result result = run.run();
  if (result.interrupted) return platforms::exit_interrupted;
  if (!result.fault.empty()) return platforms::exit_trace;
  if (result.recorded == 0)
    throw ConfigError("trace export: " + program.front() +
                      " has launched no kernel that Strata runs (docs/guide/applications.md)");
  if (result.status != 0)
    std::cerr << "strata: " << program.front()
              << " did not end with exit code 0; its launches so far are written\n";
  return platforms::exit_ok;
}

void tell(const std::string& out, const traces::ExportReport& report) {
  std::cout << out << ": " << report.kernels << " kernels, " << report.ctas << " CTAs, "
            << report.instructions << " warp instructions, " << report.bytes << " bytes\n";
  for (const std::string& sentence : traces::to_sentences(report.losses))
    std::cerr << "strata: trace export: " << sentence << "\n";
}

}  // namespace

int run_trace_export(const Words& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  const Words own(arguments.begin(), dashes);
  const Words program(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
  Arguments a = export_arguments();
  const bool runs = dashes != arguments.end();
  if (!a.read(own, runs ? 0 : 1, runs ? 0 : 1)) return 0;
  if (runs && program.empty())
    throw ConfigError(
        "trace export: no program is given; usage: strata trace export --out DIR -- PROGRAM ...");
  const auto format = a.get<std::string>("format");
  if (format != "accelsim")
    throw ConfigError("--format: '" + format + "' is no format; allowed: accelsim" +
                      suggestion(format, {"accelsim"}));
  if (!a.has("out") || a.get<std::string>("out").empty())
    throw ConfigError("trace export: --out DIR is missing: where is the trace to be written?");
  const auto out = a.get<std::string>("out");
  const std::string place = free_place(out);
  Draft draft = Draft::folder(place, traces::is_export_name);
  std::optional<Draft> scratch;
  std::string source;
  if (runs) {
    scratch.emplace(Draft::scratch("application"));
    source = scratch->path() + "/application.strata";
    if (const int code = record_program(a, program, source); code != platforms::exit_ok) return code;
  } else {
    source = as_trace(a.words().front(), known_by(a).plugins());
  }
  const OpenedSource opened =
      open_source(source, {ptx_options(a), 1, record_cache(a), false, known_by(a).plugins()});
  const platforms::InterruptWatch interrupts;
  try {
    const traces::ExportReport report =
        traces::export_accelsim(*opened.source, draft.path(), a.has("xz"), [](std::uint64_t, std::uint64_t) {
          if (platforms::InterruptWatch::requested()) throw Interrupted{};
        });
    free_place(out);  // the place may have been taken meanwhile
    draft.commit(place);
    if (!a.has("quiet")) tell(out, report);
  } catch (const Interrupted&) {
    std::cerr << "strata: interrupted; " << out << " was not written\n";
    return platforms::exit_interrupted;
  }
  return platforms::exit_ok;
}

}  // namespace strata::cli
