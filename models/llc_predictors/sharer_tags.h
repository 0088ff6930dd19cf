#pragma once

#include <cstdint>
#include <vector>

namespace strata {

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
