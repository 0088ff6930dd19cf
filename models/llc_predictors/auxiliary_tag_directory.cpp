#include "models/llc_predictors/auxiliary_tag_directory.h"

#include <cassert>

#include "models/llc_predictors/bandwidth_model.h"

namespace strata {

AuxiliaryTagDirectory::AuxiliaryTagDirectory(const AtdParams& params)
    : params_(params),
      sets_(params.slice_sets, params.sampled_sets, params.first_set),
      tags_(params.sampled_sets, params.ways) {
  assert(params.routers > 0 && params.routers <= 64);
}

void AuxiliaryTagDirectory::count(int sample, std::uint64_t number, int router) {
  const std::uint64_t bit = std::uint64_t{1} << router;
  const std::uint64_t before = tags_.access(sample, number, bit);
  ++counts_.accesses;
  if (before != 0) ++counts_.tag_hits;
  if ((before & bit) != 0) ++counts_.private_hits;
}

double AuxiliaryTagDirectory::shared_hit_rate() const {
  return rate(counts_.tag_hits, counts_.accesses);
}

double AuxiliaryTagDirectory::private_hit_rate() const {
  return rate(counts_.private_hits, counts_.accesses);
}

void AuxiliaryTagDirectory::clear() {
  counts_ = {};
  tags_.clear();
}

std::uint64_t AuxiliaryTagDirectory::storage_bits() const {
  return static_cast<std::uint64_t>(params_.sampled_sets) * static_cast<std::uint64_t>(params_.ways) *
         static_cast<std::uint64_t>(params_.tag_bits + params_.routers);
}

std::uint64_t AuxiliaryTagDirectory::replacement_bits() const {
  return static_cast<std::uint64_t>(params_.sampled_sets) * static_cast<std::uint64_t>(params_.ways) *
         static_cast<std::uint64_t>(bits_to_name(params_.ways));
}

}  // namespace strata
