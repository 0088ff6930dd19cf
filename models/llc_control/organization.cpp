#include "models/llc_control/organization.h"

#include <array>

namespace strata {
namespace {

using Maker = std::unique_ptr<Organization> (*)(const AddressMap& map);

// In the order of LlcControlParams::Organization.
constexpr std::array<Maker, 2> makers = {make_organization_shared, make_organization_private};

}  // namespace

std::unique_ptr<Organization> make_organization(const LlcControlParams& params, const AddressMap& map) {
  return makers.at(static_cast<std::size_t>(params.organization))(map);
}

}  // namespace strata
