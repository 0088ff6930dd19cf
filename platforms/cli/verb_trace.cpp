#include <iostream>

#include "models/common/faults.h"
#include "models/io/file_guard.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/open_source.h"
#include "platforms/engine/session/exit_codes.h"
#include "platforms/engine/session/interrupt_watch.h"
#include "traces/tools.h"

namespace strata::cli {

// The others, each in a file of its own.
int run_trace_cache(const std::vector<std::string>& arguments);
int run_trace_export(const std::vector<std::string>& arguments);
int run_trace_record(const std::vector<std::string>& arguments);
int run_trace_workloads(const std::vector<std::string>& arguments);

namespace {

using Words = std::vector<std::string>;

struct Interrupted {};

int convert(const Words& arguments) {
  Arguments a("trace convert FROM TO [--kernels REGEX] [--launches FIRST:LAST] [--plugin FILE]...",
              "Copies a trace into a record file, which is small and fast to read.",
              "  strata trace convert traces/samples/matmul_512/kernelslist.g matmul.strata\n");
  add_selection_options(a);
  add_plugin_option(a);
  if (!a.read(arguments, 2, 2)) return 0;
  const OpenedSource opened =
      open_source(a.words()[0], {{}, 1, nullptr, false, known_by(a).plugins(), selection_of(a)});
  FileGuard files;
  files.reads(opened.files);
  files.writes("trace convert", a.words()[1]);
  const platforms::InterruptWatch interrupts;
  try {
    const std::uint64_t bytes =
        traces::convert(*opened.source, a.words()[1], [](std::uint64_t, std::uint64_t) {
          if (platforms::InterruptWatch::requested()) throw Interrupted{};
        });
    std::cout << a.words()[1] << ": " << bytes << " bytes\n";
  } catch (const Interrupted&) {  // the writer has removed its unfinished file
    std::cerr << "strata: interrupted; " << a.words()[1] << " was not written\n";
    return platforms::exit_interrupted;
  }
  return 0;
}

int info(const Words& arguments) {
  Arguments a("trace info TRACE [--kernels REGEX] [--launches FIRST:LAST] [--clusters N] [--json]",
              "Counts kernels, instructions, accesses by class, footprint and sharing.",
              "  strata trace info traces/samples/matmul_512/kernelslist.g\n");
  a.options().add_options()("json", "print a JSON object")(
      "clusters", po::value<std::string>()->default_value("8"), "SM clusters that share lines, 1 to 64");
  add_selection_options(a);
  add_plugin_option(a);
  add_cache_options(a);
  if (!a.read(arguments, 1, 1)) return 0;
  const std::uint64_t clusters = whole_number("clusters", a.get<std::string>("clusters"), 1);
  if (clusters > static_cast<std::uint64_t>(traces::max_clusters))
    throw ConfigError("--clusters: at most " + std::to_string(traces::max_clusters));
  const auto source =
      open_source(a.words().front(), {{}, 1, record_cache(a), false, known_by(a).plugins(), selection_of(a)})
          .source;
  const traces::TraceInfo counted = traces::analyse(*source, static_cast<int>(clusters));
  std::string text = a.has("json") ? traces::to_json(counted) : traces::to_text(counted);
  if (text.empty() || text.back() != '\n') text += '\n';
  std::cout << text;
  return 0;
}

int check(const Words& arguments) {
  Arguments a("trace check TRACE [--kernels REGEX] [--launches FIRST:LAST]",
              "Reads everything and names the first fault, with its file and line or frame.",
              "  strata trace check traces/samples/matmul_512/kernelslist.g\n");
  add_selection_options(a);
  if (!a.read(arguments, 1, 1)) return 0;
  const traces::CheckReport report = traces::check(a.words().front(), {}, selection_of(a));
  std::cout << a.words().front() << ": sound: " << report.kernels << " kernels, " << report.ctas << " CTAs, "
            << report.warp_instructions << " warp instructions\n";
  for (const std::string& note : report.notes) std::cout << note << "\n";
  return 0;
}

constexpr Verb verbs[] = {
    {"convert", "copy a trace into a record file", convert},
    {"info", "count the contents of a trace", info},
    {"check", "name the first fault of a trace", check},
    {"export", "write a trace that Accel-Sim reads", run_trace_export},
    {"record", "interpret the kernels of a workload into a record file", run_trace_record},
    {"cache", "list or clean the records that runs keep", run_trace_cache},
    {"workloads", "list the workloads that Strata comes with", run_trace_workloads},
};

}  // namespace

int run_trace(const Words& arguments) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs) {
    if (!arguments.empty() && arguments.front() == verb.name)
      return verb.run({arguments.begin() + 1, arguments.end()});
    names.emplace_back(verb.name);
  }
  const bool help = !arguments.empty() && (arguments.front() == "--help" || arguments.front() == "-h");
  if (!help && arguments.empty())
    throw ConfigError("usage: strata trace convert|info|check|export|record|cache|workloads ...");
  if (!help)
    throw ConfigError("no verb 'trace " + arguments.front() + "'" + suggestion(arguments.front(), names) +
                      "; there are convert, info, check, export, record, cache and workloads");
  std::cout << "usage: strata trace VERB ...\n\n";
  for (const Verb& verb : verbs) std::cout << "  " << verb.name << ": " << verb.summary << "\n";
  std::cout << "\nTRACE is a kernelslist.g or its directory, a .traceg or .tracez, a record file, "
               "synthetic:SPEC or\n"
               "workload:NAME@SCALE.\n"
               "\nexamples:\n  strata trace info --json synthetic:random\n";
  return 0;
}

}  // namespace strata::cli
