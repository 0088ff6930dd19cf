#include "models/llc_control/organization.h"

#include <array>

namespace strata {
namespace {

using Maker = std::unique_ptr<Organization> (*)(const LlcControlParams& params, const AddressMap& map);

// In the order of LlcControlParams::Organization.
constexpr std::array<Maker, 5> makers = {make_organization_shared, make_organization_private,
                                         make_organization_static, make_organization_adaptive,
                                         make_organization_selrep};

}  // namespace

std::unique_ptr<Organization> make_organization(const LlcControlParams& params, const AddressMap& map) {
  return makers.at(static_cast<std::size_t>(params.organization))(params, map);
}

}  // namespace strata
