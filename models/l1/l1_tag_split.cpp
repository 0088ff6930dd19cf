#include <algorithm>
#include <string>

#include "models/cache/geometry.h"
#include "models/l1/l1_tag_split_hot.h"

namespace strata {
namespace {

using Mode = L1TagSplitParams::Mode;
using Samples = L1TagSplitParams::Samples;
using Victims = L1TagSplitParams::Victims;
constexpr Named<Mode> modes[] = {{Mode::fine, "fine"}, {Mode::coarse, "coarse"}, {Mode::duel, "duel"}};
constexpr Named<Samples> sample_rules[] = {
    {Samples::requests, "requests"}, {Samples::misses, "misses"}, {Samples::traffic, "traffic"}};
constexpr Named<Victims> victim_rules[] = {{Victims::together, "together"},
                                           {Victims::lines, "lines"},
                                           {Victims::scattered, "scattered"},
                                           {Victims::groups, "groups"}};

}  // namespace

void L1TagSplitParams::for_each_param(ParamVisitor& v) {
  L1ByChunksParams::for_each_param(v);
  v.integer(
      {"groups", "groups", "chunk groups of a set: the chunks of one share the upper bits of their tags"},
      groups, {1, most_ways});
  v.integer({"private_tag", "bits", "lower bits of the tag that each chunk has for itself"}, private_tag,
            {0, 40});
  v.choice({"mode", "",
            "what a miss fetches and keeps: the chunks asked for (fine), the whole line (coarse), or what "
            "costs less in the sampler sets of the first L1 (duel)"},
           mode, modes);
  v.choice(
      {"victims", "",
       "where several chunks find room in a full set: place by place as `replacement` says, the rest of a "
       "group that changes its shared tag first (together); so, and a whole line takes the rest of a group "
       "that keeps its shared tag too (lines); place by place alone (scattered); in whole groups, among "
       "which "
       "`replacement` chooses (groups)"},
      victims, victim_rules);
  replacement_param(v, replacement);
  v.integer({"extra_latency", "cycles", "of a hit, beyond `latency`, for the longer search"}, extra_latency,
            {0, 64});
  v.integer({"samplers", "sets", "sampler sets of each mode in the first L1 (mode: duel)"}, samplers,
            {1, 4096});
  v.choice(
      {"samples", "",
       "what sampler sets count: requests and the chunks they ask for, all loads that miss and what they "
       "miss, in flight or not, or all loads that miss and the chunks they ask for, none where others "
       "have (mode: duel)"},
      samples, sample_rules);
  v.integer({"aging", "misses", "misses of a mode's samplers after which all counts are halved (mode: duel)"},
            aging, {1, 32767});
}

Faults L1TagSplitParams::validate() const {
  Faults faults = L1ByChunksParams::validate();
  if (!faults.empty()) return faults;
  if (set_chunks() % groups != 0) {
    int nearest = groups;
    while (nearest > 1 && (nearest >= set_chunks() || set_chunks() % nearest != 0)) --nearest;
    faults.push_back(param_fault("groups", "is " + std::to_string(groups) + "; allowed: what divides the " +
                                               std::to_string(set_chunks()) + " chunks of a set (nearest: " +
                                               std::to_string(nearest) + ")"));
  } else if (victims == Victims::groups && set_chunks() / groups < line_chunks()) {
    faults.push_back(param_fault("groups", "is " + std::to_string(groups) +
                                               "; allowed with $.victims=groups: at most $.ways=" +
                                               std::to_string(ways) + ", so that a line fits in a group"));
  }
  if (static_cast<std::uint64_t>(private_tag) > tag_bits())
    faults.push_back(param_fault("private_tag", "is " + std::to_string(private_tag) + "; allowed: 0 to " +
                                                    std::to_string(tag_bits()) + ", the bits of a tag"));
  if (mode == Mode::duel && static_cast<std::uint64_t>(samplers) * 2 > sets())
    faults.push_back(param_fault("samplers", "is " + std::to_string(samplers) + "; allowed: half of the " +
                                                 std::to_string(sets()) + " sets at most"));
  return faults;
}

void L1TagSplitStats::for_each_stat(StatVisitor& v) const {
  L1ByChunksStats::for_each_stat(v);
  v.counter({"retagged_chunks", "chunks", "replaced because their group took another shared tag"},
            retagged_chunks);
  v.counter({"coarse_misses", "accesses", "misses that asked for the whole line"}, coarse_misses);
  v.counter({"mode_switches", "events", "changes of the mode that the sampler sets prefer"}, mode_switches);
  v.counter({"mode_samples", "events", "requests of sampler sets, each of which may change the mode"},
            mode_samples);
  v.counter({"mode_samples_coarse", "events", "of these: whole lines were preferred after it"},
            mode_samples_coarse);
  v.law("replaced_chunks >= retagged_chunks");
  v.law("mode_samples >= mode_samples_coarse");
  v.law("misses" + std::string(prefetch.issued_too()) + " >= coarse_misses");
}

TagSplitTags::TagSplitTags(const Params& params, Stats& stats, std::uint64_t seed,
                           std::shared_ptr<void>* shared)
    : mode_(params.mode),
      by_group_(params.victims == Victims::groups),
      together_(params.victims == Victims::together || params.victims == Victims::lines),
      whole_lines_(params.victims == Victims::lines),
      all_(static_cast<ChunkMask>((1U << params.line_chunks()) - 1)),
      ways_(params.set_chunks()),
      group_ways_(params.set_chunks() / params.groups),
      group_count_(params.groups),
      first_group_(first_ways(group_ways_)),
      all_ways_(first_ways(ways_)),
      shared_from_(params.private_tag + static_cast<int>(bits_for(params.sets() + 1)) - 1),
      places_(params.sets(), ways_),
      shared_(params.sets() * static_cast<std::uint64_t>(params.groups)),
      used_(params.sets()),
      reserved_(params.sets()),
      stats_(stats),
      packet_chunks_(std::max(1, static_cast<int>(sector_bytes / params.chunk))),
      rule_(params.samples) {
  const auto& policy = replacement_policies().at(params.replacement);
  replacement_ = policy.make({params.sets(), by_group_ ? params.groups : ways_, seed});
  if (mode_ != Mode::duel) return;
  std::shared_ptr<void> own;
  if (shared == nullptr) shared = &own;
  samples_ = *shared == nullptr;
  if (samples_) *shared = std::make_shared<L1Duel>(params.sets(), params.samplers, params.aging, seed);
  duel_ = std::static_pointer_cast<L1Duel>(*shared);
}

StorageFields TagSplitTags::storage(const Params& params) {
  const std::uint64_t sets = params.sets(), chunks = sets * static_cast<std::uint64_t>(params.set_chunks());
  const auto own = static_cast<std::uint64_t>(params.private_tag),
             groups = static_cast<std::uint64_t>(params.groups);
  const auto& policy = replacement_policies().at(params.replacement);
  StorageFields fields = {
      {"data", chunks, params.chunk * 8},
      {"shared tag of a group", sets * groups, params.tag_bits() - own},
      {"private tag", chunks, own},
      {"place in the line", chunks, bits_for(static_cast<std::uint64_t>(params.line_chunks()))},
      {"valid", chunks, 1},
      {"replacement", sets,
       policy.bits(params.victims == Victims::groups ? params.groups : params.set_chunks())}};
  if (params.mode == Mode::duel) fields.push_back({"duel: misses and packets, in one L1", 4, 16});
  params.append_mshrs(fields);
  return fields;
}

bool TagSplitTags::coarse(std::uint32_t set) const {
  if (mode_ != Mode::duel) return mode_ == Mode::coarse;
  const auto sampler = samples_ ? duel_->sampler(set) : L1Duel::Sampler::none;
  return sampler == L1Duel::Sampler::none ? duel_->coarse() : sampler == L1Duel::Sampler::coarse;
}

ChunkMask TagSplitTags::chunks_in(std::uint32_t set, WayMask ways) const {
  const ChunkMask* const chunks = places_.chunks(set);
  ChunkMask all = 0;
  for (; ways != 0; ways &= ways - 1) all |= chunks[__builtin_ctzll(ways)];
  return all;
}

WayMask TagSplitTags::groups_of(WayMask ways) const {
  WayMask groups = 0;
  for (; ways != 0; ways &= ways - 1) groups |= only_way(__builtin_ctzll(ways) / group_ways_);
  return groups;
}

/// Ways of the groups that have some of these.
WayMask TagSplitTags::whole_groups(WayMask some) const {
  WayMask all = 0;
  while (some != 0) {
    const WayMask group = ways_of(__builtin_ctzll(some) / group_ways_);
    all |= group;
    some &= ~group;
  }
  return all;
}

void TagSplitTags::choose_groups(std::uint32_t set, WayMask kept, int& need, Room& room) const {
  WayMask candidates = units(used_[set]) & ~units(reserved_[set]);
  while (need != 0 && candidates != 0) {
    const int group = replacement_->victim(set, candidates);
    candidates &= ~only_way(group);
    room.chosen |= only_way(group);
    const WayMask ways = ways_of(group) & ~kept;
    room.drop |= used_[set] & ways;
    room.take |= detail::first_of(ways & ~room.take, need);
  }
}

void TagSplitTags::forget(std::uint32_t set, WayMask ways, WayMask taken, WayMask chosen) {
  used_[set] &= ~ways;
  reserved_[set] &= ~ways;
  for (WayMask left = ways & ~taken; left != 0; left &= left - 1)
    places_.row(set).empty(__builtin_ctzll(left));
  const WayMask gone = (by_group_ ? units(ways) & ~units(used_[set]) : ways) & ~chosen;
  if (gone != 0) replacement_->invalidates(set, gone);
}

void TagSplitTags::sample(std::uint32_t set, ChunkMask missing, ChunkMask fresh) {
  if (rule_ == Samples::requests && fresh == 0) return;
  const auto chunks = static_cast<int>(chunk_count(rule_ == Samples::misses ? missing : fresh));
  duel_->missed(duel_->sampler(set), (chunks + packet_chunks_ - 1) / packet_chunks_);
  stats_.mode_switches = duel_->switches();
  ++stats_.mode_samples;
  if (duel_->coarse()) ++stats_.mode_samples_coarse;
}

void TagSplitTags::drop(std::uint32_t set, std::uint64_t number, ChunkMask chunks) {
  forget(set, find(set, number, chunks).ways, 0, 0);
}

std::uint64_t TagSplitTags::clear() {
  std::uint64_t lines = 0;
  for (std::uint32_t set = 0; set < used_.size(); ++set) {
    std::vector<std::uint64_t> numbers;
    for (const Content& chunk : contents(set))
      if (chunk.used && !chunk.reserved) numbers.push_back(chunk.number);
    std::sort(numbers.begin(), numbers.end());
    lines += static_cast<std::uint64_t>(std::unique(numbers.begin(), numbers.end()) - numbers.begin());
  }
  places_.clear();
  used_.assign(used_.size(), 0);
  reserved_.assign(reserved_.size(), 0);
  replacement_->invalidate_all();
  return lines;
}

std::vector<TagSplitTags::Content> TagSplitTags::contents(std::uint32_t set) const {
  std::vector<Content> all(static_cast<std::size_t>(ways_));
  for (WayMask left = used_[set]; left != 0; left &= left - 1) {
    const int way = __builtin_ctzll(left);
    const auto place = static_cast<std::size_t>(way);
    all[place] = {places_.number(set, way), __builtin_ctz(places_.chunks(set)[place]), true,
                  (reserved_[set] & only_way(way)) != 0};
  }
  return all;
}

template L1Decision L1ByChunks<TagSplitTags>::miss(Access& access, std::uint64_t number, std::uint32_t set,
                                                   ChunkMask asked, const TagSplitTags::Found& found,
                                                   bool room);

}  // namespace strata
