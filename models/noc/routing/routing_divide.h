#pragma once

#include "models/noc/routing/destination.h"
#include "models/noc/routing/routing.h"

namespace strata {

/// The number of the destination by `divide`, modulo the outputs.
class RoutingDivide final : public Routing {
 public:
  RoutingDivide(const RouterStageParams& params, const AddressMap& map);
  RouteStep route(const Access& access, int input) const override;

 private:
  DestinationKind destination_;
  const AddressMap& map_;
  std::uint64_t divide_;
  std::uint64_t outputs_;
};

}  // namespace strata
