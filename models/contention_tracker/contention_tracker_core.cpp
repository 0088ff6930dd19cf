#include "models/contention_tracker/contention_tracker_core.h"

#include "models/common/storage.h"
#include "models/contention_tracker/contention_tracker_params.h"
#include "models/contention_tracker/contention_tracker_stats.h"

namespace strata {

void ContentionTrackerParams::for_each_param(ParamVisitor& v) {
  v.choice({"owners", "",
            "the owner of a line or access: its application, or the SM that it comes "
            "from, where each SM runs a kernel of its own"},
           owners, {{Owners::application, "application"}, {Owners::sm, "sm"}});
  v.integer({"kernels", "kernels", "applications or SMs, from 0 on, that have counters"}, kernels, {1, 128});
  v.integer({"counter_bits", "bits", "width of a counter, which saturates"}, counter_bits, {4, 64});
}

void ContentionTrackerStats::for_each_stat(StatVisitor& v) const {
  v.counter({"misses", "requests", "misses of the slices, of kernels that have counters"}, misses);
  v.counter({"other_misses", "requests", "misses of kernels that have no counters"}, other_misses);
  v.counter({"demotions", "lines", "steps of lines towards the end of their stack, or out of it"}, demotions);
  v.counter({"self_demotions", "lines", "of these: by accesses of the kernel that owns the line"},
            self_demotions);
  v.counter({"evictions", "lines", "lines replaced by others"}, evictions);
  v.counter({"self_evictions", "lines", "of these: by the kernel that owns the line"}, self_evictions);
  v.counter({"lines", "lines", "lines of the slices that are watched"}, lines);
  v.counter({"owner_bits", "bits", "storage of the owners of lines, which both trackers need"}, owner_bits);
  v.counter({"plob_bits", "bits", "storage of the counters of evictions and of misses"}, plob_bits);
  v.counter({"gdc_bits", "bits", "storage of the counters of demotions"}, gdc_bits);
  v.counter({"counter_resets", "events", "times that a host has set all counters to zero"}, counter_resets);
  v.counter({"register_reads", "accesses", "reads of the register window"}, register_reads);
  v.counter({"register_writes", "accesses", "writes to the register window"}, register_writes);
  v.counter({"register_errors", "accesses", "accesses to the register window with an error response"},
            register_errors);
  v.law("demotions >= self_demotions");
  v.law("evictions >= self_evictions");
  v.law("demotions >= evictions");
}

ContentionCounters::ContentionCounters(const ContentionTrackerParams& params)
    : by_sm_(params.owners == ContentionTrackerParams::Owners::sm),
      kernels_(params.kernels),
      most_(~std::uint64_t{0} >> (64 - params.counter_bits)),
      misses_(place(kernels_ + 1)),
      demotions_(place((kernels_ + 1) * (kernels_ + 1))),
      evictions_(demotions_.size()) {}

void ContentionCounters::reset() {
  for (std::vector<std::uint64_t>* counters : {&misses_, &demotions_, &evictions_})
    std::fill(counters->begin(), counters->end(), 0);
}

void ContentionCounters::add_to(ContentionTrackerStats& stats) const {
  stats.other_misses += misses_[place(kernels_)];
  for (int victim = 0; victim < kernels_; ++victim) {
    stats.misses += misses_[place(victim)];
    stats.self_demotions += demotions_[at(victim, victim)];
    stats.self_evictions += evictions_[at(victim, victim)];
    for (int aggressor = 0; aggressor < kernels_; ++aggressor) {
      stats.demotions += demotions_[at(victim, aggressor)];
      stats.evictions += evictions_[at(victim, aggressor)];
    }
  }
}

void SliceOwners::used(std::uint32_t set, int way, const Access& by) {
  std::uint8_t* const owners = &owners_[set * ways_];
  const std::uint8_t kernel = counters_.kernel_of(by);
  std::uint64_t* const demotions = counters_.demotions_by(kernel);
  for (const std::uint8_t* above = tags_.order(set); *above != way; ++above) ++demotions[owners[*above]];
  owners[way] = kernel;
}

void SliceOwners::placed(std::uint32_t set, int way, const Access& by) {
  std::uint8_t* const owners = &owners_[set * ways_];
  const std::uint8_t kernel = counters_.kernel_of(by);
  std::uint64_t* const demotions = counters_.demotions_by(kernel);
  // Empty ways come last: behind the first of them nothing is demoted.
  for (const std::uint8_t* above = tags_.order(set); *above != way && tags_.entry(set, *above).valid();
       ++above)
    ++demotions[owners[*above]];
  if (tags_.entry(set, way).valid()) {
    ++demotions[owners[way]];
    counters_.evict(owners[way], kernel);
  }
  owners[way] = kernel;
}

SliceOwners& ContentionTrackerCore::add_slice(const TagArray& tags) {
  lines_ += tags.lines();
  return slices_.emplace_back(tags, counters_);
}

void ContentionTrackerCore::reset_counters() {
  counters_.add_to(own_);
  counters_.reset();
  ++own_.counter_resets;
}

std::uint64_t ContentionTrackerCore::owner_bits() const {
  return lines_ * bits_for(static_cast<std::uint64_t>(params_.kernels));
}

std::uint64_t ContentionTrackerCore::gdc_bits() const {
  const auto kernels = static_cast<std::uint64_t>(params_.kernels);
  return kernels * kernels * static_cast<std::uint64_t>(params_.counter_bits);
}

std::uint64_t ContentionTrackerCore::plob_bits() const {
  return gdc_bits() + static_cast<std::uint64_t>(params_.kernels * params_.counter_bits);
}

const ContentionTrackerStats& ContentionTrackerCore::stats() {
  stats_ = own_;
  counters_.add_to(stats_);
  stats_.lines = lines_;
  stats_.owner_bits = owner_bits();
  stats_.plob_bits = plob_bits();
  stats_.gdc_bits = gdc_bits();
  return stats_;
}

void ContentionTrackerCore::reset_stats() {
  counters_.reset();
  own_ = {};
}

}  // namespace strata
