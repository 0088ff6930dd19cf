#include "models/llc_predictors/sampled_tags.h"

#include <algorithm>
#include <cassert>

namespace strata {

SharerTags::SharerTags(int sets, int ways)
    : ways_(ways), entries_(static_cast<std::size_t>(sets) * static_cast<std::size_t>(ways)) {
  assert(sets > 0 && ways > 0);
}

std::uint64_t SharerTags::access(int set, std::uint64_t number, std::uint64_t sharer) {
  assert(sharer != 0);
  Entry* const entries = &entries_[static_cast<std::size_t>(set) * static_cast<std::size_t>(ways_)];
  int way = 0;
  while (way < ways_ && !(entries[way].sharers != 0 && entries[way].number == number)) ++way;
  const std::uint64_t before = way < ways_ ? entries[way].sharers : 0;
  for (int i = std::min(way, ways_ - 1); i > 0; --i) entries[i] = entries[i - 1];
  entries[0] = {number, before | sharer};
  return before;
}

void SharerTags::clear() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
}

int bits_to_name(int count) {
  int bits = 0;
  while ((std::int64_t{1} << bits) < count) ++bits;
  return bits;
}

}  // namespace strata
