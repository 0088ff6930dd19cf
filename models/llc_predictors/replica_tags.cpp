#include "models/llc_predictors/replica_tags.h"

#include <algorithm>

#include "models/llc_predictors/rate.h"
#include "models/llc_predictors/sharer_tags.h"

namespace strata {

ReplicaTags::ReplicaTags(const ReplicaTagsParams& params)
    : params_(params), shape_(params.clusters, params.slices, params.degrees) {
  for (const int degree : params.degrees) {
    const int positions = params.slices / degree * params.slice_sets;
    const int sampled = std::min(params.sampled_sets, positions);
    degrees_.push_back(
        {SampledSets(positions, sampled, params.first_set),
         TagArray(static_cast<std::uint64_t>(sampled) * static_cast<std::uint64_t>(degree), params.ways)});
  }
}

void ReplicaTags::observe(std::uint32_t set, std::uint64_t number, int address_slice, int cluster,
                          bool replicated) {
  for (int i = 0; i < shape_.degrees(); ++i) {
    Degree& degree = degrees_[static_cast<std::size_t>(i)];
    const auto place = static_cast<std::uint32_t>(shape_.place(i, address_slice));
    const int sample = degree.sets.sample(place * static_cast<std::uint32_t>(params_.slice_sets) + set);
    if (sample == SampledSets::none) continue;
    // What has no copies lives in the address's slice, whichever group that slice is of.
    const int group = replicated ? shape_.group(i, cluster) : shape_.owner(i, address_slice);
    const auto row = static_cast<std::uint32_t>(group * degree.sets.samples() + sample);
    const int position = degree.tags.find(row, number);
    if (replicated) {
      ++degree.accesses;
      if (position != TagArray::absent) ++degree.hits;
    }
    if (position == TagArray::absent)
      degree.tags.insert(row, TagEntry(number, 0, false));
    else
      degree.tags.hit(row, position);
  }
}

double ReplicaTags::hit_rate(int degree_index) const {
  return rate(hits(degree_index), accesses(degree_index));
}

void ReplicaTags::reset_counts() {
  for (Degree& degree : degrees_) degree.accesses = degree.hits = 0;
}

void ReplicaTags::clear() {
  reset_counts();
  for (Degree& degree : degrees_) degree.tags.invalidate_all();
}

std::uint64_t ReplicaTags::storage_bits() const {
  std::uint64_t tags = 0;
  for (const Degree& degree : degrees_) tags += degree.tags.lines();
  return tags * static_cast<std::uint64_t>(params_.tag_bits);
}

std::uint64_t ReplicaTags::counter_bits() const {
  return 2 * degrees_.size() * static_cast<std::uint64_t>(params_.counter_bits);
}

std::uint64_t ReplicaTags::replacement_bits() const {
  std::uint64_t tags = 0;
  for (const Degree& degree : degrees_) tags += degree.tags.lines();
  return tags * static_cast<std::uint64_t>(bits_to_name(params_.ways));
}

}  // namespace strata
