#pragma once

#include <memory>
#include <vector>

#include "models/cache/replacement.h"
#include "models/l1/l1_by_chunks.h"

namespace strata {

/// Decoupled sectored cache (Seznec, ISCA 1994), as ICS 2016 compares with it: DSC-2 has two tags a frame.
struct L1DecoupledSectoredParams final : L1ByChunksParams {
  enum class Choice : int { least_recent, fewest_lost, frame };

  int tags = 2;
  Choice choice = Choice::least_recent;
  int replacement = 0;  // row of the table of policies: LRU
  int line_cycles = 1;

  int set_tags() const { return ways * tags; }
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;
};

struct L1DecoupledSectoredStats final : L1ByChunksStats {
  std::uint64_t displaced_chunks = 0;
  std::uint64_t replacement_cycles = 0;
  void for_each_stat(StatVisitor& visitor) const override;
};

/// Frames of the size of a line, each with several tags: a chunk has its usual place in the frame and belongs
/// to one of the frame's tags. So lines share a frame as long as they need different places.
class DecoupledTags {
 public:
  using Params = L1DecoupledSectoredParams;
  using Stats = L1DecoupledSectoredStats;

  struct Found {
    ChunkMask present = 0;
    int tag = none;  // of the set
  };
  struct Room {
    int tag = none;
    explicit operator bool() const { return tag != none; }
    WayMask ways() const { return 0; }  // arrive() finds them
  };

  DecoupledTags(const Params& params, Stats& stats, std::uint64_t seed);
  static StorageFields storage(const Params& params);

  ChunkMask asked(std::uint32_t, ChunkMask chunks) const { return chunks; }
  Found find(std::uint32_t set, std::uint64_t number, ChunkMask) const {
    const Tag* const tags = at(set);
    for (int tag = 0; tag < set_tags_; ++tag)
      if (tags[tag].number == number && tags[tag].chunks != 0)
        return {static_cast<ChunkMask>(tags[tag].chunks & ~tags[tag].coming), tag};
    return {};
  }
  void use(std::uint32_t set, const Found& found, const Access& by) {
    if (found.tag != none) touch(set, found.tag, ReplacementContext::of(by));
  }
  Room room(std::uint32_t set, std::uint64_t number, const Found& found, ChunkMask fresh) const;
  void missed(std::uint32_t, ChunkMask, ChunkMask) {}
  int reserve(std::uint32_t set, std::uint64_t number, ChunkMask fresh, const Room& room, const Found& found,
              const Access& by);
  void arrive(std::uint32_t set, std::uint64_t number, ChunkMask chunks, WayMask);
  void drop(std::uint32_t set, std::uint64_t number, ChunkMask chunks);
  std::uint64_t clear();

  struct Tag {
    std::uint64_t number = 0;
    ChunkMask chunks = 0;  // that belong to it, reserved ones included; none: the tag is free
    ChunkMask coming = 0;  // reserved
  };
  const Tag& tag(std::uint32_t set, int tag) const { return at(set)[tag]; }

 private:
  static constexpr int none = -1;
  Tag* at(std::uint32_t set) { return &tags_[set * static_cast<std::size_t>(set_tags_)]; }
  const Tag* at(std::uint32_t set) const { return &tags_[set * static_cast<std::size_t>(set_tags_)]; }
  void touch(std::uint32_t set, int tag, const ReplacementContext& by) {
    replacement_->hit(set, tag, by);
    if (frames_ != nullptr) frames_->hit(set, tag / frame_tags_, by);
  }
  /// Chunks of other tags in these places of a tag's frame.
  int in_the_way(std::uint32_t set, int tag, ChunkMask places) const;
  /// Tags of the frames of `among` that have chunks in these places.
  WayMask owners(std::uint32_t set, WayMask among, ChunkMask places) const;
  WayMask frame_mask(int frame) const { return first_ways(frame_tags_) << frame * frame_tags_; }
  WayMask candidates(std::uint32_t set, ChunkMask fresh) const;
  int fewest_lost(std::uint32_t set, WayMask among, ChunkMask fresh) const;
  void lose(std::uint32_t set, int tag, ChunkMask chunks);

  Params::Choice choice_;
  int frame_tags_, set_tags_, line_cycles_;
  std::vector<Tag> tags_;
  std::unique_ptr<Replacement> replacement_;  // among tags
  std::unique_ptr<Replacement> frames_;       // choice: frame
  Stats& stats_;
};

using L1DecoupledSectored = L1ByChunks<DecoupledTags>;

}  // namespace strata
