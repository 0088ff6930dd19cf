#include "platforms/studies/energy/added_storage.h"

#include "models/common/llc_choices_if.h"
#include "models/l1/l1_private.h"
#include "platforms/studies/energy/block_parts.h"

namespace strata::platforms {
namespace {

/// Storage of the predictors, counted at the first LLC with the parameters of its slices.
StorageFields predictors(const ResolvedNetlist& netlist, const LlcChoicesParams& control) {
  for (const ResolvedGroup& group : netlist.groups) {
    if (group.kind->role != Role::llc) continue;
    if (const auto slice = cache_shape(ParamValues(*group.base.params), netlist.address_map.line.count))
      return control.predictors(*make_address_map(netlist.address_map), slice->sets, slice->ways);
  }
  return {};
}

StorageFields tags_beyond_plain(const ResolvedGroup& group) {
  ParamValues params(*group.base.params);
  L1PrivateParams plain;
  plain.size = Bytes(static_cast<std::uint64_t>(params.number("size", 0)));
  plain.ways = static_cast<int>(params.number("ways", 0));
  plain.line =
      Bytes(static_cast<std::uint64_t>(params.number("line", static_cast<double>(plain.line.count))));
  plain.address_bits = static_cast<int>(params.number("address_bits", plain.address_bits));
  if (plain.size.count == 0 || plain.ways == 0) return {};
  const std::uint64_t sets = plain.sets();
  const std::uint64_t own = tag_bits(group.kind->storage(*group.base.params));
  const std::uint64_t usual = tag_bits(L1Private::storage(plain));
  if (sets == 0 || own <= usual) return {};
  return {{"tags beyond a plain cache's", sets, (own - usual + sets - 1) / sets}};
}

}  // namespace

std::uint64_t tag_bits(const StorageFields& fields) {
  std::uint64_t bits = 0;
  for (const StorageField& field : fields)
    if (field.name != "data" && field.name.rfind("MSHR", 0) != 0) bits += field.entries * field.bits;
  return bits;
}

StorageFields added_storage(const ResolvedNetlist& netlist, const ResolvedGroup& group) {
  if (const auto* control = dynamic_cast<const LlcChoicesParams*>(group.base.params.get()))
    return predictors(netlist, *control);
  if (group.kind->role == Role::l1 && group.kind->storage != nullptr) return tags_beyond_plain(group);
  return {};
}

}  // namespace strata::platforms
