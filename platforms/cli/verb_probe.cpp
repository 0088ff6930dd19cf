#include <algorithm>
#include <iostream>
#include <unistd.h>

#include "models/io/draft.h"
#include "models/io/file_guard.h"
#include "platforms/cli/arguments.h"
#include "platforms/studies/probe/probe_report.h"

namespace strata::cli {
namespace {

Arguments probe_arguments() {
  Arguments a(
      "probe PLATFORM [--with FILE]... [--set KEY=VALUE]... [--timing at|lt] [--only NAME]... [--json FILE]\n"
      "       [--svg FILE] [--jobs N]",
      "Runs microbenchmarks: load-to-use latency of L1, LLC and DRAM; bandwidth of an L1, the LLC and DRAM "
      "for\n"
      "reads, copies and half stores; issue rates of the instruction classes. Each figure is compared with "
      "the\n"
      "peak that the netlist allows. docs/guide/probe.md explains the probes.",
      "  strata probe tiny\n"
      "  strata probe qv100 --only latency --only issue\n"
      "  strata probe isca19/shared --with routers/gpgpusim --json probes.json --svg probes.svg\n"
      "  strata probe isca19/shared --only bandwidth.dram --set mc.read_queue=128 --set "
      "mc.write_queue=128\n");
  a.options().add_options()("with", po::value<std::vector<std::string>>(),
                            "a netlist file whose keys override the platform's; may be repeated")(
      "set", po::value<std::vector<std::string>>(), "set a key of the netlist: llc.ways=8; may be repeated")(
      "timing", po::value<std::string>(), "at or lt: timing of every instance that does not set its own")(
      "only", po::value<std::vector<std::string>>(),
      "the probe of this name, or all whose names begin with it: latency, issue.sfu; may be repeated")(
      "json", po::value<std::string>(), "write the figures to this file")("svg", po::value<std::string>(),
                                                                          "draw them into this file")(
      "jobs", po::value<std::string>(), "runs at the same time; default: one per processor")("quiet",
                                                                                             "no progress");
  add_plugin_option(a);
  return a;
}

/// Names that can be requested: probes, and the prefixes before their dots.
std::vector<std::string> names_of(const std::vector<platforms::Probe>& probes) {
  std::vector<std::string> names;
  for (const platforms::Probe& probe : probes) {
    const std::string group = probe.name.substr(0, probe.name.find('.'));
    if (std::find(names.begin(), names.end(), group) == names.end()) names.push_back(group);
  }
  for (const platforms::Probe& probe : probes) names.push_back(probe.name);
  return names;
}

std::vector<platforms::Probe> wanted(std::vector<platforms::Probe> probes,
                                     const std::vector<std::string>& only) {
  if (only.empty()) return probes;
  const auto begins = [](const platforms::Probe& probe, const std::string& name) {
    return probe.name.rfind(name, 0) == 0;
  };
  for (const std::string& name : only) {
    if (!name.empty() &&
        std::any_of(probes.begin(), probes.end(), [&](const auto& p) { return begins(p, name); }))
      continue;
    const std::vector<std::string> names = names_of(probes);
    std::string all;
    for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
    throw ConfigError("--only " + name + ": there is no such probe; allowed: " + all +
                      suggestion(name, names));
  }
  probes.erase(std::remove_if(probes.begin(), probes.end(),
                              [&](const platforms::Probe& probe) {
                                return std::none_of(only.begin(), only.end(), [&](const std::string& name) {
                                  return begins(probe, name);
                                });
                              }),
               probes.end());
  return probes;
}

}  // namespace

int run_probe(const std::vector<std::string>& arguments) {
  Arguments a = probe_arguments();
  if (!a.read(arguments, 1, 1)) return 0;
  const auto texts = [&a](const char* option) {
    return a.has(option) ? a.get<std::vector<std::string>>(option) : std::vector<std::string>();
  };
  const int jobs = jobs_of(a);
  FileGuard guard;
  for (const char* option : {"json", "svg"})
    if (a.has(option)) guard.writes(std::string("--") + option, a.get<std::string>(option));
  std::vector<std::string> sets = settings(a);
  if (a.has("timing")) sets.push_back("run.timing=" + a.get<std::string>("timing"));
  const platforms::Netlist netlist =
      platforms::Netlist::load(require_platforms(a.words().front(), texts("with")), sets);
  const platforms::ResolvedNetlist resolved = netlist.resolve();
  std::cerr << resolved.timing_note();
  const std::vector<platforms::Probe> probes = wanted(platforms::probes_of(resolved), texts("only"));
  const bool progress = !a.has("quiet") && ::isatty(STDERR_FILENO) != 0;
  std::cout << std::flush;
  const std::vector<platforms::ProbeFigure> figures =
      platforms::run_probes(netlist, probes, jobs, [&](const std::string& name) {
        if (progress) std::cerr << "\r" << name << "\033[K" << std::flush;
      });
  if (progress) std::cerr << "\r\033[K" << std::flush;
  std::cout << platforms::probe_text(resolved.title, figures);
  if (a.has("json")) write_file(a.get<std::string>("json"), platforms::probe_json(resolved.title, figures));
  if (a.has("svg")) write_file(a.get<std::string>("svg"), platforms::probe_svg(resolved.title, figures));
  return 0;
}

}  // namespace strata::cli
