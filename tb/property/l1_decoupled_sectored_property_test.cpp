// The decoupled sectored L1 against the specification in naive_decoupled.cpp.
#include "tb/property/chunk_l1_trial.h"
#include "tb/property/naive_decoupled.h"

using namespace strata;
using namespace strata::tb;

namespace {

using Params = L1DecoupledSectoredParams;

Params drawn(std::mt19937_64& random) {
  const auto one_of = [&](auto... values) {
    const int all[] = {values...};
    return all[random() % sizeof...(values)];
  };
  Params params;
  params.ways = one_of(1, 2, 3, 4, 8);
  params.tags = one_of(1, 2, 4, 8);
  params.line = Bytes(static_cast<std::uint64_t>(one_of(64, 128, 128, 256)));
  params.chunk = Bytes(static_cast<std::uint64_t>(one_of(32, 32, 64)));
  params.size = Bytes(params.line * static_cast<std::uint64_t>(params.ways * one_of(1, 2, 3, 4)));
  params.choice = static_cast<Params::Choice>(random() % 3);
  params.evict = static_cast<Params::Evict>(random() % 2);
  params.mshrs = one_of(1, 2, 8, 32);
  params.merges = one_of(1, 2, 8);
  params.line_cycles = one_of(0, 1, 3);
  return params;
}

}  // namespace

TEST_CASE("decoupled sectored L1s of any shape do what the specification does") {
  constexpr std::uint64_t seed = 51;
  std::mt19937_64 random(seed);
  const long each = l1_accesses(400000) / 40;
  long full = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Params params = drawn(random);
    REQUIRE(params.validate().empty());
    CAPTURE(seed, trial, params.ways, params.tags, params.line, params.chunk, params.size);
    CAPTURE(static_cast<int>(params.choice), static_cast<int>(params.evict));
    L1DecoupledSectored l1(params);
    NaiveDecoupled naive(params);
    ChunkL1Trial run(l1, params, naive, random());
    for (long step = 0; step < each; ++step) run.step();
    CHECK(l1.stats().replacement_cycles == static_cast<std::uint64_t>(naive.cycles));
    full += run.stalls[static_cast<int>(L1Stall::set_full)];
  }
  CHECK(full > 100);
}
