#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

namespace strata {

/// Which sets a predictor samples: `samples` of them, evenly spaced from `first`. A position may count the
/// sets of several slices: slice * sets per slice + set.
class SampledSets {
 public:
  static constexpr int none = -1;

  SampledSets(int positions, int samples, int first = 0)
      : samples_(samples), index_(static_cast<std::size_t>(positions), none) {
    assert(positions > 0 && samples > 0 && samples <= positions && first >= 0);
    for (std::int64_t i = 0; i < samples; ++i)
      index_[static_cast<std::size_t>((first + i * positions / samples) % positions)] =
          static_cast<std::int32_t>(i);
  }
  int samples() const { return samples_; }
  int positions() const { return static_cast<int>(index_.size()); }
  /// Number of the sample at a position, or `none`.
  int sample(std::uint32_t position) const { return index_[position]; }

 private:
  int samples_;
  std::vector<std::int32_t> index_;
};

/// Tags of sampled sets with exact LRU; each entry keeps one bit per sharer (SM-router or SM
/// cluster) that accessed it since its tag came in.
class SharerTags {
 public:
  SharerTags(int sets, int ways);

  /// Access by the sharers in `sharer` (one bit). Returns the sharers remembered before, 0 when the tag was
  /// absent; the tag is then in front of its set.
  std::uint64_t access(int set, std::uint64_t number, std::uint64_t sharer);
  void clear();

 private:
  struct Entry {
    std::uint64_t number = 0;
    std::uint64_t sharers = 0;  // 0 = invalid
  };
  int ways_;
  std::vector<Entry> entries_;  // a set is a run of `ways_`, most recently used first
};

/// Bits that name one of `count` things.
int bits_to_name(int count);

}  // namespace strata
