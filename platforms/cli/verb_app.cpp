#include <algorithm>
#include <filesystem>
#include <iostream>
#include <regex>
#include <sys/wait.h>
#include <unistd.h>

#include "models/common/faults.h"
#include "models/io/draft.h"
#include "models/io/file_guard.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/open_source.h"
#include "platforms/engine/application/application_run.h"
#include "platforms/engine/application/device_table.h"
#include "platforms/engine/session/exit_codes.h"

namespace strata::cli {

int run_run(const std::vector<std::string>& arguments);  // in verb_run.cpp
namespace {

using platforms::ApplicationRun;
using Words = std::vector<std::string>;

/// Options of `strata run` that are passed on unchanged.
constexpr const char* passed[] = {"timing",          "out", "seed", "epoch", "observe", "what-if-runs",
                                  "what-if-launches"};
constexpr const char* passed_lists[] = {"with", "plugin", "set"};
constexpr const char* passed_flags[] = {"what-if", "by-kernel", "by-launch", "by-source", "cold-launches",
                                        "live",    "energy",    "progress",  "quiet"};
/// Options among them that need a platform.
constexpr const char* of_platform[] = {"observe",   "what-if",   "what-if-runs", "what-if-launches",
                                       "by-kernel", "by-launch", "by-source",    "cold-launches",
                                       "live",      "energy"};

Arguments app_arguments() {
  Arguments a(
      "app [--record FILE | --platform PLATFORM ...] [options] -- PROGRAM ARGUMENTS...",
      "Runs a CUDA program without a GPU: its host code natively, its kernels on the interpreter of PTX, "
      "each\n"
      "when it is launched. The executed instructions are recorded, or simulated after the program ends.\n"
      "The program must contain PTX (nvcc -gencode arch=compute_80,code=compute_80); "
      "docs/guide/applications.md.",
      "  strata app -- ./vectoradd 1000\n"
      "  strata app --record bfs.strata -- ./bfs graph.txt\n"
      "  strata app --platform isca19/shared --kernels 'gemm|conv' -- ./net\n");
  a.options().add_options()("record", po::value<std::string>(), "write a record of its launches")(
      "platform", po::value<std::string>(), "simulate its launches on this platform, as `strata run` does")(
      "device", po::value<std::string>()->default_value("a100"),
      "the device that the program finds: a name of platforms/machines/devices/devices.yaml, or "
      "FILE:NAME")("kernels", po::value<std::string>(),
                   "record only launches of kernels whose name matches this regular expression")(
      "launches", po::value<std::string>(), "record only these, counted from 0: FIRST:LAST")(
      "max-instructions", po::value<std::string>(),
      "end the program when so many thread instructions are recorded")(
      "ptx", po::value<std::string>(), "write the PTX of the program into this folder")(
      "with", po::value<Words>(), "with --platform, as of `strata run`")(
      "set", po::value<Words>(), "likewise")("timing", po::value<std::string>(), "likewise")(
      "out", po::value<std::string>(), "likewise")("seed", po::value<std::string>(), "likewise")(
      "epoch", po::value<std::string>(), "likewise")("observe", po::value<std::string>(), "likewise")(
      "by-kernel", "likewise: figures, ledger and verdict of each kernel")(
      "by-launch", "likewise: a table of launches, by_launch.csv")(
      "cold-launches", "likewise: caches are empty before each launch")(
      "by-source", "likewise: which lines of the source wait for memory")(
      "live", "likewise: draw the state of the simulation on the terminal")("energy", "likewise: the energy")(
      "what-if", "likewise: then simulate with about twice as much of each resource")(
      "what-if-runs", po::value<std::string>(), "likewise")("what-if-launches", po::value<std::string>(),
                                                            "likewise")(
      "progress", "draw the progress line also when stderr is no terminal")(
      "quiet", "print only errors and, with --platform, the digest");
  add_plugin_option(a);
  add_ptx_options(a, memcheck_of_programs);
  return a;
}

void read_launches(const Arguments& a, cuda::AppOptions& options) {
  if (!a.has("launches")) return;
  const auto text = a.get<std::string>("launches");
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    throw ConfigError("--launches: expected FIRST:LAST, such as 10:20, found '" + text + "'");
  options.first_launch = whole_number("launches", text.substr(0, colon), 0);
  options.last_launch = colon + 1 == text.size()
                            ? UINT64_MAX
                            : whole_number("launches", text.substr(colon + 1), options.first_launch);
}

cuda::AppOptions options_of(const Arguments& a) {
  cuda::AppOptions options;
  options.device = platforms::find_device(a.get<std::string>("device"));
  options.ptx = ptx_options(a, memcheck_of_programs);
  if (a.has("kernels")) {
    options.kernels = a.get<std::string>("kernels");
    try {
      const std::regex checked(options.kernels);
    } catch (const std::regex_error& error) {
      throw ConfigError("--kernels: '" + options.kernels + "' is no regular expression: " + error.what());
    }
  }
  read_launches(a, options);
  if (a.has("max-instructions"))
    options.max_instructions = whole_number("max-instructions", a.get<std::string>("max-instructions"), 1);
  if (a.has("ptx")) {
    options.ptx_folder = std::filesystem::absolute(a.get<std::string>("ptx")).string();
    std::error_code error;
    std::filesystem::create_directories(options.ptx_folder, error);
    if (error) throw ConfigError("--ptx: " + options.ptx_folder + ": " + error.message());
  }
  return options;
}

/// Prints how the program ended; returns the matching exit code.
int tell_end(const ApplicationRun::Result& result, const std::string& program) {
  if (!result.fault.empty()) return platforms::exit_trace;
  if (result.interrupted) return platforms::exit_interrupted;
  if (WIFSIGNALED(result.status)) {
    std::cerr << "strata: " << program << " was ended by signal " << WTERMSIG(result.status) << " ("
              << ::strsignal(WTERMSIG(result.status)) << ")\n";
    return platforms::exit_trace;
  }
  if (!result.ours && WEXITSTATUS(result.status) == 0) {
    std::cerr << "strata: " << program
              << " has used no CUDA library of Strata: is it a CUDA program, and linked without an RPATH to "
                 "another "
                 "one?\n";
    return platforms::exit_config;
  }
  if (WEXITSTATUS(result.status) == 0) return platforms::exit_ok;
  std::cerr << "strata: " << program << " ended with exit code " << WEXITSTATUS(result.status) << "\n";
  return platforms::exit_config;
}

int simulate(const Arguments& a, const std::string& record, const std::string& program) {
  const auto platform = a.get<std::string>("platform");
  Words words = {platform, "--trace", record};
  for (const char* option : passed)
    if (a.has(option)) words.insert(words.end(), {std::string("--") + option, a.get<std::string>(option)});
  for (const char* option : passed_lists)
    if (a.has(option))
      for (const std::string& value : a.get<Words>(option))
        words.insert(words.end(), {std::string("--") + option, value});
  if (!a.has("out"))
    words.insert(words.end(), {"--out", "results/" + std::filesystem::path(platform).filename().string() +
                                            "-" + std::filesystem::path(program).filename().string()});
  for (const char* option : passed_flags)
    if (a.has(option)) words.push_back(std::string("--") + option);
  return run_run(words);
}

}  // namespace

int run_app(const Words& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  const Words own(arguments.begin(), dashes);
  const Words program(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
  Arguments a = app_arguments();
  if (!a.read(own, 0, 0)) return 0;
  if (program.empty())
    throw ConfigError("no program is given; usage: strata app [options] -- PROGRAM ARGUMENTS...");
  if (a.has("record") && a.has("platform")) throw ConfigError("--record and --platform exclude each other");
  for (const char* option : of_platform)
    if (a.has(option) && !a.has("platform"))
      throw ConfigError(std::string("--") + option + ": goes with --platform, which simulates");
  if (a.has("live")) check_live(a);
  check_by_source(a);
  cuda::AppOptions options = options_of(a);
  std::optional<Draft> scratch;
  std::string record;
  if (a.has("platform")) {
    require_platforms(a.get<std::string>("platform"), a.has("with") ? a.get<Words>("with") : Words());
    scratch.emplace(Draft::scratch("application"));
    record = scratch->path() + "/application.strata";
  } else if (a.has("record")) {
    record = a.get<std::string>("record");
    FileGuard files;
    files.writes("app", record);
  }
  const bool progress = !a.has("quiet") && (a.has("progress") || ::isatty(STDERR_FILENO) != 0);
  ApplicationRun run(program, options, record, progress);
  const ApplicationRun::Result result = run.run();
  if (!a.has("quiet")) std::cerr << run.kernels().text();
  int code = tell_end(result, program.front());
  if (record.empty()) return code;
  if (result.recorded == 0) {
    std::cerr << "strata: no launch was recorded\n";
    return code == platforms::exit_ok ? platforms::exit_config : code;
  }
  if (result.cut) std::cerr << "strata: a launch is not whole: its first thread blocks are recorded\n";
  if (a.has("platform")) {
    const int simulated = simulate(a, record, program.front());
    return code != platforms::exit_ok ? code : simulated;
  }
  if (!a.has("quiet"))
    std::cerr << record << ": " << result.recorded << " launches, " << run.record_bytes() << " bytes\n";
  return code;
}

}  // namespace strata::cli
