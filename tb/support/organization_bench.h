#pragma once

#include "models/llc_control/organization.h"

// Organizations without SystemC: four clusters, one memory controller with four slices unless said otherwise;
// lines of 128 B, two of which lie on one slice before the next slice begins (partition 256 B).
namespace strata::tb {

constexpr Address partition = 256;

inline AddressMapParams four_slices(int channels = 1) {
  AddressMapParams params;
  params.channels = channels;
  params.slices_per_channel = 4;
  return params;
}

inline LlcControlParams params_of(const char* organization) {
  LlcControlParams params;
  params.organization = LlcControlParams::named(organization);
  params.slices = 4;
  params.clusters = 4;
  params.epoch = 1000;
  params.profile = 100;
  params.memory_bandwidth = 20;  // less than a slice's 32: copies that miss do not pay
  return params;
}

inline Access access(Address line, int cluster, AccessClass access_class = AccessClass::load) {
  Access access;
  access.line = line;
  access.cluster = static_cast<std::uint16_t>(cluster);
  access.access_class = access_class;
  return access;
}

struct OrganizationBench {
  explicit OrganizationBench(const LlcControlParams& control, int channels = 1)
      : map(make_address_map(four_slices(channels))), organization(make_organization(control, *map)) {
    machine.slice = {16, 16, SetIndex::Kind::plain};
    organization->attach(machine);
  }
  int slice(Address line, int cluster, AccessClass access_class = AccessClass::load) const {
    return organization->slice_of(access(line, cluster, access_class));
  }
  /// Line `n` of slice `s` of the only controller, in set n of the slice (even n).
  static Address line(int s, int n) { return static_cast<Address>(n / 2 * 4 + s) * partition + n % 2 * 128; }

  std::unique_ptr<AddressMap> map;
  LlcMachine machine;
  std::unique_ptr<Organization> organization;
  SliceTotals totals{std::vector<std::uint64_t>(4), std::vector<std::uint64_t>(4)};
};

}  // namespace strata::tb
