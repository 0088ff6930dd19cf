#pragma once

#include <functional>
#include <memory>
#include <string>

#include "models/l1/l1_tag_split.h"
#include "models/l1/rtl_tag_array.h"

namespace strata {

/// What the L1 in RTL and the place that makes it have in common.
struct RtlTags {
  std::unique_ptr<RtlTagArray> rtl;
  bool check = false;  ///< the model's tags decide beside it
  std::function<void(Address line, const std::string& what)> differ;
};

/// Tags of a tag-split L1 whose decisions RTL makes. The model's follow them, for what is counted; where they
/// are to check, they say first what they would have done.
class TagSplitTagsRtl final : private TagSplitTags {
 public:
  using Params = L1TagSplitParams;
  using Stats = L1TagSplitStats;
  using TagSplitTags::asked;
  using TagSplitTags::contents;
  using TagSplitTags::Found;
  using TagSplitTags::missed;
  using TagSplitTags::Room;
  using TagSplitTags::storage;

  /// `given`: a RtlTags.
  TagSplitTagsRtl(const Params& params, Stats& stats, std::uint64_t seed, std::shared_ptr<void>* given);

  Found find(std::uint32_t set, std::uint64_t number, ChunkMask asked) const;
  void use(std::uint32_t set, const Found& found, const Access& by);
  Room room(std::uint32_t set, std::uint64_t number, const Found& found, ChunkMask fresh) const;
  int reserve(std::uint32_t set, std::uint64_t number, ChunkMask fresh, const Room& room, const Found& found,
              const Access& by);
  void arrive(std::uint32_t set, std::uint64_t number, ChunkMask chunks, WayMask ways);
  void drop(std::uint32_t set, std::uint64_t number, ChunkMask chunks);
  std::uint64_t clear();

 private:
  RtlTagOut look(RtlTagIn in) const;
  void change(RtlTagIn::Op op, std::uint32_t set, std::uint64_t number, ChunkMask asked, ChunkMask fresh);

  const Address line_;
  std::shared_ptr<RtlTags> tags_;
  mutable std::uint64_t number_ = 0;  // what was last looked for
  mutable ChunkMask asked_ = 0;
};

using L1TagSplitRtl = L1ByChunks<TagSplitTagsRtl>;

/// How RTL takes the place of the tags of `l1_tag_split`.
struct RtlPlace;
const RtlPlace& l1_tag_split_rtl_place();

}  // namespace strata
