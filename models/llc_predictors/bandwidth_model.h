#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "models/common/reply_stage.h"

namespace strata {

/// part / whole; 0 when whole is 0.
inline double rate(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Predictions for one organization.
struct LlcPrediction {
  double hit_rate = 0;  ///< 0 to 1
  double lsp = 0;       ///< 1 to the number of slices that `lsp` is about
};

/// Raw bandwidths in bytes per cycle of one common clock.
struct BandwidthParams {
  double slice = 32;    ///< one LLC slice: its channel
  double memory = 643;  ///< ISCA and bottleneck model: all of memory. SelRep: one slice's share of it
};

/// Bytes per second of memory as bytes per cycle of a clock of `hertz`.
constexpr double bytes_per_cycle(double bytes_per_second, double hertz) {
  return bytes_per_second / hertz;
}

/// ISCA 2019, section 4.4, as printed: hit x LSP x LLC_BW + miss x MEM_BW, in bytes per cycle.
double isca_bandwidth(const LlcPrediction& prediction, const BandwidthParams& params);

/// SelRep, equation 2: LSP x (H x B_LLC + min{(1 - H) x B_LLC, B_mem}), in bytes per cycle. `params.memory`
/// is one slice's proportional share.
double selrep_bandwidth(const LlcPrediction& prediction, const BandwidthParams& params);

/// The least of what the slices, memory and the network let through, in bytes per cycle of replies: Strata's
/// own model. `ceiling`: what the network delivers at most (ResponseCeiling x bytes of a line).
double bottleneck_bandwidth(const LlcPrediction& prediction, const BandwidthParams& params,
                            double ceiling = std::numeric_limits<double>::infinity());

/// Most replies per network cycle that a chain of router stages, from the slices to the SMs, delivers to the
/// whole GPU when every slice always has one for a random SM. Derived from the stages alone; see
/// docs/blocks/llc-predictors.md for the derivation. A bypassed stage is left out of the chain. An empty
/// chain has no ceiling (infinity).
double response_ceiling(const std::vector<ReplyStage>& slices_to_sms);

/// The stage next to the slices when the LLC keeps `degree` copies: the slices of a group of clusters answer
/// that group alone, so that the routers act as `degree` independent smaller ones. With as many copies as
/// clusters each slice answers one cluster, as if the stage were bypassed but for its pipeline.
ReplyStage with_copies(ReplyStage stage, int degree);

}  // namespace strata
