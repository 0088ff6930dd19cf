#pragma once

#include <cstdint>
#include <vector>

#include "models/llc_predictors/replication_shape.h"
#include "models/llc_predictors/sampled_tags.h"

namespace strata {

/// A replication degree directory. Defaults: SelRep, section III-D, for slices of 64 KiB.
struct RddParams {
  enum class Tags : int {
    one,         // the text: a tag with a bit vector per degree; all degrees sample the same sets
    per_degree,  // a directory per degree that samples sets as that degree fills them
  };
  Tags tags = Tags::one;
  int clusters = 16;  // at most 64
  int slices = 16;    // of the memory controller
  int slice_sets = 32;
  std::vector<int> degrees = {1, 2, 4, 8, 16};
  int sampled_sets = 2;
  int first_set = 0;
  int ways = 16;
  int tag_bits = 20;  // makes the paper's 520 bytes with a tag per degree
  int counter_bits = 16;
};

/// Sits in ONE MC-router, sees the read-only loads of its memory controller and predicts the hit rates of
/// all degrees at once, whichever is in force. A hit at degree D: the tag is present, and a cluster of the
/// requester's group of C / D clusters has touched it since it came in.
class ReplicationDegreeDirectory {
 public:
  explicit ReplicationDegreeDirectory(const RddParams& params);

  /// `set`: set of the line in any slice; `address_slice`: slice of the controller that the address names.
  void observe(std::uint32_t set, std::uint64_t number, int address_slice, int cluster);
  const ReplicationShape& shape() const { return shape_; }
  std::uint64_t accesses(int degree_index) const;
  std::uint64_t hits(int degree_index) const { return hits_[static_cast<std::size_t>(degree_index)]; }
  double hit_rate(int degree_index) const;  ///< 0 without accesses
  /// An epoch begins: counts from 0, tags stay.
  void reset_counts();
  /// The LLC has been flushed: tags go too.
  void clear();
  /// Tags and bit vectors: 4160 bits = 520 bytes for the default sizes with a tag per degree.
  std::uint64_t storage_bits() const;
  /// Hit counters and access counters.
  std::uint64_t counter_bits() const;
  std::uint64_t replacement_bits() const;
  const RddParams& params() const { return params_; }

 private:
  struct Directory {
    SampledSets sets;
    SharerTags tags;
    std::uint64_t accesses = 0;
  };

  RddParams params_;
  ReplicationShape shape_;
  std::vector<Directory> directories_;  // one, or one per degree
  std::vector<std::uint64_t> hits_;     // by degree
};

}  // namespace strata
