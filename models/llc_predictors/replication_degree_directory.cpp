#include "models/llc_predictors/replication_degree_directory.h"

#include <algorithm>

#include "models/llc_predictors/bandwidth_model.h"

namespace strata {

ReplicationDegreeDirectory::ReplicationDegreeDirectory(const RddParams& params)
    : params_(params), shape_(params.clusters, params.slices, params.degrees), hits_(params.degrees.size()) {
  const int directories = params.tags == RddParams::Tags::per_degree ? shape_.degrees() : 1;
  for (int i = 0; i < directories; ++i) {
    const int slices =
        params.tags == RddParams::Tags::per_degree ? params.slices / shape_.degree(i) : params.slices;
    const int sampled = std::min(params.sampled_sets, slices * params.slice_sets);
    directories_.push_back({SampledSets(slices * params.slice_sets, sampled, params.first_set),
                            SharerTags(sampled, params.ways)});
  }
}

void ReplicationDegreeDirectory::observe(std::uint32_t set, std::uint64_t number, int address_slice,
                                         int cluster) {
  const std::uint64_t bit = std::uint64_t{1} << cluster;
  const auto sets = static_cast<std::uint32_t>(params_.slice_sets);
  if (params_.tags == RddParams::Tags::one) {
    Directory& directory = directories_.front();
    const int sample = directory.sets.sample(static_cast<std::uint32_t>(address_slice) * sets + set);
    if (sample == SampledSets::none) return;
    ++directory.accesses;
    const std::uint64_t before = directory.tags.access(sample, number, bit);
    for (int i = 0; i < shape_.degrees(); ++i)
      if ((before & shape_.group_mask(i, cluster)) != 0) ++hits_[static_cast<std::size_t>(i)];
    return;
  }
  for (int i = 0; i < shape_.degrees(); ++i) {
    Directory& directory = directories_[static_cast<std::size_t>(i)];
    const auto place = static_cast<std::uint32_t>(shape_.place(i, address_slice));
    const int sample = directory.sets.sample(place * sets + set);
    if (sample == SampledSets::none) continue;
    ++directory.accesses;
    const std::uint64_t before = directory.tags.access(sample, number, bit);
    if ((before & shape_.group_mask(i, cluster)) != 0) ++hits_[static_cast<std::size_t>(i)];
  }
}

std::uint64_t ReplicationDegreeDirectory::accesses(int degree_index) const {
  const bool own = params_.tags == RddParams::Tags::per_degree;
  return directories_[own ? static_cast<std::size_t>(degree_index) : 0].accesses;
}

double ReplicationDegreeDirectory::hit_rate(int degree_index) const {
  return rate(hits(degree_index), accesses(degree_index));
}

void ReplicationDegreeDirectory::reset_counts() {
  std::fill(hits_.begin(), hits_.end(), 0U);
  for (Directory& directory : directories_) directory.accesses = 0;
}

void ReplicationDegreeDirectory::clear() {
  reset_counts();
  for (Directory& directory : directories_) directory.tags.clear();
}

std::uint64_t ReplicationDegreeDirectory::storage_bits() const {
  int vector_bits = 0;  // a degree of 1 needs none: the tag says it
  for (const int degree : params_.degrees) vector_bits += degree > 1 ? degree : 0;
  const int tags = params_.tags == RddParams::Tags::per_degree ? shape_.degrees() : 1;
  return static_cast<std::uint64_t>(params_.sampled_sets) * static_cast<std::uint64_t>(params_.ways) *
         static_cast<std::uint64_t>(tags * params_.tag_bits + vector_bits);
}

std::uint64_t ReplicationDegreeDirectory::counter_bits() const {
  return (hits_.size() + directories_.size()) * static_cast<std::uint64_t>(params_.counter_bits);
}

std::uint64_t ReplicationDegreeDirectory::replacement_bits() const {
  return directories_.size() * static_cast<std::uint64_t>(params_.sampled_sets) *
         static_cast<std::uint64_t>(params_.ways) * static_cast<std::uint64_t>(bits_to_name(params_.ways));
}

}  // namespace strata
