#include "models/l1/l1_decoupled_sectored.h"

#include <algorithm>
#include <string>

#include "models/cache/geometry.h"

namespace strata {
namespace {

using Choice = L1DecoupledSectoredParams::Choice;
constexpr Named<Choice> choices[] = {
    {Choice::least_recent, "least_recent"}, {Choice::fewest_lost, "fewest_lost"}, {Choice::frame, "frame"}};

}  // namespace

void L1DecoupledSectoredParams::for_each_param(ParamVisitor& v) {
  L1ByChunksParams::for_each_param(v);
  v.integer({"tags", "tags", "tags of a frame: lines that can share it, each chunk in its usual place"}, tags,
            {1, 8});
  v.choice({"choice", "",
            "the tag of a new line: a free one where the fewest chunks are in the way, else the one that "
            "`replacement` says (least_recent); the one with which the fewest chunks are lost (fewest_lost); "
            "one of "
            "the frame that `replacement` says (frame)"},
           choice, choices);
  replacement_param(v, replacement);
  v.integer({"line_cycles", "cycles", "for each further line that loses chunks to a miss: the port is busy"},
            line_cycles, {0, 16});
}

Faults L1DecoupledSectoredParams::validate() const {
  Faults faults = L1ByChunksParams::validate();
  if (faults.empty() && set_tags() > most_ways)
    faults.push_back(param_fault("tags", "is " + std::to_string(tags) + ", which makes " +
                                             std::to_string(set_tags()) +
                                             " tags a set; allowed with $.ways=" + std::to_string(ways) +
                                             ": 1 to " + std::to_string(most_ways / ways)));
  return faults;
}

void L1DecoupledSectoredStats::for_each_stat(StatVisitor& v) const {
  L1ByChunksStats::for_each_stat(v);
  v.counter({"displaced_chunks", "chunks", "replaced because their place in the frame was needed"},
            displaced_chunks);
  v.counter({"replacement_cycles", "cycles", "for which misses that cost several lines kept the port"},
            replacement_cycles);
  v.law("replaced_chunks >= displaced_chunks");
}

DecoupledTags::DecoupledTags(const Params& params, Stats& stats, std::uint64_t seed)
    : choice_(params.choice),
      frame_tags_(params.tags),
      set_tags_(params.set_tags()),
      line_cycles_(params.line_cycles),
      tags_(params.sets() * static_cast<std::uint64_t>(set_tags_)),
      stats_(stats) {
  const auto& policy = replacement_policies().at(params.replacement);
  replacement_ = policy.make({params.sets(), set_tags_, seed});
  if (choice_ == Choice::frame) frames_ = policy.make({params.sets(), params.ways, seed});
}

StorageFields DecoupledTags::storage(const Params& params) {
  const std::uint64_t sets = params.sets(), set_tags = static_cast<std::uint64_t>(params.set_tags());
  const std::uint64_t chunks = params.size / params.chunk;
  const auto& policy = replacement_policies().at(params.replacement);
  StorageFields fields = {{"data", chunks, params.chunk * 8},
                          {"tag", sets * set_tags, params.tag_bits()},
                          {"valid", chunks, 1},
                          {"replacement", sets, policy.bits(params.set_tags())}};
  if (params.tags > 1)
    fields.push_back({"tag of a chunk", chunks, bits_for(static_cast<std::uint64_t>(params.tags))});
  if (params.choice == Choice::frame && params.ways > 1)
    fields.push_back({"replacement of frames", sets, policy.bits(params.ways)});
  params.append_mshrs(fields);
  return fields;
}

int DecoupledTags::in_the_way(std::uint32_t set, int tag, ChunkMask places) const {
  int sum = 0;
  const int first = tag / frame_tags_ * frame_tags_;
  for (int other = first; other < first + frame_tags_; ++other)
    if (other != tag) sum += __builtin_popcount(at(set)[other].chunks & places);
  return sum;
}

WayMask DecoupledTags::owners(std::uint32_t set, WayMask among, ChunkMask places) const {
  WayMask some = 0;
  for (int first = 0; first < set_tags_; first += frame_tags_) {
    if ((among & frame_mask(first / frame_tags_)) == 0) continue;
    for (int tag = first; tag < first + frame_tags_; ++tag)
      if ((at(set)[tag].chunks & places) != 0) some |= only_way(tag);
  }
  return some;
}

/// Tags that a new line may take: nothing is reserved of them, or in the places that it needs.
WayMask DecoupledTags::candidates(std::uint32_t set, ChunkMask fresh) const {
  WayMask some = 0;
  for (int first = 0; first < set_tags_; first += frame_tags_) {
    ChunkMask coming = 0;
    for (int tag = first; tag < first + frame_tags_; ++tag) coming |= at(set)[tag].coming;
    if ((coming & fresh) != 0) continue;
    for (int tag = first; tag < first + frame_tags_; ++tag)
      if (at(set)[tag].coming == 0) some |= only_way(tag);
  }
  return some;
}

/// Of several with as few, a free one, and of these one in the frame that holds the chunk in the way which
/// was used longest ago: with the lowest number one frame of a set would be filled over and over. No free
/// one: the tag that is evicted first.
int DecoupledTags::fewest_lost(std::uint32_t set, WayMask among, ChunkMask fresh) const {
  WayMask best = 0, free = 0;
  int least = 0;
  for (WayMask left = among; left != 0; left &= left - 1) {
    const int tag = __builtin_ctzll(left);
    const int lost = __builtin_popcount(at(set)[tag].chunks) + in_the_way(set, tag, fresh);
    if (best != 0 && lost > least) continue;
    if (best == 0 || lost < least) best = free = 0;
    least = lost;
    best |= only_way(tag);
    if (at(set)[tag].chunks == 0) free |= only_way(tag);
  }
  if (free == 0) return replacement_->victim(set, best);
  if (least == 0) return __builtin_ctzll(free);
  const int frame = replacement_->victim(set, owners(set, free, fresh)) / frame_tags_;
  return __builtin_ctzll(free & frame_mask(frame));
}

DecoupledTags::Room DecoupledTags::room(std::uint32_t set, std::uint64_t, const Found& found,
                                        ChunkMask fresh) const {
  if (found.tag != none) {
    const int first = found.tag / frame_tags_ * frame_tags_;
    for (int other = first; other < first + frame_tags_; ++other)
      if (other != found.tag && (at(set)[other].coming & fresh) != 0) return {};
    return {found.tag};
  }
  WayMask some = candidates(set, fresh), free = 0, used_frames = 0;
  if (some == 0) return {};
  for (WayMask left = some; left != 0; left &= left - 1) {
    const int tag = __builtin_ctzll(left);
    if (at(set)[tag].chunks == 0) free |= only_way(tag);
    used_frames |= only_way(tag / frame_tags_);
  }
  if (choice_ == Choice::fewest_lost) return {fewest_lost(set, some, fresh)};
  if (choice_ == Choice::frame) {
    const int frame = frames_->victim(set, used_frames);
    some &= frame_mask(frame);
    free &= frame_mask(frame);
  }
  return {free != 0 ? fewest_lost(set, free, fresh) : replacement_->victim(set, some)};
}

void DecoupledTags::lose(std::uint32_t set, int tag, ChunkMask chunks) {
  Tag& loser = at(set)[tag];
  loser.chunks = static_cast<ChunkMask>(loser.chunks & ~chunks);
  loser.coming = static_cast<ChunkMask>(loser.coming & ~chunks);
  if (loser.chunks == 0) replacement_->invalidate(set, tag);
}

int DecoupledTags::reserve(std::uint32_t set, std::uint64_t number, ChunkMask fresh, const Room& room,
                           const Found& found, const Access& by) {
  use(set, found, by);
  Tag& taken = at(set)[room.tag];
  const bool known = taken.chunks != 0 && taken.number == number;
  int lines = 0;
  if (!known) {
    if (taken.chunks != 0) ++lines;
    stats_.replaced_chunks += static_cast<unsigned>(__builtin_popcount(taken.chunks));
    taken.chunks = 0;
  }
  const int first = room.tag / frame_tags_ * frame_tags_;
  for (int other = first; other < first + frame_tags_; ++other) {
    const auto lost = static_cast<ChunkMask>(at(set)[other].chunks & fresh);
    if (other == room.tag || lost == 0) continue;
    ++lines;
    stats_.replaced_chunks += static_cast<unsigned>(__builtin_popcount(lost));
    stats_.displaced_chunks += static_cast<unsigned>(__builtin_popcount(lost));
    lose(set, other, lost);
  }
  taken.number = number;
  taken.chunks |= fresh;
  taken.coming |= fresh;
  if (!known) {
    const ReplacementContext context = ReplacementContext::of(by);
    replacement_->fill(set, room.tag, context);
    if (frames_ != nullptr) frames_->fill(set, room.tag / frame_tags_, context);
  }
  if (lines != 0) ++stats_.evictions;
  const int cycles = std::max(0, lines - 1) * line_cycles_;
  stats_.replacement_cycles += static_cast<unsigned>(cycles);
  return cycles;
}

void DecoupledTags::arrive(std::uint32_t set, std::uint64_t number, ChunkMask chunks, WayMask) {
  Tag& tag = at(set)[find(set, number, chunks).tag];
  tag.coming = static_cast<ChunkMask>(tag.coming & ~chunks);
}

void DecoupledTags::drop(std::uint32_t set, std::uint64_t number, ChunkMask chunks) {
  const int tag = find(set, number, chunks).tag;
  if (tag != none) lose(set, tag, chunks);
}

std::uint64_t DecoupledTags::clear() {
  std::uint64_t lines = 0;
  for (Tag& tag : tags_) {
    if ((tag.chunks & ~tag.coming) != 0) ++lines;
    tag = {};
  }
  replacement_->invalidate_all();
  return lines;
}

}  // namespace strata
