#pragma once

#include <limits>

namespace strata {

/// What predictors say of one organization.
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

/// Ours: the least of what the slices, memory and the network let through, in bytes per cycle of replies.
/// `ceiling`: what the network delivers at most (ResponseCeiling x bytes of a line).
double bottleneck_bandwidth(const LlcPrediction& prediction, const BandwidthParams& params,
                            double ceiling = std::numeric_limits<double>::infinity());

}  // namespace strata
