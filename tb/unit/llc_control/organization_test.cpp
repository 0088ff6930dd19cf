// What serves a request, and what parameters may not be.
#include "tb/support/catch.h"
#include "tb/support/organization_bench.h"

using namespace strata;
using namespace strata::tb;

TEST_CASE("the address names the shared slice, the cluster the private one, and atomics have one place") {
  OrganizationBench shared(params_of("shared"), 2);
  OrganizationBench alone(params_of("private"), 2);
  // Partition 5 of two controllers: controller 1, its partition 2, so slice 2 of 4: number 4 + 2.
  CHECK(shared.slice(5 * partition, 3) == 6);
  CHECK(alone.slice(5 * partition, 3) == 7);
  CHECK(alone.slice(5 * partition, 0, AccessClass::store) == 4);
  CHECK(alone.slice(5 * partition, 0, AccessClass::atomic) == 6);
  CHECK(alone.organization->writes_through());
  CHECK_FALSE(shared.organization->writes_through());
  CHECK(alone.organization->at_kernel_end() == KernelEndFlush::everything);
  CHECK(shared.organization->at_kernel_end() == KernelEndFlush::nothing);
}

TEST_CASE("static: group g uses S / D slices from g S / D on, for read-only loads only") {
  constexpr auto read_only = AccessClass::read_only_load;
  LlcControlParams params = params_of("static");
  params.degree = 2;
  OrganizationBench two(params);
  // Clusters 0 and 1 are group 0 with slices 0 and 1, clusters 2 and 3 group 1 with slices 2 and 3.
  for (int s = 0; s < 4; ++s) {
    CHECK(two.slice(OrganizationBench::line(s, 0), 1, read_only) == s % 2);
    CHECK(two.slice(OrganizationBench::line(s, 0), 2, read_only) == 2 + s % 2);
    for (const auto other : {AccessClass::load, AccessClass::store, AccessClass::atomic})
      CHECK(two.slice(OrganizationBench::line(s, 0), 2, other) == s);
  }
  CHECK(two.organization->at_kernel_end() == KernelEndFlush::replicas);
  CHECK_FALSE(two.organization->writes_through());
  params.degree = 4;
  OrganizationBench four(params);
  for (int c = 0; c < 4; ++c) CHECK(four.slice(OrganizationBench::line(1, 0), c, read_only) == c);
  params.degree = 1;
  OrganizationBench one(params);
  for (int c = 0; c < 4; ++c) CHECK(one.slice(OrganizationBench::line(1, 0), c, read_only) == 1);
  CHECK(one.organization->at_kernel_end() == KernelEndFlush::nothing);
}

TEST_CASE("bad parameters are named") {
  LlcControlParams params = params_of("static");
  params.clusters = 6;
  params.degree = 4;
  Faults faults = params.validate();
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults[0].message,
             tb::has_text("does not divide the 6 clusters; the next smaller that does is 3"));
  params = params_of("static");
  params.clusters = params.degree = 8;  // eight copies in four slices
  CHECK(params.validate().empty());
  CHECK_THROWS_AS(make_organization(params, *make_address_map(four_slices())), ConfigError);
  params = params_of("adaptive");
  params.epoch = params.profile;
  REQUIRE(params.validate().size() == 1);
  CHECK_THAT(params.validate()[0].message, tb::has_text("it must be longer"));
  params.rule = LlcControlParams::Rule::windowed;
  params.epoch = 2 * params.trial;
  REQUIRE(params.validate().size() == 1);
  CHECK_THAT(params.validate()[0].message, tb::has_text("watching and trying alone take 2 x 10000"));
  params = params_of("private");
  params.gates = 4;
  CHECK(params.validate().size() == 1);
}

TEST_CASE("predictors report the storage that the papers give") {
  LlcControlParams params;  // eight clusters, eight controllers of eight slices of 48 sets
  params.organization = LlcControlParams::named("adaptive");
  AddressMapParams map_params;
  const auto map = make_address_map(map_params);
  const auto adaptive = make_organization(params, *map);
  adaptive->attach(LlcMachine{});
  // 432 bytes of directory and eight counters of 16 bits.
  CHECK(adaptive->predictor_bits() == 432 * 8 + 8 * 16);
  REQUIRE(adaptive->predictors().size() == 2);
  CHECK(adaptive->predictors()[0].entries == 8);           // sets
  CHECK(adaptive->predictors()[0].bits == 16 * (19 + 8));  // ways of tag and routers
  params.rule = LlcControlParams::Rule::windowed;
  const auto windowed = make_organization(params, *map);
  windowed->attach(LlcMachine{});
  // Tags of 8 private slices x 8 sets x 16 ways, hits and accesses of them; 64 counters and two accumulators
  // for either mode.
  CHECK(windowed->predictor_bits() == 8 * 8 * 16 * 19 + 2 * 16 + 2 * (64 * 16 + 64));
}
