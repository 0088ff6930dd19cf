#pragma once

#include <cstdint>
#include <vector>

#include "models/cache/llc_set_index.h"
#include "models/common/access.h"
#include "models/llc_predictors/headroom.h"

namespace strata {

/// Keeps the stream of lookups of a run for the headroom analyses, up to a limit.
class LookupRecorder {
 public:
  /// `slice_sets` and `kind` as in the slices; `map` must outlive the recorder. A lookup takes 40 bytes.
  LookupRecorder(const AddressMap& map, std::uint64_t slice_sets, SetIndex::Kind kind, std::size_t limit)
      : map_(map),
        set_of_(slice_sets, kind, map),
        line_bits_(__builtin_ctzll(map.line_bytes())),
        limit_(limit) {}

  void record(const Access& access, Cycle now) {
    if (lookups_.size() == limit_) {
      ++dropped_;
      return;
    }
    const Location where = map_.locate(access.line);
    LlcLookup lookup;
    lookup.number = access.line >> line_bits_;
    lookup.cycle = now;
    lookup.channel = static_cast<std::uint16_t>(where.channel);
    lookup.address_slice = static_cast<std::uint16_t>(where.slice);
    lookup.set = set_of_(access.line);
    lookup.cluster = access.cluster;
    lookup.sm = access.sm;
    lookup.access_class = access.access_class;
    lookups_.push_back(lookup);
  }
  const std::vector<LlcLookup>& lookups() const { return lookups_; }
  std::uint64_t dropped() const { return dropped_; }  ///< beyond the limit

 private:
  const AddressMap& map_;
  LlcSetIndex set_of_;
  int line_bits_;
  std::size_t limit_;
  std::uint64_t dropped_ = 0;
  std::vector<LlcLookup> lookups_;
};

}  // namespace strata
