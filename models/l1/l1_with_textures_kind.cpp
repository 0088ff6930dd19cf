// L1s of ours with a texture cache beside them.
#include "models/l1/l1_decoupled_sectored.h"
#include "models/l1/l1_kind.h"
#include "models/l1/l1_prioritized.h"
#include "models/l1/l1_sectored.h"
#include "models/l1/l1_tag_split.h"
#include "models/l1/l1_with_textures.h"

namespace strata {

template <class Organization>
std::unique_ptr<Block> with_textures(const char* name, const ParamSet& set, const BuildContext& context) {
  using Both = L1WithTextures<Organization>;
  const auto& params = static_cast<const typename Both::Params&>(set);
  if (context.clock.carries_data()) return std::make_unique<L1At<Both, true>>(name, params, context);
  return std::make_unique<L1At<Both>>(name, params, context);
}

template std::unique_ptr<Block> with_textures<L1Private>(const char*, const ParamSet&, const BuildContext&);
template std::unique_ptr<Block> with_textures<L1DecoupledSectored>(const char*, const ParamSet&,
                                                                   const BuildContext&);
template std::unique_ptr<Block> with_textures<L1Sectored>(const char*, const ParamSet&, const BuildContext&);
template std::unique_ptr<Block> with_textures<L1Prioritized>(const char*, const ParamSet&,
                                                             const BuildContext&);
template std::unique_ptr<Block> with_textures<L1TagSplit>(const char*, const ParamSet&, const BuildContext&);

}  // namespace strata
