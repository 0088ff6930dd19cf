#include <algorithm>

#include "models/llc_control/organization_kind.h"
#include "models/llc_predictors/replication_shape.h"

namespace strata {

namespace {

/// Every line has one slice, named by its address.
class OrganizationShared final : public Organization {
 public:
  explicit OrganizationShared(const AddressMap& map) : map_(map) {}
  int slice_of(const Access& access) const override {
    const Location where = map_.locate(access.line);
    return where.channel * map_.slices_per_channel() + where.slice;
  }

 private:
  const AddressMap& map_;
};

}  // namespace

OrganizationKind shared_organization() {
  const auto make = [](const LlcControlParams&, const AddressMap& map) -> std::unique_ptr<Organization> {
    return std::make_unique<OrganizationShared>(map);
  };
  return {"shared", "the one that the address names", make};
}

namespace {

/// Each channel has one slice per cluster (ISCA 2019, section III). With more clusters than slices per
/// channel, cluster c shares slice c mod slices. Atomics need one place of execution: they go where the
/// address says.
class OrganizationPrivate final : public Organization {
 public:
  explicit OrganizationPrivate(const AddressMap& map) : map_(map) {}
  int slice_of(const Access& access) const override {
    const Location where = map_.locate(access.line);
    const int slices = map_.slices_per_channel();
    const int own = access.cluster < slices ? access.cluster : access.cluster % slices;
    return where.channel * slices + (access.access_class == AccessClass::atomic ? where.slice : own);
  }
  LlcMode mode() const override { return LlcMode::private_; }
  int degree() const override { return map_.slices_per_channel(); }
  KernelEndFlush at_kernel_end() const override { return KernelEndFlush::everything; }

 private:
  const AddressMap& map_;
};

}  // namespace

OrganizationKind private_organization() {
  const auto make = [](const LlcControlParams&, const AddressMap& map) -> std::unique_ptr<Organization> {
    return std::make_unique<OrganizationPrivate>(map);
  };
  OrganizationKind kind{"private", "the one of the requester's cluster", make};
  kind.always_private = true;
  kind.faults = [](const LlcControlParams& params) -> Faults {
    if (params.gates == 0 || !params.organizations.empty()) return {};
    return {param_fault("gates", "is " + std::to_string(params.gates) +
                                     ", but a private LLC never changes; set bypass at the routers")};
  };
  return kind;
}

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

Faults static_faults(const LlcControlParams& params) {
  const int degree = params.degree;
  if (params.clusters % degree == 0) return {};
  int nearest = std::min(degree, params.clusters);
  while (params.clusters % nearest != 0) --nearest;
  return {param_fault("degree", "is " + std::to_string(degree) + ", which does not divide the " +
                                    std::to_string(params.clusters) +
                                    " clusters; the next smaller that does is " + std::to_string(nearest))};
}

Faults static_faults_with_slices(const LlcControlParams& params, int slices) {
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
  kind.faults = static_faults;
  kind.faults_with_slices = static_faults_with_slices;
  return kind;
}

}  // namespace strata
