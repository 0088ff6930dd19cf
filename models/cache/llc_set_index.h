#pragma once

#include "models/cache/set_index.h"
#include "models/common/address_map.h"

namespace strata {

/// The tags of an LLC slice: what predictors need to know to keep copies of some of them.
struct SliceTags {
  std::uint64_t sets = 48;
  int ways = 16;
  SetIndex::Kind set_index = SetIndex::Kind::hashed;
};

/// Set of a line in an LLC slice. The lines of a slice agree in the address bits that chose channel and
/// slice, so the index counts the lines of the slice densely. In a private organization a slice sees lines of
/// every slice of its channel; those are spread by an offset that is constant in a shared one.
class LlcSetIndex {
 public:
  LlcSetIndex(const SliceTags& tags, const AddressMap& map) : LlcSetIndex(tags.sets, tags.set_index, map) {}
  LlcSetIndex(std::uint64_t sets, SetIndex::Kind kind, const AddressMap& map)
      : map_(map), index_(sets, kind), offset_(sets / static_cast<std::uint64_t>(map.slices_per_channel())) {}

  [[gnu::always_inline]] std::uint32_t operator()(Address line) const {
    const AddressMap::OfSlice own = map_.line_of_slice(line);
    const std::uint64_t set = index_(own.number) + own.slice * offset_;
    return static_cast<std::uint32_t>(set < index_.sets() ? set : set - index_.sets());
  }

 private:
  const AddressMap& map_;
  SetIndex index_;
  std::uint64_t offset_;
};

}  // namespace strata
