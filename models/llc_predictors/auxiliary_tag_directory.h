#pragma once

#include <cstdint>

#include "models/llc_predictors/sampled_tags.h"

namespace strata {

/// An auxiliary tag directory. Defaults: ISCA 2019, section 4.4, for a slice of 96 KiB.
struct AtdParams {
  int routers = 8;       // SM-routers = clusters, at most 64
  int slice_sets = 48;   // sets of the slice that is watched
  int sampled_sets = 8;  // evenly spaced from `first_set`
  int first_set = 0;
  int ways = 16;
  int tag_bits = 19;
};

/// Counts since the last reset.
struct AtdCounts {
  std::uint64_t accesses = 0;      ///< to sampled sets
  std::uint64_t tag_hits = 0;      ///< the shared organization would hit
  std::uint64_t private_hits = 0;  ///< the private organization would hit
};

/// Predicts the hit rate of the private organization while the shared one runs, from the accesses to ONE
/// slice. An entry is a tag and a bit per router: who accessed the line since its tag came in. A private hit
/// is a tag hit by a router whose bit is set. Feed every access that the slice looks up; a miss that merges
/// with a fetch in flight counts as a hit, as it needs no fetch of its own.
class AuxiliaryTagDirectory {
 public:
  explicit AuxiliaryTagDirectory(const AtdParams& params);

  bool samples(std::uint32_t set) const { return sets_.sample(set) != SampledSets::none; }
  /// `set`: set of the slice; `number`: line number, or anything that names the line.
  void observe(std::uint32_t set, std::uint64_t number, int router) {
    const int sample = sets_.sample(set);
    if (sample != SampledSets::none) count(sample, number, router);
  }
  const AtdCounts& counts() const { return counts_; }
  double shared_hit_rate() const;   ///< 0 without accesses
  double private_hit_rate() const;  ///< 0 without accesses
  /// A profile begins: counts from 0, tags stay.
  void reset_counts() { counts_ = {}; }
  /// The slice has been flushed: tags go too.
  void clear();
  /// Tags and bits of the routers; 3456 bits = 432 bytes with the paper's parameters.
  std::uint64_t storage_bits() const;
  /// LRU order, which the paper's figure leaves out.
  std::uint64_t replacement_bits() const;
  const AtdParams& params() const { return params_; }

 private:
  void count(int sample, std::uint64_t number, int router);

  AtdParams params_;
  SampledSets sets_;
  SharerTags tags_;
  AtdCounts counts_;
};

}  // namespace strata
