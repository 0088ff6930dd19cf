#include "models/llc_control/organization.h"
#include "models/llc_predictors/replication_shape.h"

namespace strata {
namespace {

/// A fixed number of copies for lines that are read-only (best static replication, SelRep, section V).
class StaticOrganization final : public Organization {
 public:
  StaticOrganization(const LlcControlParams& params, const AddressMap& map)
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

}  // namespace

std::unique_ptr<Organization> make_organization_static(const LlcControlParams& params,
                                                       const AddressMap& map) {
  if (map.slices_per_channel() % params.degree != 0)
    throw ConfigError(Faults{param_fault(
        "degree", "is " + std::to_string(params.degree) + ", which does not divide the " +
                      std::to_string(map.slices_per_channel()) + " slices of a memory controller")});
  return std::make_unique<StaticOrganization>(params, map);
}

}  // namespace strata
