#include "models/llc_control/bottleneck_profile.h"

#include <algorithm>

#include "models/llc_predictors/bandwidth_model.h"
#include "models/llc_predictors/rate.h"
#include "models/llc_predictors/response_ceiling.h"

namespace strata {
namespace {

// A private LLC uses as many slices of a controller as there are clusters, at most all; each is a copy.
ReplicaTagsParams tags_params(const LlcControlParams& params, const AddressMap& map,
                              const LlcMachine& machine) {
  ReplicaTagsParams tags;
  tags.clusters = tags.slices = std::min(params.clusters, map.slices_per_channel());
  tags.degrees = {tags.clusters};
  tags.slice_sets = static_cast<int>(machine.slice.sets);
  tags.sampled_sets = std::min(params.atd_sets, tags.slice_sets);
  tags.ways = machine.slice.ways;
  tags.tag_bits = 19;  // as the paper's directory
  tags.counter_bits = params.counter_bits;
  return tags;
}

LspParams counters(const LlcControlParams& params) {
  return {params.slices, params.counter_bits, static_cast<std::uint64_t>(params.window)};
}

std::uint64_t sum_since(const std::vector<std::uint64_t>& now, const std::vector<std::uint64_t>& before) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < now.size(); ++i) sum += counted_since(now[i], before[i]);
  return sum;
}

}  // namespace

BottleneckProfile::BottleneckProfile(const LlcControlParams& params, const AddressMap& map,
                                     const LlcMachine& machine)
    : params_(params),
      slices_per_channel_(map.slices_per_channel()),
      line_bits_(__builtin_ctzll(map.line_bytes())),
      line_bytes_(static_cast<double>(map.line_bytes())),
      shared_ceiling_(response_ceiling(machine.shared_replies)),
      private_ceiling_(response_ceiling(machine.private_replies)),
      set_of_(machine.slice, map),
      tags_(tags_params(params, map, machine)),
      shared_(counters(params)),
      private_(counters(params)) {}

void BottleneckProfile::begin(Cycle now, const SliceTotals& totals) {
  open_ = true;
  began_ = now;
  before_ = totals;
  tags_.reset_counts();
  shared_.reset(now);
  private_.reset(now);
  stores_ = 0;
}

// Little's law: fetches under way = fetches per cycle x time of a fetch.
bool BottleneckProfile::memory_queues(const SliceTotals& totals, double misses_per_cycle) const {
  const double fetches = (before_.fetches + totals.fetches) / 2.0;
  return fetches > 2 * params_.memory_latency * misses_per_cycle;
}

LlcChoice BottleneckProfile::decide(Cycle now, const SliceTotals& totals) {
  open_ = false;
  LlcChoice choice;
  choice.at = now;
  choice.why = "no data";
  const std::uint64_t accesses = sum_since(totals.accesses, before_.accesses);
  if (accesses == 0 || tags_.accesses(0) == 0 || shared_.accesses() == 0) return choice;

  const double per_cycle = rate(accesses, now - began_);
  const double stores = rate(stores_, shared_.accesses());
  const double loads = 1 - stores;
  choice.degrees = {1, params_.clusters};
  choice.miss_rates = {rate(sum_since(totals.misses, before_.misses), accesses), 1 - tags_.hit_rate(0)};
  choice.lsps = {shared_.lsp(), private_.lsp()};
  // Lines to and from memory for an access. The private LLC writes through.
  const double traffic[] = {choice.miss_rates[0], choice.miss_rates[1] * loads + stores};
  // Requests per cycle that network and slices let through. Only the answers of loads carry lines.
  const double ceilings[] = {shared_ceiling_, private_ceiling_};
  double network[2];
  double memory[2];
  for (std::size_t i = 0; i < 2; ++i) {
    network[i] =
        std::min(choice.lsps[i] * params_.slice_bandwidth / line_bytes_, ceilings[i] / std::max(loads, 1e-3));
    memory[i] = params_.memory_bandwidth / line_bytes_ / std::max(traffic[i], 1e-9);
    choice.bandwidths.push_back(std::min(network[i], memory[i]) * line_bytes_);
  }
  const double margin = 1 + params_.margin / 100;
  const bool idle = per_cycle * 2 < network[0];
  const bool free = idle && traffic[1] <= traffic[0] * margin &&
                    per_cycle * traffic[0] * line_bytes_ * 2 < params_.memory_bandwidth;
  const bool in_a_row = free && free_before_;
  free_before_ = free;
  const bool memory_limits = !idle && memory[0] < network[0];
  if (memory_limits || memory_queues(totals, per_cycle * choice.miss_rates[0])) {
    choice.why = "memory";
  } else if (free && !in_a_row) {
    choice.why = "no hurry";
  } else if (idle && !free) {
    choice.why = "network idle";
  } else if (!free && choice.bandwidths[1] <= per_cycle * line_bytes_ * margin) {
    choice.why = "bandwidth";
  } else {
    choice.why = "trial";
    choice.mode = LlcMode::private_;
    choice.degree = params_.clusters;
  }
  return choice;
}

StorageFields BottleneckProfile::storage() const {
  const auto sets = static_cast<std::uint64_t>(tags_.params().sampled_sets);
  return {{"tags of private slices", sets, tags_.storage_bits() / sets},
          {"counters of hits and accesses", 1, tags_.counter_bits()},
          {"counters of slices, both modes", 1, shared_.storage_bits() + private_.storage_bits()}};
}

}  // namespace strata
