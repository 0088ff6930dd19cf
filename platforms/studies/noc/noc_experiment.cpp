#include "platforms/studies/noc/noc_experiment.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <ostream>

#include "platforms/engine/netlist/param_table.h"
#include "platforms/studies/noc/noc_ends.h"

namespace strata::platforms {
namespace {

constexpr Cycle longest_drain = 1'000'000;

}  // namespace

NocExperiment::NocExperiment(const NocOptions& options)
    : options_(options),
      meter_(options.inputs, options.outputs, options.packet_flits),
      platform_(noc_netlist(options), {options.seed, false}) {
  if (options_.topology != NocOptions::Topology::hxbar) {
    // private-llc without clusters of the topology's own: eight, as in the adaptive-LLC paper, if they fit.
    options_.clusters = std::gcd(8, std::gcd(options_.inputs, options_.outputs));
  }
  const std::vector<int> to = permutation();
  for (const PlatformInstance& instance : platform_.instances()) {
    if (auto* source = dynamic_cast<NocSource*>(instance.block)) {
      source->attach(options_, meter_, to[static_cast<std::size_t>(instance.index)]);
      sources_.push_back(source);
    }
    if (auto* sink = dynamic_cast<NocSink*>(instance.block)) sink->attach(meter_);
  }
}

NocExperiment::~NocExperiment() = default;

// Where each source sends in permutation traffic: drawn once from the seed.
std::vector<int> NocExperiment::permutation() const {
  std::vector<int> to(static_cast<std::size_t>(std::max(options_.inputs, options_.outputs)));
  std::iota(to.begin(), to.end(), 0);
  std::mt19937_64 generator(options_.seed);
  for (std::size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[generator() % i]);
  for (int& destination : to) destination %= options_.outputs;
  return to;
}

void NocExperiment::advance_to(Cycle cycle) {
  now_ = cycle;
  const std::uint64_t time = sc_core::sc_time_stamp().value();
  const std::uint64_t edge = platform_.core_clock().edge(cycle);
  if (edge > time) sc_core::sc_start(sc_core::sc_time::from_value(edge - time));
}

NocPoint NocExperiment::run(double load, std::uint64_t seed) {
  const Cycle begin = now_ + 1 + options_.warmup;
  const Cycle end = begin + options_.cycles;
  for (NocSource* source : sources_) source->start(load, now_ + 1, seed);
  meter_.open(begin, end);
  advance_to(end);
  for (NocSource* source : sources_) source->stop();
  const Cycle limit = now_ + longest_drain;
  const auto busy = [&] {
    return std::any_of(sources_.begin(), sources_.end(),
                       [](const NocSource* source) { return !source->idle(); });
  };
  while (busy()) {
    if (now_ > limit) throw std::runtime_error("a network does not empty");
    advance_to(now_ + 1000);
  }
  const auto rate = [&](std::uint64_t flits) {
    return static_cast<double>(flits) / static_cast<double>(options_.cycles);
  };
  NocPoint point;
  const auto& from = meter_.by_source();
  const auto& to = meter_.by_destination();
  point.load = load;
  point.accepted = rate(std::accumulate(from.begin(), from.end(), std::uint64_t{0})) / options_.inputs;
  point.latency_min = meter_.percentile(0);
  point.latency_mean = meter_.mean();
  point.latency_p50 = meter_.percentile(0.5);
  point.latency_p95 = meter_.percentile(0.95);
  point.latency_p99 = meter_.percentile(0.99);
  point.wait_mean = meter_.mean_wait();
  point.source_min = rate(*std::min_element(from.begin(), from.end()));
  point.source_max = rate(*std::max_element(from.begin(), from.end()));
  point.dest_min = rate(*std::min_element(to.begin(), to.end()));
  point.dest_max = rate(*std::max_element(to.begin(), to.end()));
  point.dest0 = rate(to[0]);
  point.packets = meter_.packets();
  return point;
}

void write_csv_header(std::ostream& out) {
  out << "load,accepted,net_latency_mean,net_latency_p50,net_latency_p95,net_latency_p99,source_min,source_"
         "max,"
         "dest_min,dest_max,dest0,wait_mean\n";
}

void write_csv(std::ostream& out, const NocPoint& point) {
  char line[256];
  std::snprintf(line, sizeof line, "%.6g,%.6f,%.4f,%g,%g,%g,%.6f,%.6f,%.6f,%.6f,%.6f,%.4f\n", point.load,
                point.accepted, point.latency_mean, point.latency_p50, point.latency_p95, point.latency_p99,
                point.source_min, point.source_max, point.dest_min, point.dest_max, point.dest0,
                point.wait_mean);
  out << line;
}

namespace {

// From a slot's flit leaving a 4-stage router to its next flit leaving the router before: the credit's link
// and the cycle that counts it.
constexpr int router_credit_delay = 2;

std::string text_of(int number) {
  return std::to_string(number);
}

/// Level `level` of `levels`.
void add_level(Netlist& netlist, int level, int levels, int count, RouterStageParams params) {
  if (level > 0) params.in_credit_delay = router_credit_delay;
  if (level + 1 < levels) params.out_credit_delay = router_credit_delay;
  const std::string name = "net" + text_of(level);
  netlist.add_instance(name, "router_stage", count);
  for (const ParamRow& row : list_params(params)) netlist.set_param(name + "." + row.name, row.value);
}

void add_crossbar(Netlist& netlist, const NocOptions& options) {
  add_level(netlist, 0, 1, 1, router_of(options, options.inputs, options.outputs, 1));
  netlist.bind("src[i].out -> net0[0].in[i]").bind("net0[0].out[o] -> snk[o].in");
}

// A k-ary n-fly: stage s decides digit n - 1 - s of the destination. Its routers join the positions that
// differ in that digit only: position p is port p / w % k of router p / (w k) w + p % w, with the digit's
// weight w.
void add_fly(Netlist& netlist, const NocOptions& options) {
  const std::string k = text_of(options.arity);
  std::string from = "src[p].out", position = "p";
  int weight = options.inputs;
  for (int s = 0; s < options.stages; ++s) {
    weight /= options.arity;
    add_level(netlist, s, options.stages, options.inputs / options.arity,
              router_of(options, options.arity, options.arity, weight));
    const std::string w = text_of(weight), name = "net" + text_of(s);
    const std::string p = "(" + position + ")";
    netlist.bind(from + " -> " + name + "[" + p + " / (" + w + " * " + k + ") * " + w + " + " + p + " % " +
                 w + "].in[" + p + " / " + w + " % " + k + "]");
    from = name + "[r].out[o]";
    position = "r / " + w + " * " + w + " * " + k + " + o * " + w + " + r % " + w;
  }
  netlist.bind(from + " -> snk[" + position + "].in");
}

// Clusters' routers in front of controllers' routers.
void add_hierarchical(Netlist& netlist, const NocOptions& options) {
  const int clusters = options.clusters;
  const int sources = options.inputs / clusters;
  const int controllers = options.outputs / clusters;
  add_level(netlist, 0, 2, clusters, router_of(options, sources, controllers, clusters));
  add_level(netlist, 1, 2, controllers, router_of(options, clusters, clusters, 1));
  netlist.bind("src[i].out -> net0[i / " + text_of(sources) + "].in[i % " + text_of(sources) + "]")
      .bind("net0[c].out[m] -> net1[m].in[c]")
      .bind("net1[m].out[c] -> snk[m * " + text_of(clusters) + " + c].in");
}

ModuleTable modules() {
  ModuleTable table = known_modules();
  table.push_back(&noc_source_kind());
  table.push_back(&noc_sink_kind());
  return table;
}

}  // namespace

Netlist noc_netlist(const NocOptions& options) {
  Netlist netlist("a network between sources and sinks", modules());
  netlist.add_clock("core", "1 GHz").add_clock("noc", "1 GHz");
  int line = static_cast<int>(sector_bytes);
  while (line < sectors_in(options) * static_cast<int>(sector_bytes)) line *= 2;
  netlist.set_param("address_map.line", line).set_param("address_map.partition", line);
  netlist.add_instance("src", "noc_source", options.inputs).add_instance("snk", "noc_sink", options.outputs);
  if (options.topology == NocOptions::Topology::xbar)
    add_crossbar(netlist, options);
  else if (options.topology == NocOptions::Topology::fly)
    add_fly(netlist, options);
  else
    add_hierarchical(netlist, options);
  return netlist;
}

}  // namespace strata::platforms
