// Requests of input i take output i, begun again behind the last: for a router whose outputs all lead on to
// every destination.
#include "models/noc/routing/routing.h"

#include "models/noc/router/router_stage_params.h"
#include "platforms/engine/plugins/plugin.h"

namespace {

class MyPlugin final : public strata::Routing {
 public:
  explicit MyPlugin(int outputs) : outputs_(outputs) {}
  strata::RouteStep route(const strata::Access&, int input) const override { return {input % outputs_}; }

 private:
  int outputs_;
};

std::unique_ptr<strata::Routing> make(const strata::RouterStageParams& params, const strata::AddressMap&) {
  return std::make_unique<MyPlugin>(params.outputs);
}

}  // namespace

STRATA_PLUGIN(rows) {
  rows.add(strata::RoutingPolicy{"my_plugin", "the output of the input's number", make});
}
