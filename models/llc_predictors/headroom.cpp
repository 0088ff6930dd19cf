#include "models/llc_predictors/headroom.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "models/cache/tag_array.h"
#include "models/llc_predictors/bandwidth_model.h"
#include "models/llc_predictors/lsp_counters.h"
#include "models/llc_predictors/replication_shape.h"

namespace strata {
namespace {

constexpr std::uint64_t no_use = std::numeric_limits<std::uint64_t>::max();

/// The slices of lookups with a fixed degree, and how even they are.
class Placement {
 public:
  Placement(const HeadroomParams& params, int degree)
      : params_(params),
        shape_(params.clusters, params.slices, {degree}),
        loads_(LspParams{params.channels * params.slices, 32, params.window}),
        accesses_(static_cast<std::size_t>(params.channels * params.slices)) {}

  /// Slice of the whole LLC.
  int place(const LlcLookup& lookup) {
    const bool copied = params_.replicate_read_only ? lookup.access_class == AccessClass::read_only_load
                                                    : lookup.access_class != AccessClass::atomic;
    const int within = copied ? shape_.slice(0, lookup.cluster, lookup.address_slice)
                              : static_cast<int>(lookup.address_slice);
    const int slice = lookup.channel * params_.slices + within;
    loads_.count(slice, lookup.cycle);
    ++accesses_[static_cast<std::size_t>(slice)];
    return slice;
  }
  /// A line has one copy in each slice.
  static std::uint64_t copy(const LlcLookup& lookup, int slice) {
    return lookup.number << 16 | static_cast<std::uint64_t>(slice);
  }
  std::size_t set(const LlcLookup& lookup, int slice) const {
    return static_cast<std::size_t>(slice) * static_cast<std::size_t>(params_.slice_sets) + lookup.set;
  }
  std::size_t sets() const {
    return static_cast<std::size_t>(params_.channels * params_.slices) *
           static_cast<std::size_t>(params_.slice_sets);
  }
  HeadroomResult result(std::uint64_t accesses, std::uint64_t hits) const {
    HeadroomResult result;
    result.accesses = accesses;
    result.hits = hits;
    result.busiest = *std::max_element(accesses_.begin(), accesses_.end());
    result.lsp = loads_.lsp();
    result.bandwidth = bottleneck_bandwidth({result.hit_rate(), result.lsp}, params_.bandwidth);
    return result;
  }

 private:
  const HeadroomParams& params_;
  ReplicationShape shape_;
  LspCounters loads_;
  std::vector<std::uint64_t> accesses_;  // of each slice
};

/// For each lookup, the next lookup of its copy.
std::vector<std::uint64_t> next_uses(const std::vector<std::uint64_t>& copies) {
  std::vector<std::uint64_t> next(copies.size(), no_use);
  std::unordered_map<std::uint64_t, std::uint64_t> later;
  for (std::size_t i = copies.size(); i-- > 0;) {
    const auto [entry, first] = later.try_emplace(copies[i], i);
    if (first) continue;
    next[i] = entry->second;
    entry->second = i;
  }
  return next;
}

struct OptEntry {
  std::uint64_t copy = 0;
  std::uint64_t next = no_use;
};

/// One lookup in one set, which holds at most `ways` entries. Returns whether it hits.
bool opt_access(std::vector<OptEntry>& set, std::size_t ways, OptEntry entry) {
  for (OptEntry& held : set) {
    if (held.copy != entry.copy) continue;
    held.next = entry.next;
    return true;
  }
  if (entry.next == no_use) return false;
  if (set.size() < ways) {
    set.push_back(entry);
    return false;
  }
  const auto furthest = std::max_element(
      set.begin(), set.end(), [](const OptEntry& a, const OptEntry& b) { return a.next < b.next; });
  if (entry.next < furthest->next) *furthest = entry;
  return false;
}

}  // namespace

HeadroomResult replay_degree(const std::vector<LlcLookup>& stream, const HeadroomParams& params, int degree) {
  Placement placement(params, degree);
  TagArray tags(placement.sets(), params.ways);
  std::uint64_t hits = 0;
  for (const LlcLookup& lookup : stream) {
    const auto set = static_cast<std::uint32_t>(placement.set(lookup, placement.place(lookup)));
    const int position = tags.find(set, lookup.number);
    if (position == TagArray::absent) {
      tags.insert(set, TagEntry(lookup.number, 0, false));
    } else {
      tags.hit(set, position);
      ++hits;
    }
  }
  return placement.result(stream.size(), hits);
}

HeadroomResult replay_opt(const std::vector<LlcLookup>& stream, const HeadroomParams& params, int degree) {
  Placement placement(params, degree);
  std::vector<std::uint64_t> copies;
  std::vector<std::size_t> sets_of;
  copies.reserve(stream.size());
  sets_of.reserve(stream.size());
  for (const LlcLookup& lookup : stream) {
    const int slice = placement.place(lookup);
    copies.push_back(Placement::copy(lookup, slice));
    sets_of.push_back(placement.set(lookup, slice));
  }
  const std::vector<std::uint64_t> next = next_uses(copies);
  std::vector<std::vector<OptEntry>> sets(placement.sets());
  std::uint64_t hits = 0;
  for (std::size_t i = 0; i < stream.size(); ++i)
    hits += opt_access(sets[sets_of[i]], static_cast<std::size_t>(params.ways), {copies[i], next[i]}) ? 1 : 0;
  return placement.result(stream.size(), hits);
}

HeadroomResult replay_infinite(const std::vector<LlcLookup>& stream, const HeadroomParams& params,
                               int degree) {
  Placement placement(params, degree);
  std::unordered_set<std::uint64_t> seen;
  std::uint64_t hits = 0;
  for (const LlcLookup& lookup : stream)
    hits += seen.insert(Placement::copy(lookup, placement.place(lookup))).second ? 0 : 1;
  return placement.result(stream.size(), hits);
}

}  // namespace strata
