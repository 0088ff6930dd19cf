// Routing policies: outputs worked out by hand.
#include "models/noc/routing/routing.h"

#include "models/noc/routing/routing_table.h"
#include "tb/support/catch.h"
#include "tb/support/noc_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

/// 8 channels of 4 slices; lines of 128 B, partitions of 256 B.
std::unique_ptr<AddressMap> small_map() {
  AddressMapParams params;
  params.channels = 8;
  params.slices_per_channel = 4;
  return make_address_map(params);
}

std::vector<int> outputs_of(const RouterStageParams& params, const std::vector<int>& slices) {
  const auto map = small_map();
  const auto routing = make_routing(params, *map);
  std::vector<int> outputs;
  for (const int slice : slices) {
    Access access;
    access.slice = static_cast<std::int16_t>(slice);
    outputs.push_back(routing->route(access, 0).output);
  }
  return outputs;
}

int output_of_line(RouterStageParams::Route route, Address line, int outputs, int divide = 1) {
  RouterStageParams params;
  params.route = route;
  params.outputs = outputs;
  params.divide = divide;
  const auto map = small_map();
  Access access;
  access.line = line;
  return make_routing(params, *map)->route(access, 0).output;
}

RouterStageParams with_table(const std::string& table, int vcs = 1) {
  RouterStageParams params;
  params.outputs = 3;
  params.vcs = vcs;
  params.routing = RoutingPolicy::table().find("table");
  params.table = table;
  return params;
}

// A packet of 4 flits is sent in 10 and leaves its router in 15 to 18, one of 1 flit comes from another input
// in 11 and could leave in 16. In another VC the arbiter, whose pointer stands behind the first input, passes
// it then; in the same VC it waits for the tail and a cycle of VC allocation: 15 + 4 + 1.
Cycle second_arrives(const std::string& table) {
  RouterStageParams params = with_table(table, 2);
  params.inputs = 2;
  NocBench bench(params);
  bench.sources[0]->plan({10, 0, 4});
  bench.sources[1]->plan({11, 1, 1});
  bench.finish();
  CHECK(bench.faults().empty());
  return bench.sources[1]->log.at(0).arrived;
}

}  // namespace

TEST_CASE("divide: an SM router divides by the slices of a controller, an MC router by 1") {
  RouterStageParams params;
  params.outputs = 8;
  params.divide = 4;
  CHECK(outputs_of(params, {0, 3, 4, 17, 31}) == std::vector<int>{0, 0, 1, 4, 7});
  params.outputs = 4;
  params.divide = 1;
  CHECK(outputs_of(params, {0, 3, 4, 17, 31}) == std::vector<int>{0, 3, 0, 1, 3});
}

TEST_CASE("divide: numbers of lines, partitions, hashes and SMs") {
  using Route = RouterStageParams::Route;
  CHECK(output_of_line(Route::line, 128 * 13, 5) == 3);     // 13 mod 5
  CHECK(output_of_line(Route::line, 128 * 13, 5, 4) == 3);  // 13 / 4 = 3
  // Number 129 = 1 << 7 | 1: folded by 7 it is 128 | 1 ^ 1 = 128, mod 7 = 2; by itself 129 mod 7 = 3.
  CHECK(output_of_line(Route::hash, 128 * 129, 7) == 2);
  CHECK(output_of_line(Route::line, 128 * 129, 7) == 3);
  // Partition 8 x 5 + 3 of all is number 5 of channel 3.
  CHECK(output_of_line(Route::partition, 256 * 43, 4) == 1);
  CHECK(output_of_line(Route::sm, Address{6} << dsmem_window_bits, 8) == 6);
}

TEST_CASE("table: an output for each destination, begun again behind its end") {
  CHECK(outputs_of(with_table("2, 0,1"), {0, 1, 2, 3, 31}) == std::vector<int>{2, 0, 1, 2, 0});
}

TEST_CASE("table: what is no step, no output and no VC of the router is refused") {
  CHECK(with_table("2,0,1").validate().empty());
  CHECK(with_table("0.1, 1.0", 2).validate().empty());
  for (const char* wrong : {"", "0,,1", "0,x", "0 1", "-1", "0.", "0.0x", "12345"}) {
    INFO(wrong);
    const Faults faults = with_table(wrong).validate();
    REQUIRE(faults.size() == 1);
    CHECK_THAT(faults[0].message, has_text("write an output for each destination"));
  }
  CHECK_THAT(with_table("0, 3").validate().at(0).message, has_text("names output 3 of 3"));
  CHECK_THAT(with_table("0.1").validate().at(0).message, has_text("names VC 1 of 1"));
  RouterStageParams unused;
  unused.table = "0";
  CHECK_THAT(unused.validate().at(0).message, has_text("is for routing: table only"));
}

TEST_CASE("table: a packet takes a free VC of its output, any of them where none is named") {
  CHECK(second_arrives("0, 0, 2") == 16);
}

TEST_CASE("table: packets in different VCs share a link") {
  CHECK(second_arrives("0.0, 0.1, 2") == 16);
}

TEST_CASE("table: packets that must take the same VC go one after the other") {
  CHECK(second_arrives("0.0, 0.0, 2") == 20);
}

namespace {

/// By the input alone: what `table` does not say.
struct ByInput final : Routing {
  explicit ByInput(int more) : offset(more) {}
  RouteStep route(const Access&, int input) const override { return {input + offset}; }
  int offset;
};

template <int offset>
RouterStageParams by_input(const char* name) {
  RoutingPolicy::table().add(
      {name, "by the input", [](const RouterStageParams&, const AddressMap&) -> std::unique_ptr<Routing> {
         return std::make_unique<ByInput>(offset);
       }});
  RouterStageParams params;
  params.inputs = params.outputs = 3;
  params.routing = RoutingPolicy::table().find(name);
  return params;
}

}  // namespace

TEST_CASE("a routing of a plug-in leads through a router") {
  NocBench bench(by_input<0>("by_input"));
  bench.sources[2]->plan({10, 0, 1});
  bench.finish();
  REQUIRE(bench.faults().empty());
  CHECK(bench.sources[2]->log.at(0).arrived != never);
  CHECK(bench.sinks[2]->received == 1);
}

TEST_CASE("a routing of a plug-in that leads out of the router is named") {
  const auto map = small_map();
  const auto routing = make_routing(by_input<1>("behind_input"), *map);
  CHECK(routing->route(Access{}, 1).output == 2);
  CHECK_THROWS_WITH(routing->route(Access{}, 2), "routing 'behind_input' names output 3; allowed: 0 to 2");
}
