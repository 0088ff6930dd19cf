#include <algorithm>

#include "models/llc_predictors/headroom.h"
#include "platforms/report/console_summary.h"
#include "platforms/report/explain.h"
#include "platforms/report/headroom_report.h"
#include "tb/support/catch.h"
#include "tb/support/toy_modules.h"

using namespace strata;
using namespace strata::platforms;

using strata::ConfigError;
using strata::platforms::InstanceName;
using strata::tb::has_text;
using strata::tb::toy_modules;

namespace {

std::string explained(const std::string& name) {
  static const std::vector<InstanceName> instances = {{"snk", "toy_sink", {"a", "b"}}};
  try {
    return strata::platforms::explain(name, toy_modules(), instances);
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("explain finds parameters, statistics and ledger causes, or the nearest name") {
  CHECK_THAT(
      explained("latency"),
      has_text("parameter toy_router.latency: pipeline depth\n  default 4; allowed: 1 to 1000 (cycles)\n") &&
          has_text("word latency: cycles from the issue"));
  CHECK(explained("toy_sink.requests") ==
        "counter toy_sink.requests: requests that came\n  unit: requests\n  law: requests >= 0\n");
  CHECK_THAT(explained("address_map.partition"),
             has_text("parameter address_map.partition: contiguous bytes"));
  CHECK_THAT(explained("conflict"), has_text("ledger cause conflict: closing another DRAM row"));
  CHECK_THAT(explained("conflict"), has_text("charged at: memory\n"));
  CHECK_THAT(explained("merge"), has_text("charged at: l1, llc\n"));
  CHECK_THAT(explained("llc.merge"), has_text("ledger cause merge: waiting for a fill"));
  CHECK(explained("memory.conflict") == explained("conflict"));
  CHECK(explained("noc1.reply_link") == explained("reply_link"));  // a place of a user's netlist
  CHECK_THAT(explained("ledger_place"),
             has_text("instance key ledger_place: the place at which ledgers charge"));
  CHECK_THAT(explained("toy_sink.conflict"), has_text("nothing is called 'toy_sink.conflict'"));
  CHECK_THAT(explained("snk.conflict"), has_text("'snk' is of the module toy_sink, which has no 'conflict'"));
  CHECK_THAT(explained("toy_sink"), has_text("module toy_sink: takes requests"));
  CHECK_THAT(explained("ipc"), has_text("figure summary.ipc: "));
  CHECK_THAT(explained("latencie"), has_text("did you mean 'latency'?"));
  CHECK_THAT(explained("toy_sink.latency"), has_text("did you mean 'latency'?"));
}

TEST_CASE("explain knows instances and their parameters by the names of --set, in whatever capitals") {
  CHECK_THAT(explained("snk"), has_text("module toy_sink: takes requests"));
  CHECK_THAT(explained("snk"), has_text("  snk is an instance of toy_sink in a and 1 other platform\n"));
  CHECK(explained("SNK[3]") == explained("snk"));
  CHECK_THAT(explained("snk.requests"), has_text("counter toy_sink.requests: requests that came"));
  CHECK(explained("snk.requestz") ==
        "'snk' is of the module toy_sink, which has no 'requestz' (did you mean 'requests'?)");
  CHECK(explained("IPC") == explained("ipc"));
}

TEST_CASE("explain finds choices of parameters, then whatever speaks of a word") {
  CHECK_THAT(explained("oldest"), has_text("oldest is a choice of the parameter toy_source.order: "));
  CHECK_THAT(explained("depth"), has_text("nothing is called 'depth', but these mention it:\n"));
  CHECK_THAT(explained("depth"), has_text("  parameter toy_router.latency: pipeline depth\n"));
  CHECK_THAT(explained("hit"), has_text("  figure summary.l1_hit_rate: "));
  CHECK_THAT(explained("zzzzzz"), has_text("nothing is called 'zzzzzz'; known are"));
}

TEST_CASE("the platforms that Strata comes with can be loaded for their names") {
  const auto names = strata::platforms::instance_names();
  const auto llc = std::find_if(names.begin(), names.end(), [](const auto& n) { return n.name == "llc"; });
  REQUIRE(llc != names.end());
  CHECK(llc->module == "llc_slice");
  CHECK(std::find(llc->platforms.begin(), llc->platforms.end(), "tiny") != llc->platforms.end());
}

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

// The tables that a run prints.

namespace {

/// The rows of the caches, of a run in which L1s and LLC counted so much.
std::string cache_rows(std::uint64_t bypasses) {
  RunRecord record;
  record.summary = describe_summary();
  for (SummaryRow& row : record.summary.rows) {
    if (row.name.rfind("l1_", 0) == 0 || row.name.rfind("llc_", 0) == 0) row.absent.clear();
    if (row.name == "l1_accesses") row.count = 1300;
    if (row.name == "l1_hits") row.count = 1000;
    if (row.name == "l1_misses") row.count = 300 - bypasses;
    if (row.name == "l1_bypasses") row.count = bypasses;
    if (row.name == "l1_hit_rate") row.real = 1000.0 / 1300;
    if (row.name == "llc_accesses") row.count = 300;
    if (row.name == "llc_misses") row.count = 300;
    if (row.name == "llc_hit_rate") row.real = 0.0;
    if (row.name == "llc_sectors") row.count = 400;
    if (row.name == "l1_sectors") row.count = 1300;
  }
  const std::string text = console_summary(record);
  const auto begin = text.find("  cache"), end = text.find("\n\n", begin);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  return text.substr(begin, end - begin);
}

}  // namespace

TEST_CASE(
    "loads past the L1 have a column in the table of caches, beside what does not add up without them") {
  CHECK(cache_rows(100) ==
        "  cache           accesses   hits  merges  misses  bypasses  hit rate\n"
        "  L1 (loads)         1 300  1 000       0     200       100    76.9 %\n"
        "  LLC (requests)       300      0       0     300               0.0 %\n"
        "  L1 (sectors)       1 300                      0\n"
        "  LLC (sectors)        400                      0");
}

TEST_CASE("where no load went past the L1 the table of caches has no such column") {
  CHECK(cache_rows(0) ==
        "  cache           accesses   hits  merges  misses  hit rate\n"
        "  L1 (loads)         1 300  1 000       0     300    76.9 %\n"
        "  LLC (requests)       300      0       0     300     0.0 %\n"
        "  L1 (sectors)       1 300                      0\n"
        "  LLC (sectors)        400                      0");
}
