#include <iostream>

#include "models/common/faults.h"
#include "models/io/draft.h"
#include "platforms/cli/arguments.h"
#include "platforms/studies/noc/noc_experiment.h"
#include "platforms/studies/noc/noc_plot.h"

namespace strata::cli {
namespace {

using platforms::NocOptions;

/// Every default is that of NocOptions.
void describe(po::options_description& options) {
  const NocOptions standard;
  const RouterStageParams& router = standard.router;
  options.add_options()("inputs", text_or(standard.inputs), "sources of a crossbar")(
      "outputs", text_or(standard.outputs), "destinations of a crossbar")(
      "topology", text_or("xbar"),
      "xbar; fly:KxN, N stages of KxK routers; hxbar:CxAxM, C clusters of A sources before M controllers of "
      "C slices")("vcs", text_or(router.vcs), "virtual channels of a port")(
      "buffer", text_or(router.vc_flits), "flits of a virtual channel")(
      "packet-flits", text_or(standard.packet_flits), "flits of a packet")(
      "traffic", text_or("uniform"),
      "uniform, permutation (drawn from the seed), hotspot:F (share F to destination 0, the rest uniform), "
      "all-to-one, private-llc (only slices of the own cluster)")(
      "load", text_or("0.05:1.0:0.05"),
      "offered flits per cycle and source: 0.2, 0.1,0.2 or FIRST:LAST:STEP")(
      "seed", text_or(standard.seed), "seed of everything random")("warmup", text_or(standard.warmup),
                                                                   "cycles before measuring")(
      "cycles", text_or(standard.cycles), "cycles of measuring")("pipeline", text_or(router.pipeline),
                                                                 "stages of a router")(
      "lookahead", "route one hop ahead: a stage less")("speedup", text_or(router.speedup),
                                                        "internal speed-up of the routers")(
      "input-speedup", text_or(router.input_speedup), "read ports of an input, which its VCs share")(
      "iterations", text_or(router.islip_iterations), "iSLIP iterations of the allocators")(
      "hold-switch", "a packet keeps its path through a switch until its tail")(
      "voq", "virtual output queues instead of virtual channels at the inputs")(
      "flit-exact", "simulate flit by flit also where packets suffice")("link", text_or(router.link_latency),
                                                                        "latency of the links, cycles")(
      "plot", po::value<std::string>(), "draw latency against load into this file");
}

int number(const Arguments& a, const char* option) {
  const std::uint64_t value = whole_number(option, a.get<std::string>(option), 0);
  if (value > 1'000'000)
    throw ConfigError(std::string("--") + option + ": " + std::to_string(value) + " is too large");
  return static_cast<int>(value);
}

NocOptions read_options(const Arguments& a) {
  NocOptions options;
  platforms::read_topology(a.get<std::string>("topology"), options);
  const bool xbar = options.topology == NocOptions::Topology::xbar;
  for (const char* ends : {"inputs", "outputs"}) {
    int& count = ends[0] == 'i' ? options.inputs : options.outputs;
    if (!a.has(ends)) continue;
    if (!xbar && number(a, ends) != count)
      throw ConfigError(std::string("--") + ends + ": this topology has " + std::to_string(count));
    count = number(a, ends);
  }
  platforms::read_traffic(a.get<std::string>("traffic"), options);
  RouterStageParams& router = options.router;
  router.vcs = number(a, "vcs");
  router.vc_flits = number(a, "buffer");
  router.pipeline = number(a, "pipeline");
  router.lookahead = a.has("lookahead");
  router.speedup = number(a, "speedup");
  router.input_speedup = number(a, "input-speedup");
  router.islip_iterations = number(a, "iterations");
  router.hold_switch = a.has("hold-switch");
  if (a.has("voq")) router.queues = RouterStageParams::Queues::voq;
  router.flit_exact = a.has("flit-exact");
  router.link_latency = number(a, "link");
  options.packet_flits = number(a, "packet-flits");
  options.warmup = static_cast<Cycle>(number(a, "warmup"));
  options.cycles = static_cast<Cycle>(number(a, "cycles"));
  options.seed = whole_number("seed", a.get<std::string>("seed"), 0);
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
  const std::vector<double> loads = platforms::read_loads(a.get<std::string>("load"));
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
