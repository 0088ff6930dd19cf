#include "models/llc_predictors/degree_selection.h"

#include <algorithm>

namespace strata {

DegreeLoads::DegreeLoads(const ReplicationShape& shape, int counter_bits, std::uint64_t window)
    : shape_(shape),
      loads_(static_cast<std::size_t>(shape.degrees()),
             LspCounters(LspParams{shape.slices(), counter_bits, window})) {}

void DegreeLoads::reset(Cycle now) {
  for (LspCounters& loads : loads_) loads.reset(now);
}

std::uint64_t DegreeLoads::storage_bits() const {
  std::uint64_t bits = 0;
  for (const LspCounters& loads : loads_) bits += loads.storage_bits();
  return bits;
}

int best_degree(const std::vector<double>& bandwidths) {
  return static_cast<int>(std::max_element(bandwidths.begin(), bandwidths.end()) - bandwidths.begin());
}

}  // namespace strata
