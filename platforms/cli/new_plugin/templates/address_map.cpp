// The lowest four bits of a partition's number are exclusive-ored with the four bits above them.
#include "models/common/address_map.h"

#include "platforms/engine/plugins/plugin.h"

namespace {

class MyPlugin final : public strata::PartitionMap {
 public:
  std::uint64_t permute(std::uint64_t partition) const override { return partition ^ (partition >> 4 & 15); }
};

std::unique_ptr<strata::AddressMap> make(const strata::AddressMapParams& params) {
  return std::make_unique<strata::AddressMap>(params, std::make_unique<MyPlugin>());
}

}  // namespace

STRATA_PLUGIN(rows) {
  rows.add(strata::AddressMapRow{"my_plugin", "by an exclusive-or of two fields", make});
}
