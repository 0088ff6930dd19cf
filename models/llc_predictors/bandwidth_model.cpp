#include "models/llc_predictors/bandwidth_model.h"

#include <algorithm>

namespace strata {

double isca_bandwidth(const LlcPrediction& prediction, const BandwidthParams& params) {
  return prediction.hit_rate * prediction.lsp * params.slice + (1 - prediction.hit_rate) * params.memory;
}

double selrep_bandwidth(const LlcPrediction& prediction, const BandwidthParams& params) {
  const double hits = prediction.hit_rate * params.slice;
  const double misses = (1 - prediction.hit_rate) * params.slice;
  return prediction.lsp * (hits + std::min(misses, params.memory));
}

double bottleneck_bandwidth(const LlcPrediction& prediction, const BandwidthParams& params, double ceiling) {
  const double slices = std::min(prediction.lsp * params.slice, ceiling);
  const double miss_rate = 1 - prediction.hit_rate;
  return slices * miss_rate > params.memory ? params.memory / miss_rate : slices;
}

}  // namespace strata
