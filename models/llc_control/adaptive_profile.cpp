#include "models/llc_control/adaptive_profile.h"

#include <algorithm>

#include "models/llc_predictors/bandwidth_model.h"

namespace strata {
namespace {

AtdParams directory_params(const LlcControlParams& params, const LlcMachine& machine) {
  AtdParams atd;
  atd.routers = params.clusters;
  atd.slice_sets = static_cast<int>(machine.slice.sets);
  atd.sampled_sets = std::min(params.atd_sets, atd.slice_sets);
  atd.ways = machine.slice.ways;
  return atd;
}

LspParams counters(int slices, const LlcControlParams& params) {
  LspParams lsp;
  lsp.slices = slices;
  lsp.counter_bits = params.counter_bits;
  return lsp;
}

}  // namespace

AdaptiveProfile::AdaptiveProfile(const LlcControlParams& params, const AddressMap& map,
                                 const LlcMachine& machine)
    : params_(params),
      slices_per_channel_(map.slices_per_channel()),
      line_bits_(__builtin_ctzll(map.line_bytes())),
      set_of_(machine.slice, map),
      directory_(directory_params(params, machine)),
      first_cluster_(counters(map.channels(), params)) {}

StorageFields AdaptiveProfile::storage() const {
  const auto sets = static_cast<std::uint64_t>(directory_.params().sampled_sets);
  return {{"auxiliary tag directory", sets, directory_.storage_bits() / sets},
          {"counters of private slices", 1, first_cluster_.storage_bits()}};
}

void AdaptiveProfile::begin(const SliceTotals& totals) {
  open_ = true;
  before_ = totals;
  directory_.reset_counts();
  first_cluster_.reset(0);
}

double AdaptiveProfile::measured_miss_rate(const SliceTotals& totals, double& lsp) const {
  std::uint64_t accesses = 0;
  std::uint64_t misses = 0;
  std::uint64_t busiest = 0;
  for (std::size_t s = 0; s < totals.accesses.size(); ++s) {
    const std::uint64_t here = counted_since(totals.accesses[s], before_.accesses[s]);
    accesses += here;
    misses += counted_since(totals.misses[s], before_.misses[s]);
    busiest = std::max(busiest, here);
  }
  lsp = busiest == 0 ? 0 : static_cast<double>(accesses) / static_cast<double>(busiest);
  return accesses == 0 ? 0 : static_cast<double>(misses) / static_cast<double>(accesses);
}

LlcChoice AdaptiveProfile::decide(Cycle now, const SliceTotals& totals) {
  open_ = false;
  LlcChoice choice;
  choice.at = now;
  double lsp = 0;
  const double shared_misses = measured_miss_rate(totals, lsp);
  choice.degrees = {1, params_.clusters};
  choice.miss_rates = {shared_misses, 1 - directory_.private_hit_rate()};
  choice.lsps = {lsp, private_lsp(first_cluster_, params_.clusters)};
  if (directory_.counts().accesses == 0 || lsp == 0 || choice.lsps[1] == 0) {
    choice.why = "no data";
    return choice;
  }
  const BandwidthParams raw{params_.slice_bandwidth, params_.memory_bandwidth};
  for (std::size_t i = 0; i < 2; ++i)
    choice.bandwidths.push_back(isca_bandwidth({1 - choice.miss_rates[i], choice.lsps[i]}, raw));
  if (choice.miss_rates[1] - choice.miss_rates[0] <= params_.margin / 100) {
    choice.mode = LlcMode::private_;
    choice.why = "rule 1";
  } else if (choice.bandwidths[1] > choice.bandwidths[0]) {
    choice.mode = LlcMode::private_;
    choice.why = "rule 2";
  } else {
    choice.why = "shared";
  }
  choice.degree = choice.mode == LlcMode::private_ ? params_.clusters : 1;
  return choice;
}

}  // namespace strata
