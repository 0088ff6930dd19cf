#include "models/noc/routing/routing.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "models/noc/router/router_stage_params.h"
#include "models/noc/routing/destination.h"
#include "models/noc/routing/routing_table.h"

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

RoutingDivide::RoutingDivide(const RouterStageParams& params, const AddressMap& map)
    : destination_(params.route),
      map_(map),
      divide_(static_cast<std::uint64_t>(params.divide)),
      outputs_(static_cast<std::uint64_t>(params.outputs)) {}

RouteStep RoutingDivide::route(const Access& access, int) const {
  return {static_cast<int>(destination_of(destination_, map_, access) / divide_ % outputs_)};
}

namespace {

template <class Policy>
RoutingPolicy policy_row(std::string_view name, std::string_view sentence) {
  return {name, sentence,
          [](const RouterStageParams& params, const AddressMap& map) -> std::unique_ptr<Routing> {
            return std::make_unique<Policy>(params, map);
          }};
}

constexpr int own_rows = 2;

/// Nothing that a plug-in says leads out of the router.
class RoutingChecked final : public Routing {
 public:
  RoutingChecked(std::unique_ptr<Routing> routing, const RouterStageParams& params, std::string_view name)
      : routing_(std::move(routing)), outputs_(params.outputs), vcs_(params.vcs), name_(name) {}
  RouteStep route(const Access& access, int input) const override {
    const RouteStep step = routing_->route(access, input);
    check("output", step.output, 0, outputs_);
    check("VC", step.vc, RouteStep::any_vc, vcs_);
    return step;
  }

 private:
  void check(const char* what, int is, int least, int count) const {
    if (is < least || is >= count)
      throw std::out_of_range("routing '" + std::string(name_) + "' names " + what + " " +
                              std::to_string(is) + "; allowed: " + std::to_string(least) + " to " +
                              std::to_string(count - 1));
  }
  std::unique_ptr<Routing> routing_;
  int outputs_, vcs_;
  std::string_view name_;
};

}  // namespace

PolicyTable<RoutingPolicy>& RoutingPolicy::table() {
  static PolicyTable<RoutingPolicy> rows = {
      policy_row<RoutingDivide>("divide", "the number that `route` names, by `divide`, modulo outputs"),
      policy_row<RoutingTable>("table", "the entry of `table` with that number"),
  };
  return rows;
}

std::unique_ptr<Routing> make_routing(const RouterStageParams& params, const AddressMap& map) {
  const RoutingPolicy& row = RoutingPolicy::table().at(params.routing);
  std::unique_ptr<Routing> routing = row.make(params, map);
  if (params.routing < own_rows) return routing;
  return std::make_unique<RoutingChecked>(std::move(routing), params, row.name);
}

}  // namespace strata
