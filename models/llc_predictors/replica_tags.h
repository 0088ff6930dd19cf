#pragma once

#include <cstdint>
#include <vector>

#include "models/cache/tag_array.h"
#include "models/llc_predictors/replication_shape.h"
#include "models/llc_predictors/sampled_tags.h"

namespace strata {

/// Sizes of true tags of sampled sets.
struct ReplicaTagsParams {
  int clusters = 16;
  int slices = 16;  // of the memory controller
  int slice_sets = 32;
  std::vector<int> degrees = {1, 2, 4, 8, 16};  // adaptive LLC: {slices}
  int sampled_sets = 2;                         // of each slice; all of one that has fewer
  int first_set = 0;
  int ways = 16;
  int tag_bits = 20;
  int counter_bits = 16;
};

/// An addition of Strata: for each degree the true tags of the sampled sets of every slice, so that a line
/// that fills one way per copy does so here too. The directories of the papers keep one tag for all copies
/// and cannot see that copies cost capacity. The same lines are sampled at every degree: degrees differ by
/// their copies, not by what a sample happened to see. Sits in one MC-router; costs ways x slices x degrees
/// tags a set.
class ReplicaTags {
 public:
  explicit ReplicaTags(const ReplicaTagsParams& params);

  /// A lookup of the line with number `number`, whose set in any slice is `set` and whose address names
  /// `address_slice`. `replicated`: a read-only load (adaptive LLC: everything but atomics). Other accesses
  /// go to the address's slice at every degree; they take room but are not counted.
  void observe(std::uint32_t set, std::uint64_t number, int address_slice, int cluster,
               bool replicated = true);
  const ReplicationShape& shape() const { return shape_; }
  std::uint64_t accesses(int degree_index) const { return at(degree_index).accesses; }
  std::uint64_t hits(int degree_index) const { return at(degree_index).hits; }
  double hit_rate(int degree_index) const;  ///< 0 without accesses
  void reset_counts();
  void clear();
  std::uint64_t storage_bits() const;
  std::uint64_t counter_bits() const;
  std::uint64_t replacement_bits() const;
  const ReplicaTagsParams& params() const { return params_; }

 private:
  struct Degree {
    TagArray tags;  // set = slice x samples + sample
    std::uint64_t accesses = 0;
    std::uint64_t hits = 0;
  };
  const Degree& at(int index) const { return degrees_[static_cast<std::size_t>(index)]; }

  ReplicaTagsParams params_;
  ReplicationShape shape_;
  SampledSets sets_;  // of a slice
  std::vector<Degree> degrees_;
};

}  // namespace strata
