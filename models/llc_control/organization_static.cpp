#include <algorithm>

#include "models/llc_control/organization_kind.h"
#include "models/llc_predictors/replication_shape.h"

namespace strata {
namespace {

/// A fixed number of copies for lines that are read-only (best static replication, SelRep, section V).
class OrganizationStatic final : public Organization {
 public:
  OrganizationStatic(const LlcControlParams& params, const AddressMap& map)
      : map_(map),
        degree_(params.degree),
        shape_(params.clusters, map.slices_per_channel(), {params.degree}) {}
  int slice_of(const Access& access) const override {
    const Location where = map_.locate(access.line);
    const bool replicated = access.access_class == AccessClass::read_only_load;
    return where.channel * map_.slices_per_channel() +
           (replicated ? shape_.slice(0, access.cluster, where.slice) : where.slice);
  }
  int degree() const override { return degree_; }
  KernelEndFlush at_kernel_end() const override {
    return degree_ == 1 ? KernelEndFlush::nothing : KernelEndFlush::replicas;
  }

 private:
  const AddressMap& map_;
  int degree_;
  ReplicationShape shape_;
};

Faults faults_of(const LlcControlParams& params) {
  const int degree = params.degree;
  if (params.clusters % degree == 0) return {};
  int nearest = std::min(degree, params.clusters);
  while (params.clusters % nearest != 0) --nearest;
  return {param_fault("degree", "is " + std::to_string(degree) + ", which does not divide the " +
                                    std::to_string(params.clusters) +
                                    " clusters; the next smaller that does is " + std::to_string(nearest))};
}

Faults faults_with_slices(const LlcControlParams& params, int slices) {
  if (slices % params.degree == 0) return {};
  return {param_fault("degree", "is " + std::to_string(params.degree) + ", which does not divide the " +
                                    std::to_string(slices) + " slices of a memory controller")};
}

}  // namespace

OrganizationKind static_organization() {
  const auto make = [](const LlcControlParams& params,
                       const AddressMap& map) -> std::unique_ptr<Organization> {
    return std::make_unique<OrganizationStatic>(params, map);
  };
  OrganizationKind kind{"static", "a fixed number of copies of read-only lines", make};
  kind.replicates = true;
  kind.faults = faults_of;
  kind.faults_with_slices = faults_with_slices;
  return kind;
}

}  // namespace strata
