#include "platforms/studies/noc/noc_experiment.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <ostream>

#include "platforms/studies/noc/noc_netlist.h"

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

}  // namespace strata::platforms
