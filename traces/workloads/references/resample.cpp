#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void resample(HostData& data) {
  const auto cumulative = data.f32("cumulative"), wanted = data.f32("wanted"), x = data.f32("x"),
             y = data.f32("y"), new_x = data.f32("new_x", wanted.size()),
             new_y = data.f32("new_y", wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto at = std::lower_bound(cumulative.begin(), cumulative.end(), wanted[i]) - cumulative.begin();
    const auto found = std::min<std::size_t>(static_cast<std::size_t>(at), cumulative.size() - 1);
    new_x[i] = x[found];
    new_y[i] = y[found];
  }
}

void prepare_resample(HostData& data) {
  const auto cumulative = data.f32("cumulative");
  RandomStream random(data.seed_of("cumulative"));
  double sum = 0;
  for (float& weight : cumulative) weight = static_cast<float>(sum += random.real());
  for (float& weight : cumulative) weight = static_cast<float>(weight / sum);
}

}  // namespace strata::traces::references
