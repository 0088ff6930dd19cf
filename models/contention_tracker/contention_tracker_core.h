#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "models/cache/tag_array.h"
#include "models/contention_tracker/contention_tracker_params.h"
#include "models/contention_tracker/contention_tracker_stats.h"
#include "models/llc_slice/line_use_if.h"

namespace strata {

/// Counters of PLOB and GDC over all slices: misses of each kernel, evictions and demotions of its lines by
/// each kernel. Kernels without counters are counted together, behind the last one.
class ContentionCounters {
 public:
  explicit ContentionCounters(const ContentionTrackerParams& params);

  int kernels() const { return kernels_; }
  /// Misses of a kernel.
  std::uint64_t misses(int kernel) const { return shown(misses_[place(kernel)]); }
  /// Steps that accesses of `aggressor` have pushed lines of `victim` down their stacks.
  std::uint64_t demotions(int victim, int aggressor) const {
    return shown(demotions_[at(victim, aggressor)]);
  }
  /// Lines of `victim` that lines of `aggressor` have evicted.
  std::uint64_t evictions(int victim, int aggressor) const {
    return shown(evictions_[at(victim, aggressor)]);
  }
  void reset();

  /// Number of the kernel that an access belongs to.
  std::uint8_t kernel_of(const Access& access) const {
    return static_cast<std::uint8_t>(std::min<int>(by_sm_ ? access.sm : access.application, kernels_));
  }
  void miss(std::uint8_t kernel) { ++misses_[kernel]; }
  void evict(std::uint8_t victim, std::uint8_t aggressor) { ++evictions_[at(victim, aggressor)]; }
  /// The counters of an aggressor, one for each victim.
  std::uint64_t* demotions_by(std::uint8_t aggressor) { return &demotions_[at(0, aggressor)]; }
  /// Adds what is counted to `stats`.
  void add_to(ContentionTrackerStats& stats) const;

 private:
  static std::size_t place(int kernel) { return static_cast<std::size_t>(kernel); }
  std::size_t at(int victim, int aggressor) const { return place(aggressor * (kernels_ + 1) + victim); }
  std::uint64_t shown(std::uint64_t counted) const { return std::min(counted, most_); }

  bool by_sm_;
  int kernels_;
  std::uint64_t most_;  // where counters saturate
  std::vector<std::uint64_t> misses_, demotions_, evictions_;
};

/// Owners of the lines of a slice, and what its accesses add to the counters.
class SliceOwners final : public LineUseIf {
 public:
  SliceOwners(const TagArray& tags, ContentionCounters& counters)
      : tags_(tags),
        counters_(counters),
        ways_(static_cast<std::size_t>(tags.ways())),
        owners_(tags.lines()) {}

  void used(std::uint32_t set, int way, const Access& by) override;
  void placed(std::uint32_t set, int way, const Access& by) override;
  void missed(const Access& by) override { counters_.miss(counters_.kernel_of(by)); }
  /// Kernel that has last used or brought the line in a way.
  int owner(std::uint32_t set, int way) const { return owners_[set * ways_ + static_cast<std::size_t>(way)]; }

 private:
  const TagArray& tags_;
  ContentionCounters& counters_;
  std::size_t ways_;
  std::vector<std::uint8_t> owners_;  // stale in empty ways
};

/// State of a contention tracker.
class ContentionTrackerCore {
 public:
  explicit ContentionTrackerCore(const ContentionTrackerParams& params)
      : params_(params), counters_(params) {}

  /// Observes a slice. The tags must outlive this.
  SliceOwners& add_slice(const TagArray& tags);
  const ContentionTrackerParams& params() const { return params_; }
  const ContentionCounters& counters() const { return counters_; }
  /// Sets counters to zero; lines keep their owners.
  void reset_counters();
  std::uint64_t owner_bits() const;
  std::uint64_t plob_bits() const;
  std::uint64_t gdc_bits() const;
  /// Over all resets.
  const ContentionTrackerStats& stats();
  ContentionTrackerStats& own_stats() { return own_; }
  void reset_stats();

 private:
  ContentionTrackerParams params_;
  ContentionCounters counters_;
  std::deque<SliceOwners> slices_;
  std::uint64_t lines_ = 0;
  ContentionTrackerStats own_;  // registers, and what was counted before the last reset
  ContentionTrackerStats stats_;
};

}  // namespace strata
