#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "models/common/access.h"

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
/// go back the way of their requests.
class Routing {
 public:
  virtual ~Routing() = default;
  virtual RouteStep route(const Access& access, int input) const = 0;
};

/// A row of the table of policies.
struct RoutingPolicy {
  std::string_view name;
  std::string_view sentence;
  std::unique_ptr<Routing> (*make)(const RouterStageParams& params, const AddressMap& map);
};

/// A new policy is a row here, in the order in which the parameter `routing` lists them.
const std::vector<RoutingPolicy>& routing_policies();
std::unique_ptr<Routing> make_routing(const RouterStageParams& params, const AddressMap& map);

}  // namespace strata
