#include "models/l1/l1_tag_split_rtl.h"

#include <cstdio>

#include "models/l1/l1_tag_split_hot.h"

namespace strata {
namespace {

std::string mask(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string here(const TagSplitTagsRtl::Found& found) {
  return "chunks " + mask(found.present) + " are here, in ways " + mask(found.ways);
}

std::string goes(const TagSplitTagsRtl::Room& room) {
  if (!room) return "no room";
  return "ways " + mask(room.take) + " are taken, ways " + mask(room.drop) + " lose their chunks";
}

}  // namespace

TagSplitTagsRtl::TagSplitTagsRtl(const Params& params, Stats& stats, std::uint64_t seed,
                                 std::shared_ptr<void>* given)
    : TagSplitTags(params, stats, seed),
      line_(params.line),
      tags_(std::static_pointer_cast<RtlTags>(*given)) {
  tags_->rtl->reset();
}

RtlTagOut TagSplitTagsRtl::look(RtlTagIn in) const {
  RtlTagOut out;
  tags_->rtl->low(in, out);
  return out;
}

void TagSplitTagsRtl::change(RtlTagIn::Op op, std::uint32_t set, std::uint64_t number, ChunkMask asked,
                             ChunkMask fresh) {
  look({op, static_cast<std::uint16_t>(set), number, asked, fresh});
  tags_->rtl->high();
}

TagSplitTags::Found TagSplitTagsRtl::find(std::uint32_t set, std::uint64_t number, ChunkMask asked) const {
  number_ = number;
  asked_ = asked;
  const RtlTagOut out = look({RtlTagIn::none, static_cast<std::uint16_t>(set), number, asked, 0});
  const Found found{out.present, out.ways};
  if (!tags_->check) return found;
  const Found model = TagSplitTags::find(set, number, asked);
  if (model.present != found.present || model.ways != found.ways)
    tags_->differ(number * line_, "the model: " + here(model) + ", the RTL: " + here(found));
  return found;
}

void TagSplitTagsRtl::use(std::uint32_t set, const Found& found, const Access& by) {
  if (found.ways == 0) return;
  change(RtlTagIn::use, set, number_, asked_, 0);
  if (tags_->check) TagSplitTags::use(set, found, by);
}

TagSplitTags::Room TagSplitTagsRtl::room(std::uint32_t set, std::uint64_t number, const Found& found,
                                         ChunkMask fresh) const {
  const RtlTagOut out = look({RtlTagIn::none, static_cast<std::uint16_t>(set), number, asked_, fresh});
  const Room room{out.take, out.drop, out.enough};
  if (!tags_->check) return room;
  const Room model = TagSplitTags::room(set, number, found, fresh);
  const bool same =
      model.enough == room.enough && (!model.enough || (model.take == room.take && model.drop == room.drop));
  if (!same) tags_->differ(number * line_, "the model: " + goes(model) + ", the RTL: " + goes(room));
  return room;
}

int TagSplitTagsRtl::reserve(std::uint32_t set, std::uint64_t number, ChunkMask fresh, const Room& room,
                             const Found& found, const Access& by) {
  if (found.ways != 0) change(RtlTagIn::use, set, number, asked_, 0);
  change(RtlTagIn::reserve, set, number, asked_, fresh);
  return TagSplitTags::reserve(set, number, fresh, room, found, by);
}

void TagSplitTagsRtl::arrive(std::uint32_t set, std::uint64_t number, ChunkMask chunks, WayMask ways) {
  change(RtlTagIn::arrive, set, number, chunks, 0);
  TagSplitTags::arrive(set, number, chunks, ways);
}

void TagSplitTagsRtl::drop(std::uint32_t set, std::uint64_t number, ChunkMask chunks) {
  change(RtlTagIn::drop, set, number, chunks, 0);
  TagSplitTags::drop(set, number, chunks);
}

std::uint64_t TagSplitTagsRtl::clear() {
  change(RtlTagIn::clear, 0, 0, 0, 0);
  return TagSplitTags::clear();
}

}  // namespace strata
