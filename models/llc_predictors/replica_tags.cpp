#include "models/llc_predictors/replica_tags.h"

#include <algorithm>

#include "models/llc_predictors/bandwidth_model.h"
#include "models/llc_predictors/sampled_tags.h"

namespace strata {

ReplicaTags::ReplicaTags(const ReplicaTagsParams& params)
    : params_(params),
      shape_(params.clusters, params.slices, params.degrees),
      sets_(params.slice_sets, std::min(params.sampled_sets, params.slice_sets), params.first_set) {
  const auto rows = static_cast<std::uint64_t>(params.slices) * static_cast<std::uint64_t>(sets_.samples());
  for (std::size_t i = 0; i < params.degrees.size(); ++i) degrees_.push_back({TagArray(rows, params.ways)});
}

void ReplicaTags::observe(std::uint32_t set, std::uint64_t number, int address_slice, int cluster,
                          bool replicated) {
  const int sample = sets_.sample(set);
  if (sample == SampledSets::none) return;
  for (int i = 0; i < shape_.degrees(); ++i) {
    Degree& degree = degrees_[static_cast<std::size_t>(i)];
    // Lines without copies are in the slice of their address, in whatever group.
    const int slice = replicated ? shape_.slice(i, cluster, address_slice) : address_slice;
    const auto row = static_cast<std::uint32_t>(slice * sets_.samples() + sample);
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
