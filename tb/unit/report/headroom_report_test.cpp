#include "platforms/report/headroom_report.h"

#include "models/llc_predictors/lookup_recorder.h"
#include "tb/support/catch.h"

using namespace strata;
using tb::has_text;

TEST_CASE("a recorder keeps where and when, up to its limit") {
  AddressMapParams map_params;
  map_params.channels = 2;
  map_params.slices_per_channel = 2;
  const auto map = make_address_map(map_params);
  LookupRecorder recorder(*map, 4, SetIndex::Kind::plain, 2);
  Access access;
  // Partitions of 256 B: 768 is in partition 3: channel 1, slice 1; the second line of a partition is one set
  // on.
  access.line = 768 + 128;
  access.sm = 7;
  access.cluster = 1;
  access.access_class = AccessClass::read_only_load;
  recorder.record(access, 55);
  access.line = 768;
  recorder.record(access, 56);
  recorder.record(access, 57);
  REQUIRE(recorder.lookups().size() == 2);
  CHECK(recorder.dropped() == 1);
  const LlcLookup& first = recorder.lookups()[0];
  CHECK(first.number == 7);
  CHECK(first.cycle == 55);
  CHECK(first.channel == map->locate(768).channel);
  CHECK(first.address_slice == map->locate(768).slice);
  CHECK(first.set == LlcSetIndex(4, SetIndex::Kind::plain, *map)(768 + 128));
  CHECK(recorder.lookups()[1].set != first.set);
  CHECK(first.cluster == 1);
  CHECK(first.sm == 7);
  CHECK(first.access_class == AccessClass::read_only_load);
}

TEST_CASE("the headroom report of a stream worked by hand") {
  // Two clusters read lines 1 and 2 of slice 0 in turn, c0:1 c1:1 c0:2 c1:2 and again, in two slices of one
  // way. Sharing: each second lookup repeats the one before: LRU and OPT hit 4 of 8; infinite 6. Replication:
  // a cluster reads 1 2 1 2 in its one way: LRU 0; OPT keeps line 1 for one hit a cluster, 2 of 8; infinite 4
  // of 8.
  HeadroomParams params;
  params.clusters = params.slices = 2;
  params.channels = 1;
  params.slice_sets = params.ways = 1;
  std::vector<LlcLookup> stream;
  for (const std::uint64_t line : {1, 2, 1, 2})
    for (const int cluster : {0, 1}) {
      LlcLookup lookup;
      lookup.number = line;
      lookup.cluster = static_cast<std::uint16_t>(cluster);
      lookup.sm = static_cast<std::uint16_t>(cluster * 10);
      lookup.access_class = AccessClass::read_only_load;
      stream.push_back(lookup);
    }
  const std::string text = platforms::headroom_report(stream, params);
  INFO(text);
  CHECK_THAT(text, has_text("8 lookups"));
  const auto row = [&text](const std::string& name) {
    const std::size_t from = text.find(name);
    REQUIRE(from != std::string::npos);
    return text.substr(from, text.find('\n', text.find('\n', text.find('\n', from) + 1) + 1) - from);
  };
  const std::string sharing = row("full sharing");
  CHECK_THAT(sharing, has_text("LRU") && has_text("50.0 %") && has_text("75.0 %"));
  const std::string replication = row("full replication");
  CHECK_THAT(replication, has_text("0.0 %") && has_text("25.0 %") && has_text("50.0 %"));
  // Both lines are touched by both clusters and by two SMs in the one window.
  CHECK_THAT(text, has_text("clusters that touch a line") && has_text("100.0 %"));
  CHECK_THAT(text, has_text("SMs that touch a read-only line"));

  // Lines of 128 B, slices of 32 B and memory of 64 B a cycle. Sharing: the one slice looks up 8 lines, 32
  // cycles; LRU and OPT miss 4, 8 cycles. Replication: 4 lines a slice, 16 cycles; OPT misses 6, 12 cycles.
  // 40 instructions at 2 a cycle: 20 cycles, which is what limits replication. The run took 60 cycles; a
  // policy that took 40 for the same 640 thread instructions reaches 32 / 40 of sharing and 20 / 40 of
  // replication.
  params.bandwidth = {32, 64};
  const platforms::HeadroomRun run{60, 640, 40, 2, 0.5};
  CHECK(platforms::cycles_at_least(replay_opt(stream, params, 1), params, run) == 32);
  CHECK(platforms::cycles_at_least(replay_opt(stream, params, 2), params, run) == 20);
  CHECK(platforms::cycles_at_least(replay_opt(stream, params, 2), params, {}) == 16);
  const std::string judged = platforms::headroom_report(stream, params, run, {{"mine", 40, 640}});
  INFO(judged);
  CHECK_THAT(judged, has_text("Issue of all instructions alone: 20 cycles"));
  CHECK_THAT(judged, has_text("3.00 x"));
  const std::string mine = judged.substr(judged.find("mine"));
  CHECK_THAT(mine, has_text("80.0 %") && has_text("50.0 %"));
}
