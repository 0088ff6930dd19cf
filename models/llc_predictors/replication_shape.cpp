#include "models/llc_predictors/replication_shape.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace strata {

ReplicationShape::ReplicationShape(int clusters, int slices, std::vector<int> degrees)
    : clusters_(clusters), slices_(slices), degrees_(std::move(degrees)) {
  assert(clusters > 0 && clusters <= 64 && slices > 0);
  for (const int degree : degrees_) {
    assert(allows(clusters, slices, degree));
    const int per_group = clusters / degree;
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - per_group);
    for (int cluster = 0; cluster < clusters; ++cluster) {
      const int group = cluster / per_group;
      group_.push_back(static_cast<std::uint16_t>(group));
      first_.push_back(static_cast<std::uint16_t>(group * (slices / degree)));
      mask_.push_back(ones << (group * per_group));
    }
    for (int slice = 0; slice < slices; ++slice) {
      place_.push_back(static_cast<std::uint16_t>(slice % (slices / degree)));
      owner_.push_back(static_cast<std::uint16_t>(slice / (slices / degree)));
    }
  }
}

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
