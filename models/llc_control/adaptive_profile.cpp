#include "models/llc_control/adaptive_profile.h"

#include <algorithm>

#include "models/llc_predictors/bandwidth_model.h"

namespace strata {
namespace {

AtdParams directory_params(const LlcControlParams& params, const LlcMachine& machine) {
  AtdParams atd;
  atd.sharers = params.rule == LlcControlParams::Rule::paper ? AtdParams::Sharers::last_accessor
                                                             : AtdParams::Sharers::touched;
  atd.routers = params.clusters;
  atd.slice_sets = static_cast<int>(machine.slice.sets());
  atd.sampled_sets = std::min(params.atd_sets, atd.slice_sets);
  atd.ways = machine.slice.ways;
  return atd;
}

LspParams counters(int slices, const LlcControlParams& params) {
  LspParams lsp;
  lsp.slices = slices;
  lsp.counter_bits = params.counter_bits;
  lsp.window =
      params.rule == LlcControlParams::Rule::windowed ? static_cast<std::uint64_t>(params.window) : 0;
  return lsp;
}

std::uint64_t since(std::uint64_t now, std::uint64_t before) {
  return now >= before ? now - before : now;  // statistics may have been reset in between
}

}  // namespace

AdaptiveProfile::AdaptiveProfile(const LlcControlParams& params, const AddressMap& map,
                                 const LlcMachine& machine)
    : params_(params),
      slices_per_channel_(map.slices_per_channel()),
      line_bits_(__builtin_ctzll(map.line_bytes())),
      line_bytes_(static_cast<double>(map.line_bytes())),
      shared_ceiling_(response_ceiling(machine.shared_replies)),
      private_ceiling_(response_ceiling(machine.private_replies)),
      set_of_(machine.slice.sets(), machine.slice.set_index, map),
      directory_(directory_params(params, machine)),
      first_cluster_(counters(map.channels(), params)) {
  if (params.rule == LlcControlParams::Rule::windowed)
    windows_ = std::make_unique<LspCounters>(counters(params.slices, params));
}

void AdaptiveProfile::sample(const Access& access) {
  directory_.observe(set_of_(access.line), access.line >> line_bits_, access.cluster);
}

void AdaptiveProfile::count(const Access& access, int slice, Cycle now) {
  if (access.cluster == 0) first_cluster_.count(slice / slices_per_channel_, now);
  if (windows_ != nullptr) windows_->count(slice, now);
}

void AdaptiveProfile::begin(Cycle now, const SliceTotals& totals) {
  open_ = true;
  before_ = totals;
  directory_.reset_counts();
  first_cluster_.reset(now);
  if (windows_ != nullptr) windows_->reset(now);
}

double AdaptiveProfile::measured_miss_rate(const SliceTotals& totals, double& lsp) const {
  std::uint64_t accesses = 0;
  std::uint64_t misses = 0;
  std::uint64_t busiest = 0;
  for (std::size_t s = 0; s < totals.accesses.size(); ++s) {
    const std::uint64_t here = since(totals.accesses[s], before_.accesses[s]);
    accesses += here;
    misses += since(totals.misses[s], before_.misses[s]);
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
  if (windows_ != nullptr) lsp = windows_->lsp();
  choice.degrees = {1, params_.clusters};
  choice.miss_rates = {shared_misses, 1 - directory_.private_hit_rate()};
  choice.lsps = {lsp, private_lsp(first_cluster_, params_.clusters)};
  if (directory_.counts().accesses == 0 || lsp == 0 || choice.lsps[1] == 0) {
    choice.why = "no data";
    return choice;
  }
  if (params_.rule == LlcControlParams::Rule::paper)
    decide_as_printed(choice);
  else
    decide_by_bottleneck(choice);
  choice.degree = choice.mode == LlcMode::private_ ? params_.clusters : 1;
  return choice;
}

void AdaptiveProfile::decide_as_printed(LlcChoice& choice) const {
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
}

// The organization that lets more through what limits it: slices as evenly used as in the windows, memory, or
// the network at saturation. The margin is a draw, which the private LLC wins because its routers are off.
void AdaptiveProfile::decide_by_bottleneck(LlcChoice& choice) const {
  const BandwidthParams raw{params_.slice_bandwidth, params_.memory_bandwidth};
  const double ceilings[] = {shared_ceiling_ * line_bytes_, private_ceiling_ * line_bytes_};
  for (std::size_t i = 0; i < 2; ++i)
    choice.bandwidths.push_back(
        bottleneck_bandwidth({1 - choice.miss_rates[i], choice.lsps[i]}, raw, ceilings[i]));
  const double draw = choice.bandwidths[0] * (1 - params_.margin / 100);
  choice.mode = choice.bandwidths[1] >= draw ? LlcMode::private_ : LlcMode::shared;
  choice.why = choice.mode == LlcMode::shared                ? "shared"
               : choice.bandwidths[1] > choice.bandwidths[0] ? "bottleneck"
                                                             : "draw";
}

std::uint64_t AdaptiveProfile::bits() const {
  return directory_.storage_bits() + first_cluster_.storage_bits() +
         (windows_ == nullptr ? 0 : windows_->storage_bits());
}

}  // namespace strata
