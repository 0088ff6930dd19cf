#include "models/llc_predictors/lsp_counters.h"

#include <algorithm>
#include <cassert>

#include "models/llc_predictors/bandwidth_model.h"

namespace strata {
namespace {

Cycle end_of_window(Cycle now, std::uint64_t window) {
  return window == 0 ? never : (now / window + 1) * window;
}

}  // namespace

LspCounters::LspCounters(const LspParams& params)
    : params_(params),
      limit_(static_cast<std::uint32_t>((std::uint64_t{1} << params.counter_bits) - 1)),
      window_end_(end_of_window(0, params.window)),
      counters_(static_cast<std::size_t>(params.slices)) {
  assert(params.slices > 0 && params.counter_bits > 0 && params.counter_bits <= 32);
}

double LspCounters::lsp() const {
  return rate(accesses(), busiest());
}

void LspCounters::close_window(Cycle now) {
  closed_sum_ += sum_;
  closed_maximum_ += maximum_;
  sum_ = 0;
  maximum_ = 0;
  std::fill(counters_.begin(), counters_.end(), 0U);
  window_end_ = end_of_window(now, params_.window);
}

void LspCounters::reset(Cycle now) {
  close_window(now);
  closed_sum_ = 0;
  closed_maximum_ = 0;
}

std::uint64_t LspCounters::storage_bits() const {
  return static_cast<std::uint64_t>(params_.slices) * static_cast<std::uint64_t>(params_.counter_bits) +
         (params_.window == 0 ? 0 : 64);
}

}  // namespace strata
