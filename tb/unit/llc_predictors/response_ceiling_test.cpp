#include "models/llc_predictors/response_ceiling.h"

#include <limits>

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("the response ceiling of a single stage") {
  ReplyStage stage;
  stage.routers = stage.inputs = stage.outputs = 1;
  // One input and output: a packet of 5 flits every 7 cycles.
  CHECK(response_ceiling({stage}) == Approx(1.0 / 7));
  // No bubbles, n ports, n large: 2 - sqrt(2) of a packet slot, Karol's 0.586.
  stage.in_bubble = stage.out_bubble = 0;
  stage.flits = 1;
  stage.inputs = stage.outputs = 4096;
  stage.credit_loop = 1;
  CHECK(response_ceiling({stage}) / 4096 == Approx(0.5858).epsilon(1e-3));
  // A credit loop of 16 cycles on 8 slots passes half the flits.
  stage.inputs = stage.outputs = 1;
  stage.credit_loop = 16;
  CHECK(response_ceiling({stage}) == Approx(0.5));
  CHECK(response_ceiling({}) == std::numeric_limits<double>::infinity());
}

TEST_CASE("the response ceiling of two stages") {
  // Behind another one stage of the same kind can only lose, less so with deep buffers; more VCs gain.
  ReplyStage mc_routers;
  ReplyStage sm_routers;
  sm_routers.outputs = 10;
  const double alone = response_ceiling({sm_routers});
  const double shared = response_ceiling({mc_routers, sm_routers});
  CHECK(shared < alone);
  // The machine of ISCA 2019, in lines per cycle: docs/blocks/llc-predictors.md quotes these.
  CHECK(shared == Approx(5.16).epsilon(2e-3));
  CHECK(alone == Approx(6.80).epsilon(2e-3));
  CHECK(alone / shared == Approx(1.32).epsilon(5e-3));
  mc_routers.vc_flits = sm_routers.vc_flits = 16;
  CHECK(alone / response_ceiling({mc_routers, sm_routers}) == Approx(1.25).epsilon(5e-3));
  mc_routers.vc_flits = sm_routers.vc_flits = 32;
  CHECK(alone / response_ceiling({mc_routers, sm_routers}) == Approx(1.19).epsilon(5e-3));
  CHECK(response_ceiling({sm_routers}) == Approx(alone));
  mc_routers.vcs = sm_routers.vcs = 4;
  mc_routers.out_bubble = sm_routers.out_bubble = 0;
  mc_routers.vc_flits = sm_routers.vc_flits = 8;
  const double four = response_ceiling({mc_routers, sm_routers});
  CHECK(response_ceiling({sm_routers}) / four == Approx(1.11).epsilon(5e-3));
  CHECK(four > shared);
  // Of 8 inputs with 4 VCs an allocator of one iteration matches at most 8 x 0.651: q = 1 - (7/8)^4 = 0.4138;
  // outputs asked for: 1 - (1 - q)^8 = 0.9861; inputs granted: 1 - (7/8)^(8 x 0.9861) = 0.6513.
  CHECK(four * 5 / 64 == Approx(0.6513).epsilon(1e-3));
}

TEST_CASE("the response ceiling rises with the copies of a line") {
  // SelRep: 4 MC-routers of 16 slices and 16 clusters, 16 SM-routers of 4 SMs, one VC here. A degree of 16
  // leaves each MC-router with 16 wires, which pass 1 packet of 5 flits in 7 cycles: more than the SM-routers
  // take.
  ReplyStage mc_routers;
  mc_routers.routers = 4;
  mc_routers.inputs = mc_routers.outputs = 16;
  ReplyStage sm_routers;
  sm_routers.routers = 16;
  sm_routers.inputs = sm_routers.outputs = 4;
  double last = 0;
  for (const int degree : {1, 2, 4, 8, 16}) {
    const double ceiling = response_ceiling({with_copies(mc_routers, degree), sm_routers});
    CAPTURE(degree, ceiling);
    CHECK(ceiling > last);
    last = ceiling;
  }
  CHECK(last <= response_ceiling({sm_routers}));
  CHECK(last == Approx(response_ceiling({sm_routers})).epsilon(0.1));
}
