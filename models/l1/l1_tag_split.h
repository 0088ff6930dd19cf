#pragma once

#include <memory>
#include <vector>

#include "models/cache/replacement.h"
#include "models/l1/chunk_places.h"
#include "models/l1/l1_by_chunks.h"
#include "models/l1/l1_duel.h"

namespace strata {

/// Tag-split cache (ICS 2016). Defaults: its Table 2.
struct L1TagSplitParams final : L1ByChunksParams {
  enum class Mode : int { fine, coarse, duel };
  enum class Samples : int { requests, misses, traffic };
  enum class Victims : int { together, lines, scattered, groups };

  int groups = 4;
  int private_tag = 8;
  Mode mode = Mode::fine;
  Victims victims = Victims::together;
  int replacement = replacement_row("nru_random");
  int extra_latency = 1;
  int samplers = 4;
  Samples samples = Samples::requests;
  int aging = 1024;

  int set_chunks() const { return ways * line_chunks(); }
  int hit_latency() const override { return latency + extra_latency; }
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;

 protected:
  std::uint64_t smallest_chunk() const override { return part_bytes; }
};

struct L1TagSplitStats final : L1ByChunksStats {
  std::uint64_t retagged_chunks = 0;
  std::uint64_t coarse_misses = 0;
  std::uint64_t mode_switches = 0;
  std::uint64_t mode_samples = 0;
  std::uint64_t mode_samples_coarse = 0;
  void for_each_stat(StatVisitor& visitor) const override;
};

/// Chunk groups: the chunks of a group may be of several lines, as long as the upper bits of their tags, the
/// shared tag, are the same. Taking a place in a group with another shared tag drops all that it has.
class TagSplitTags {
 public:
  using Params = L1TagSplitParams;
  using Stats = L1TagSplitStats;

  struct Found {
    ChunkMask present = 0;
    WayMask ways = 0;  // of what was asked for, reserved ones included
  };
  struct Room {
    WayMask take = 0;
    WayMask drop = 0;
    bool enough = false;
    WayMask chosen = 0;  // what the policy named, ways or groups: the rest of `drop` goes with it
    explicit operator bool() const { return enough; }
    WayMask ways() const { return take; }
  };

  /// `shared`: the duel of all L1s of a name. The one that finds none makes it, and its sets are the
  /// samplers.
  TagSplitTags(const Params& params, Stats& stats, std::uint64_t seed,
               std::shared_ptr<void>* shared = nullptr);
  static StorageFields storage(const Params& params);

  ChunkMask asked(std::uint32_t set, ChunkMask chunks) const {
    return mode_ == Params::Mode::fine || !coarse(set) ? chunks : all_;
  }
  Found find(std::uint32_t set, std::uint64_t number, ChunkMask asked) const;
  void use(std::uint32_t set, const Found& found, const Access& by) {
    if (found.ways != 0) replacement_->hits(set, units(found.ways), ReplacementContext::of(by));
  }
  void missed(std::uint32_t set, ChunkMask missing, ChunkMask fresh) {
    if (samples_ && duel_->sampler(set) != L1Duel::Sampler::none) sample(set, missing, fresh);
  }
  Room room(std::uint32_t set, std::uint64_t number, const Found& found, ChunkMask fresh) const;
  int reserve(std::uint32_t set, std::uint64_t number, ChunkMask fresh, const Room& room, const Found& found,
              const Access& by);
  /// Nothing but the end of its fetch moves what is reserved.
  void arrive(std::uint32_t set, std::uint64_t, ChunkMask, WayMask ways) { reserved_[set] &= ~ways; }
  void drop(std::uint32_t set, std::uint64_t number, ChunkMask chunks);
  std::uint64_t clear();

  /// What the ways of a set hold: for tests and for counting lines.
  struct Content {
    std::uint64_t number = 0;
    int chunk = 0;
    bool used = false;
    bool reserved = false;
  };
  std::vector<Content> contents(std::uint32_t set) const;
  const L1Duel* duel() const { return duel_.get(); }

 private:
  bool coarse(std::uint32_t set) const;
  void sample(std::uint32_t set, ChunkMask missing, ChunkMask fresh);
  WayMask ways_of(int group) const { return first_ways(group_ways_) << group * group_ways_; }
  /// What the policy knows: ways, or whole groups.
  WayMask units(WayMask ways) const { return by_group_ ? groups_of(ways) : ways; }
  WayMask groups_of(WayMask ways) const;
  /// `taken`: ways that get another chunk at once; `chosen`: what the policy named, which it has to know
  /// until the fill is reported to it.
  void forget(std::uint32_t set, WayMask ways, WayMask taken, WayMask chosen);
  /// Chunks in these ways.
  ChunkMask chunks_in(std::uint32_t set, WayMask ways) const;
  WayMask own_groups(std::uint32_t set, std::uint64_t number) const;
  WayMask whole_groups(WayMask some) const;
  void choose_chunks(std::uint32_t set, WayMask own, WayMask kept, bool whole, int& need, Room& room) const;
  void choose_groups(std::uint32_t set, WayMask kept, int& need, Room& room) const;

  std::size_t groups_at(std::uint32_t set) const { return set * static_cast<std::size_t>(group_count_); }

  Params::Mode mode_;
  bool by_group_, together_, whole_lines_;
  ChunkMask all_;
  int ways_, group_ways_, group_count_;  // chunks of a set, of a group; groups of a set
  WayMask first_group_, all_ways_;
  int shared_from_;
  ChunkPlaces places_;
  std::vector<std::uint64_t> shared_;  // tag of each group; of an empty one anything
  std::vector<WayMask> used_;          // with a chunk, or reserved for one
  std::vector<WayMask> reserved_;      // among these
  std::unique_ptr<Replacement> replacement_;
  Stats& stats_;
  std::shared_ptr<L1Duel> duel_;
  bool samples_ = false;
  int packet_chunks_;  // that a packet brings, where they are smaller than it
  Params::Samples rule_;
};

using L1TagSplit = L1ByChunks<TagSplitTags>;
// With room() and reserve() in it.
extern template L1Decision L1ByChunks<TagSplitTags>::miss(Access& access, std::uint64_t number,
                                                          std::uint32_t set, ChunkMask asked,
                                                          const TagSplitTags::Found& found, bool room);

[[gnu::always_inline]] inline TagSplitTags::Found TagSplitTags::find(std::uint32_t set, std::uint64_t number,
                                                                     ChunkMask asked) const {
  const ChunkPlaces::Found held = places_.find(set, number, asked);
  Found found{held.chunks, held.ways};
  if (const WayMask coming = found.ways & reserved_[set]; coming != 0) [[unlikely]]
    found.present = chunks_in(set, found.ways & ~coming);
  return found;
}

}  // namespace strata
