#pragma once

#include <memory>
#include <vector>

#include "models/cache/replacement.h"
#include "models/l1/l1_by_chunks_hot.h"
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
    explicit operator bool() const { return enough; }
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
  void use(std::uint32_t set, const Found& found) {
    if (found.ways != 0) replacement_->hits(set, units(found.ways));
  }
  void missed(std::uint32_t set, ChunkMask missing, ChunkMask fresh) {
    if (samples_ && duel_->sampler(set) != L1Duel::Sampler::none) sample(set, missing, fresh);
  }
  Room room(std::uint32_t set, std::uint64_t number, const Found& found, ChunkMask fresh) const;
  int reserve(std::uint32_t set, std::uint64_t number, ChunkMask fresh, const Room& room);
  void arrive(std::uint32_t set, std::uint64_t number, ChunkMask chunks);
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
  struct Groups;
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};
  static std::uint64_t entry(std::uint64_t number, int chunk) {
    return number << 3 | static_cast<unsigned>(chunk);
  }
  bool coarse(std::uint32_t set) const;
  void sample(std::uint32_t set, ChunkMask missing, ChunkMask fresh);
  WayMask ways_of(int group) const { return first_ways(group_ways_) << group * group_ways_; }
  /// What the policy knows: ways, or whole groups.
  WayMask units(WayMask ways) const { return by_group_ ? groups_of(ways) : ways; }
  WayMask groups_of(WayMask ways) const;
  /// `taken`: ways that get another chunk at once.
  void forget(std::uint32_t set, WayMask ways, WayMask taken);
  Groups groups(std::uint32_t set, std::uint64_t number) const;
  void choose_chunks(std::uint32_t set, const Groups& groups, WayMask kept, bool whole, int& need,
                     Room& room) const;
  void choose_groups(std::uint32_t set, WayMask kept, int& need, Room& room) const;

  std::uint64_t* at(std::uint32_t set) { return &entries_[set * static_cast<std::size_t>(ways_)]; }
  const std::uint64_t* at(std::uint32_t set) const {
    return &entries_[set * static_cast<std::size_t>(ways_)];
  }

  Params::Mode mode_;
  bool by_group_, together_, whole_lines_;
  ChunkMask all_;
  int ways_;        // chunks of a set
  int group_ways_;  // of a group
  int shared_from_;
  std::vector<std::uint64_t> entries_;
  std::vector<WayMask> used_;      // with a chunk, or reserved for one
  std::vector<WayMask> reserved_;  // among these
  std::unique_ptr<Replacement> replacement_;
  Stats& stats_;
  std::shared_ptr<L1Duel> duel_;
  bool samples_ = false;
  Params::Samples rule_;
};

using L1TagSplit = L1ByChunks<TagSplitTags>;

inline TagSplitTags::Found TagSplitTags::find(std::uint32_t set, std::uint64_t number,
                                              ChunkMask asked) const {
  Found found;
  const std::uint64_t* const entries = at(set);
  for (int way = 0; way < ways_; ++way) {
    const std::uint64_t chunk = entries[way] ^ entry(number, 0);
    if (__builtin_expect(chunk > 7, 1) || (asked >> chunk & 1) == 0) continue;
    found.ways |= only_way(way);
    if ((reserved_[set] & only_way(way)) != 0) continue;
    found.present = static_cast<ChunkMask>(found.present | 1 << chunk);
    if (found.present == asked) break;
  }
  return found;
}

}  // namespace strata
