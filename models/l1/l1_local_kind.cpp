// L1s that keep stores to local memory.
#include "models/l1/l1_kind.h"
#include "models/l1/l1_local.h"

namespace strata {
namespace {

template <class Organization>
std::unique_ptr<Block> made(const char* name, const typename Organization::Params& params,
                            const BuildContext& context) {
  if (context.clock.carries_data()) return std::make_unique<L1At<Organization, true>>(name, params, context);
  return std::make_unique<L1At<Organization>>(name, params, context);
}

}  // namespace

template <class Base>
std::unique_ptr<Block> with_local(const char* name, const ParamSet& set, const BuildContext& context) {
  const auto& params = static_cast<const typename Base::Params&>(set);
  if (params.texture_sets != 0) return made<L1WithTextures<L1WithLocal<Base>>>(name, params, context);
  return made<L1WithLocal<Base>>(name, params, context);
}

template std::unique_ptr<Block> with_local<L1PrivateBySectors>(const char*, const ParamSet&,
                                                               const BuildContext&);
template std::unique_ptr<Block> with_local<L1Sectored>(const char*, const ParamSet&, const BuildContext&);
template std::unique_ptr<Block> with_local<L1Prioritized>(const char*, const ParamSet&, const BuildContext&);

}  // namespace strata
