#pragma once

#include <optional>
#include <string>

#include "models/noc/routing/destination.h"
#include "models/noc/routing/routing.h"

namespace strata {

/// Steps as a netlist writes them, "0, 1, 1.2": outputs, some with a VC. Empty when the
/// text has any other word.
std::optional<std::vector<RouteStep>> read_route_table(const std::string& text);

/// A step for each destination; numbers beyond the table wrap around.
class RoutingTable final : public Routing {
 public:
  RoutingTable(const RouterStageParams& params, const AddressMap& map);
  RouteStep route(const Access& access, int input) const override;

 private:
  DestinationKind destination_;
  const AddressMap& map_;
  std::vector<RouteStep> steps_;
};

}  // namespace strata
