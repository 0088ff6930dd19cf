#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "models/common/access.h"
#include "models/common/policy_table.h"

namespace strata {

class AddressMap;
struct RouterStageParams;

/// The output of a router, and perhaps its VC, that a request takes.
struct RouteStep {
  static constexpr int any_vc = -1;
  int output = 0;
  int vc = any_vc;  ///< the virtual channel that it must take there
};

/// Policy: the output that a request takes. It sees the request and the input, but no other packets. Replies
/// go back the way of their requests. `destination_of` (destination.h) is the number that `route` names.
class Routing {
 public:
  virtual ~Routing() = default;
  /// An output and a VC of the router.
  virtual RouteStep route(const Access& access, int input) const = 0;
};

/// A row of the table of policies.
struct RoutingPolicy {
  std::string_view name;
  std::string_view sentence;  ///< which output a request takes
  std::unique_ptr<Routing> (*make)(const RouterStageParams& params, const AddressMap& map);

  static constexpr std::string_view kind = "routing";
  static PolicyTable<RoutingPolicy>& table();
};

/// The routing that a router's parameters name. One that a plug-in has brought is checked: it throws
/// std::out_of_range where it names an output or VC that the router does not have.
std::unique_ptr<Routing> make_routing(const RouterStageParams& params, const AddressMap& map);

}  // namespace strata
