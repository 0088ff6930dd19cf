#pragma once

#include <vector>

#include "models/llc_predictors/bandwidth_model.h"
#include "models/llc_predictors/lsp_counters.h"
#include "models/llc_predictors/replication_shape.h"

namespace strata {

/// R_i of SelRep: requests to each slice of one memory controller, had each degree been in force.
class DegreeLoads {
 public:
  DegreeLoads(const ReplicationShape& shape, int counter_bits, std::uint64_t window = 0);

  /// A read-only load seen by the MC-router.
  void count(int address_slice, int cluster, Cycle now) {
    for (int i = 0; i < shape_.degrees(); ++i)
      loads_[static_cast<std::size_t>(i)].count(shape_.slice(i, cluster, address_slice), now);
  }
  const LspCounters& degree(int index) const { return loads_[static_cast<std::size_t>(index)]; }
  void reset(Cycle now);
  /// 5 x 16 counters of 16 bits with the paper's parameters.
  std::uint64_t storage_bits() const;

 private:
  ReplicationShape shape_;
  std::vector<LspCounters> loads_;
};

/// Index of the largest bandwidth; the first one among equals, so that degrees in rising order replicate no
/// more than pays. `bandwidths` must not be empty.
int best_degree(const std::vector<double>& bandwidths);

}  // namespace strata
