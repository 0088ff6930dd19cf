#include "models/llc_predictors/bandwidth_model.h"

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("bandwidth models as printed") {
  // 900 GB/s at 1400 MHz: 642.857 B per cycle; a slice's channel: 32 B per cycle.
  const double memory = bytes_per_cycle(900e9, 1400e6);
  CHECK(memory == Approx(642.857).epsilon(1e-5));
  // ISCA: 0.75 x 10 x 32 + 0.25 x 642.857 = 240 + 160.714
  CHECK(isca_bandwidth({0.75, 10}, {32, memory}) == Approx(400.714).epsilon(1e-5));
  CHECK(isca_bandwidth({1, 64}, {32, memory}) == Approx(2048));
  CHECK(isca_bandwidth({0, 64}, {32, memory}) == Approx(memory));
  // SelRep: 600 GB/s over 64 slices at 1400 MHz: 6.696 B per cycle and slice.
  const double share = bytes_per_cycle(600e9, 1400e6) / 64;
  // Few misses (0.1 x 32 = 3.2 below the share) are hidden: B = LSP x 32.
  CHECK(selrep_bandwidth({0.9, 4}, {32, share}) == Approx(4 * 32));
  // Many: 4 x (0.5 x 32 + 6.696) = 90.786
  CHECK(selrep_bandwidth({0.5, 4}, {32, share}) == Approx(90.786).epsilon(1e-4));
}

TEST_CASE("the bottleneck model takes the least of slices, network and memory") {
  const BandwidthParams params{32, 600};
  CHECK(bottleneck_bandwidth({0.9, 64}, params) == Approx(64 * 32));       // misses ask for 204.8
  CHECK(bottleneck_bandwidth({0.9, 64}, params, 1000) == Approx(1000));    // network
  CHECK(bottleneck_bandwidth({0.5, 64}, params) == Approx(1200));          // memory: 600 / 0.5
  CHECK(bottleneck_bandwidth({0.5, 64}, params, 1500) == Approx(1200));    // still memory
  CHECK(bottleneck_bandwidth({1, 2}, params, 1000) == Approx(64));         // slices
  CHECK(bottleneck_bandwidth({0, 64}, {32, 5000}, 1000) == Approx(1000));  // all misses, fast memory
}
