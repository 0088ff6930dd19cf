#pragma once

#include <cstdint>
#include <vector>

#include "models/llc_predictors/bandwidth_model.h"
#include "models/llc_predictors/lsp_counters.h"

namespace strata {

/// Where copies of lines live in the slices of one memory controller (SelRep, section III-A): with degree D,
/// C clusters and S slices, group g = cluster / (C / D) uses the S / D slices from g x (S / D) on, and within
/// them slice (address slice mod S / D). D = 1: shared; D = S = C: private.
class ReplicationShape {
 public:
  /// Every degree must divide clusters and slices: see `allows`.
  ReplicationShape(int clusters, int slices, std::vector<int> degrees);

  static bool allows(int clusters, int slices, int degree) {
    return degree > 0 && clusters % degree == 0 && slices % degree == 0;
  }
  int clusters() const { return clusters_; }
  int slices() const { return slices_; }
  int degrees() const { return static_cast<int>(degrees_.size()); }
  int degree(int index) const { return degrees_[static_cast<std::size_t>(index)]; }

  int group(int index, int cluster) const { return group_[at(index, clusters_, cluster)]; }
  /// Clusters of the group that `cluster` is in, one bit each.
  std::uint64_t group_mask(int index, int cluster) const { return mask_[at(index, clusters_, cluster)]; }
  /// Place of an address within its group's slices: address slice mod S / D.
  int place(int index, int address_slice) const { return place_[at(index, slices_, address_slice)]; }
  /// Group that has a slice for itself.
  int owner(int index, int slice) const { return owner_[at(index, slices_, slice)]; }
  int slice(int index, int cluster, int address_slice) const {
    return first_[at(index, clusters_, cluster)] + place(index, address_slice);
  }

 private:
  static std::size_t at(int index, int stride, int i) { return static_cast<std::size_t>(index * stride + i); }

  int clusters_;
  int slices_;
  std::vector<int> degrees_;
  // Tables by degree and cluster or slice: routers ask for every request, divisions would cost more.
  std::vector<std::uint16_t> group_;
  std::vector<std::uint16_t> first_;  // slice of the group
  std::vector<std::uint64_t> mask_;
  std::vector<std::uint16_t> place_;
  std::vector<std::uint16_t> owner_;
};

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
