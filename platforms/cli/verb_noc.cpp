#include <iostream>

#include "models/common/faults.h"
#include "models/io/draft.h"
#include "platforms/cli/arguments.h"
#include "platforms/studies/noc/noc_experiment.h"
#include "platforms/studies/noc/noc_plot.h"

namespace strata::cli {
namespace {

using platforms::NocOptions;

void describe(po::options_description& options) {
  const auto text = [] { return po::value<std::string>(); };
  options.add_options()("inputs", text(), "sources of a crossbar; default 8")(
      "outputs", text(), "destinations of a crossbar; default 8")(
      "topology", text(),
      "xbar (default); fly:KxN, N stages of KxK routers; hxbar:CxAxM, C clusters of A sources before M "
      "controllers of C slices")("vcs", text(), "virtual channels of a port; default 1")(
      "buffer", text(), "flits of a virtual channel; default 8")("packet-flits", text(),
                                                                 "flits of a packet; default 1")(
      "traffic", text(),
      "uniform (default), permutation (drawn from the seed), hotspot:F (share F to destination 0, the rest "
      "uniform), all-to-one, private-llc (only slices of the own cluster)")(
      "load", text(),
      "offered flits per cycle and source: 0.2, 0.1,0.2 or FIRST:LAST:STEP; default 0.05:1.0:0.05")(
      "seed", text(), "seed of everything random; default 1")(
      "warmup", text(), "cycles before measuring; default 5000")("cycles", text(),
                                                                 "cycles of measuring; default 20000")(
      "pipeline", text(), "stages of a router; default 4")("lookahead", "route one hop ahead: a stage less")(
      "speedup", text(), "internal speed-up of the routers; default 1")(
      "input-speedup", text(), "read ports of an input, which its VCs share; default 1")(
      "iterations", text(), "iSLIP iterations of the allocators; default 1")(
      "hold-switch", "a packet keeps its path through a switch until its tail")(
      "voq", "virtual output queues instead of virtual channels at the inputs")(
      "flit-exact", "simulate flit by flit also where packets suffice")(
      "link", text(), "latency of the links, cycles; default 1")("plot", text(),
                                                                 "draw latency against load into this file");
}

int number(const Arguments& a, const char* option, int standard) {
  if (!a.has(option)) return standard;
  const std::uint64_t value = whole_number(option, a.get<std::string>(option), 0);
  if (value > 1'000'000)
    throw ConfigError(std::string("--") + option + ": " + std::to_string(value) + " is too large");
  return static_cast<int>(value);
}

NocOptions read_options(const Arguments& a) {
  NocOptions options;
  if (a.has("topology")) platforms::read_topology(a.get<std::string>("topology"), options);
  const bool xbar = options.topology == NocOptions::Topology::xbar;
  for (const char* ends : {"inputs", "outputs"}) {
    int& count = ends[0] == 'i' ? options.inputs : options.outputs;
    if (!a.has(ends)) continue;
    if (!xbar && number(a, ends, 0) != count)
      throw ConfigError(std::string("--") + ends + ": this topology has " + std::to_string(count));
    count = number(a, ends, 0);
  }
  if (a.has("traffic")) platforms::read_traffic(a.get<std::string>("traffic"), options);
  RouterStageParams& router = options.router;
  router.vcs = number(a, "vcs", router.vcs);
  router.vc_flits = number(a, "buffer", router.vc_flits);
  router.pipeline = number(a, "pipeline", router.pipeline);
  router.lookahead = a.has("lookahead");
  router.speedup = number(a, "speedup", router.speedup);
  router.input_speedup = number(a, "input-speedup", router.input_speedup);
  router.islip_iterations = number(a, "iterations", router.islip_iterations);
  router.hold_switch = a.has("hold-switch");
  if (a.has("voq")) router.queues = RouterStageParams::Queues::voq;
  router.flit_exact = a.has("flit-exact");
  router.link_latency = number(a, "link", router.link_latency);
  options.packet_flits = number(a, "packet-flits", options.packet_flits);
  options.warmup = static_cast<Cycle>(number(a, "warmup", static_cast<int>(options.warmup)));
  options.cycles = static_cast<Cycle>(number(a, "cycles", static_cast<int>(options.cycles)));
  if (a.has("seed")) options.seed = whole_number("seed", a.get<std::string>("seed"), 0);
  platforms::check(options);
  return options;
}

}  // namespace

int run_noc(const std::vector<std::string>& arguments) {
  Arguments a(
      "noc [--inputs N] [--outputs N] [--topology T] [--traffic T] [--load L] [options]",
      "Drives a network of router stages with packets and writes a line of CSV for each load:\n"
      "accepted rate, net latency (head in to tail out, mean and percentiles), the rates of sources and\n"
      "destinations, in flits per cycle and port, and the mean wait in the sources' queues. The plot shows\n"
      "latency with that wait and its knee: where it is three times that of the lowest load.",
      "  strata noc --inputs 8 --outputs 8 --vcs 1 --buffer 8 --packet-flits 5 --plot latency.svg\n"
      "  strata noc --topology hxbar:8x10x8 --packet-flits 5 --traffic private-llc --load 0.1:0.5:0.1\n"
      "  strata noc --topology fly:8x2 --vcs 4 --buffer 4 --traffic hotspot:0.2 --seed 3\n"
      "  strata noc --inputs 64 --outputs 64 --lookahead --speedup 2 --buffer 64 --load 0.9\n");
  describe(a.options());
  if (!a.read(arguments, 0, 0)) return 0;
  const NocOptions options = read_options(a);
  const std::vector<double> loads =
      platforms::read_loads(a.has("load") ? a.get<std::string>("load") : "0.05:1.0:0.05");
  const std::string plot = a.has("plot") ? a.get<std::string>("plot") : "";
  if (a.has("plot")) check_writable(plot);  // before minutes of simulation
  platforms::NocExperiment experiment(options);
  platforms::NocCurve curve{"with sources' queues", "#1f5fbf", false, {}, true};
  platforms::write_csv_header(std::cout);
  for (const double load : loads) {
    curve.points.push_back(experiment.run(load, options.seed));
    platforms::write_csv(std::cout, curve.points.back());
    std::cout.flush();
  }
  if (a.has("plot")) {
    const platforms::NocCurve net{"in the network", "#8a94a6", false, curve.points, false};
    write_file(plot, platforms::plot_latency("Latency against load", {curve, net}));
  }
  return 0;
}

}  // namespace strata::cli
