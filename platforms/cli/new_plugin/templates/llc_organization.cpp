// Each line has one slice of its channel, chosen by a hash of all of its address.
#include "models/llc_control/organization_kind.h"
#include "platforms/engine/plugins/plugin.h"

namespace {

class MyPlugin final : public strata::Organization {
 public:
  explicit MyPlugin(const strata::AddressMap& map) : map_(map) {}
  int slice_of(const strata::Access& access) const override {
    const std::uint64_t hash = access.line / map_.line_bytes() * 0x9e3779b97f4a7c15 >> 40;
    const int slices = map_.slices_per_channel();
    return map_.locate(access.line).channel * slices + static_cast<int>(hash % static_cast<unsigned>(slices));
  }

 private:
  const strata::AddressMap& map_;
};

std::unique_ptr<strata::Organization> make(const strata::LlcControlParams&, const strata::AddressMap& map) {
  return std::make_unique<MyPlugin>(map);
}

}  // namespace

STRATA_PLUGIN(rows) {
  rows.add(strata::OrganizationKind{"my_plugin", "the one that a hash of the address names", make});
}
