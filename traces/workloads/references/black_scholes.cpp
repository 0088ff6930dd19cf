#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

// The exact normal distribution: the kernel's polynomial is within 7.5e-8 of it.
double normal(double d) {
  return 0.5 * std::erfc(-d / std::sqrt(2.0));
}

}  // namespace

// Rate 0.02, volatility 0.3.
void black_scholes(HostData& data) {
  const auto price = data.f32("price"), strike = data.f32("strike", price.size()),
             years = data.f32("years", price.size()), call = data.f32("call", price.size()),
             put = data.f32("put", price.size());
  for (std::size_t i = 0; i < price.size(); ++i) {
    const double s = price[i], x = strike[i], t = years[i], spread = 0.3 * std::sqrt(t);
    const double d1 = (std::log(s / x) + (0.02 + 0.045) * t) / spread, d2 = d1 - spread;
    const double discounted = x * std::exp(-0.02 * t);
    call[i] = static_cast<float>(s * normal(d1) - discounted * normal(d2));
    put[i] = static_cast<float>(discounted * normal(-d2) - s * normal(-d1));
  }
}

}  // namespace strata::traces::references
