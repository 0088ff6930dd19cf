#include "platforms/noc/noc_experiment.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <ostream>

namespace strata::platforms {
namespace {

// From a slot's flit leaving a 4-stage router to its next flit leaving the router before: the credit's link
// and the cycle that counts it.
constexpr int router_credit_delay = 2;

constexpr Cycle longest_drain = 1'000'000;

}  // namespace

NocExperiment::NocExperiment(const NocOptions& options)
    : options_(options), meter_(options.inputs, options.outputs, options.packet_flits) {
  if (options_.topology != NocOptions::Topology::hxbar) {
    // private-llc without clusters of the topology's own: eight, as in the adaptive-LLC paper, if they fit.
    options_.clusters = std::gcd(8, std::gcd(options_.inputs, options_.outputs));
  }
  AddressMapParams map;
  const int chunks = std::max(1, chunks_of(options_));
  int line = static_cast<int>(chunk_bytes);
  while (line < chunks * static_cast<int>(chunk_bytes)) line *= 2;
  map.line = Bytes(static_cast<std::uint64_t>(line));
  map.partition = map.line;
  map.channels = options_.outputs;
  map.slices_per_channel = 1;
  map_ = make_address_map(map);
  clock_ = std::make_unique<ClockDomain>("noc", Hertz(1'000'000'000));
  make_ends();
  const BuildContext context{*clock_, *map_};
  if (options_.topology == NocOptions::Topology::hxbar)
    build_hxbar(context);
  else
    build_fly(context);
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

void NocExperiment::make_ends() {
  const std::vector<int> to = permutation();
  for (int i = 0; i < options_.inputs; ++i)
    sources_.push_back(std::make_unique<NocSource>(("source_" + std::to_string(i)).c_str(), *clock_, options_,
                                                   meter_, i, to[static_cast<std::size_t>(i)]));
  for (int o = 0; o < options_.outputs; ++o)
    sinks_.push_back(std::make_unique<NocSink>(("sink_" + std::to_string(o)).c_str(), *clock_, meter_, o));
}

void NocExperiment::add_stage(Stages& level, const std::string& name, const RouterStageParams& params,
                              const BuildContext& context) {
  level.push_back(make_router_stage(name.c_str(), params, context));
}

// A k-ary n-fly; a crossbar is one with a single router. Stage s decides digit n - 1 - s of the destination:
// its routers join the positions that differ in that digit only.
void NocExperiment::build_fly(const BuildContext& context) {
  const bool fly = options_.topology == NocOptions::Topology::fly;
  const int stages = fly ? options_.stages : 1;
  int weight = options_.inputs;
  for (int s = 0; s < stages; ++s) {
    if (fly) weight /= options_.arity;
    const int divide = fly ? weight : 1;
    RouterStageParams params = router_of(options_, fly ? options_.arity : options_.inputs,
                                         fly ? options_.arity : options_.outputs, divide);
    if (s > 0) params.in_credit_delay = router_credit_delay;
    if (s + 1 < stages) params.out_credit_delay = router_credit_delay;
    levels_.emplace_back();
    const int routers = fly ? options_.inputs / options_.arity : 1;
    for (int r = 0; r < routers; ++r)
      add_stage(levels_.back(), "stage_" + std::to_string(s) + "_" + std::to_string(r), params, context);
  }
  weight = options_.inputs;
  const auto router = [&](int position, int digit_weight) {
    if (!fly) return 0;
    return position / (digit_weight * options_.arity) * digit_weight + position % digit_weight;
  };
  const auto port = [&](int position, int digit_weight) {
    return fly ? position / digit_weight % options_.arity : position;
  };
  for (int s = 0; s < stages; ++s) {
    const int before = weight;
    if (fly) weight /= options_.arity;
    Stages& level = levels_[static_cast<std::size_t>(s)];
    for (int p = 0; p < options_.inputs; ++p) {
      TargetPort& in = level[static_cast<std::size_t>(router(p, weight))]->in(port(p, weight));
      if (s == 0)
        sources_[static_cast<std::size_t>(p)]->port.bind_to(in);
      else
        levels_[static_cast<std::size_t>(s - 1)][static_cast<std::size_t>(router(p, before))]
            ->out(port(p, before))
            .bind_to(in);
    }
  }
  for (int p = 0; p < options_.outputs; ++p)
    levels_.back()[static_cast<std::size_t>(router(p, weight))]
        ->out(port(p, weight))
        .bind_to(sinks_[static_cast<std::size_t>(p)]->port);
}

// Clusters' routers in front of controllers' routers.
void NocExperiment::build_hxbar(const BuildContext& context) {
  const int clusters = options_.clusters;
  const int sources = options_.inputs / clusters;
  const int controllers = options_.outputs / clusters;
  RouterStageParams first = router_of(options_, sources, controllers, clusters);
  first.out_credit_delay = router_credit_delay;
  RouterStageParams second = router_of(options_, clusters, clusters, 1);
  second.in_credit_delay = router_credit_delay;
  levels_.resize(2);
  for (int c = 0; c < clusters; ++c) {
    add_stage(levels_[0], "cluster_" + std::to_string(c), first, context);
    for (int i = 0; i < sources; ++i)
      sources_[static_cast<std::size_t>(c * sources + i)]->port.bind_to(levels_[0].back()->in(i));
  }
  for (int m = 0; m < controllers; ++m) {
    add_stage(levels_[1], "controller_" + std::to_string(m), second, context);
    for (int c = 0; c < clusters; ++c) {
      levels_[0][static_cast<std::size_t>(c)]->out(m).bind_to(levels_[1].back()->in(c));
      levels_[1].back()->out(c).bind_to(sinks_[static_cast<std::size_t>(m * clusters + c)]->port);
    }
  }
}

void NocExperiment::advance_to(Cycle cycle) {
  now_ = cycle;
  const std::uint64_t time = sc_core::sc_time_stamp().value();
  const std::uint64_t edge = clock_->edge(cycle);
  if (edge > time) sc_core::sc_start(sc_core::sc_time::from_value(edge - time));
}

NocPoint NocExperiment::run(double load, std::uint64_t seed) {
  const Cycle begin = now_ + 1 + options_.warmup;
  const Cycle end = begin + options_.cycles;
  for (const auto& source : sources_) source->start(load, now_ + 1, seed);
  meter_.open(begin, end);
  advance_to(end);
  for (const auto& source : sources_) source->stop();
  const Cycle limit = now_ + longest_drain;
  const auto busy = [&] {
    return std::any_of(sources_.begin(), sources_.end(), [](const auto& source) { return !source->idle(); });
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
