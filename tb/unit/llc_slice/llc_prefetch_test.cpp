// The prefetcher of an LLC slice behind its sockets. One TEST_CASE = one elaboration = one process. Clock 1
// GHz, memory 100 cycles, 120 cycles to the tags.
#include <set>
#include <utility>

#include "models/llc_slice/llc_slice.h"
#include "tb/support/block_bench.h"
#include "tb/support/one_line_prefetcher.h"

using namespace strata;
using strata::tb::one_line;
using strata::tb::Order;

namespace {

constexpr auto load = AccessClass::load;
constexpr auto store = AccessClass::store;

AddressMapParams slices(int channels, int of_channel) {
  AddressMapParams params;
  params.channels = channels;
  params.slices_per_channel = of_channel;
  return params;
}

/// Two sets of one way: even and odd lines.
LlcSliceParams direct_mapped() {
  LlcSliceParams params;
  params.size = Bytes(2 * 128);
  params.ways = 1;
  params.set_index = SetIndex::Kind::plain;
  params.prefetcher = one_line();
  return params;
}

struct Bench : tb::BlockBench<LlcSlice> {
  Bench(std::vector<Order> orders, const LlcSliceParams& params,
        const AddressMapParams& map_params = slices(1, 1))
      : BlockBench("slice", "memory", std::move(orders), params, 0, 0, map_params) {}
  const LlcSliceStats& stats() const { return block.state().stats(); }
  const PrefetchStats& prefetches() const { return block.state().stats().prefetch; }
};

class Flusher final : public Block, public SliceFlushDoneIf {
 public:
  Flusher(sc_core::sc_module_name module_name, ClockDomain& clock, Cycle when) : Block(module_name, clock) {
    book(when);
  }
  void advance(Cycle, int) override { slice->begin_flush(LlcFlush::all, every_application, *this, 3); }
  void slice_flushed(int, Cycle at) override { answers.push_back(at); }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  ControlOut<SliceControlIf> slice{*this, "slice", 0};
  std::vector<Cycle> answers;

 private:
  tb::NoStats stats_;
};

}  // namespace

// The miss is decided in 120 and leaves in 121, in which the prefetch is looked up: it leaves in 122. The hit
// is decided in 420, and the prefetch after it leaves in 422.
TEST_CASE("a prefetch goes while no request is decided, and its line is hit") {
  LlcSliceParams params;
  params.prefetcher = PrefetcherRow::table().find("next_line");
  params.prefetch_degree = 1;
  Bench bench({{0, load, 0}, {300, load, 128}}, params);
  bench.run();
  CHECK(bench.at(0) == 222);
  CHECK(bench.at(1) == 420);
  REQUIRE(bench.behind.arrivals.size() == 3);
  CHECK(bench.behind.arrivals[1].line == 128);
  CHECK(bench.behind.arrivals[1].at == 122);
  CHECK(bench.behind.arrivals[2].line == 256);
  CHECK(bench.behind.arrivals[2].at == 422);
  CHECK(bench.prefetches().issued == 2);
  CHECK(bench.prefetches().useful == 1);
  CHECK(bench.stats().accesses == 2);
  CHECK(bench.stats().misses == 1);
  CHECK(bench.stats().fetches == 3);
  CHECK(bench.stats().replies == 2);
}

TEST_CASE("a request for a line that a prefetch is bringing merges") {
  Bench bench({{0, load, 0}, {50, load, 128}}, direct_mapped());
  bench.run();
  CHECK(bench.at(1) == 223);  // the fill of 222
  CHECK(bench.spent(1, "llc.merge") == 52);
  CHECK(bench.prefetches().late == 1);
  CHECK(bench.stats().merges == 1);
}

TEST_CASE("a prefetched line that is evicted before its use is useless in a slice") {
  Bench bench({{0, load, 0}, {300, load, 384}, {600, load, 128}}, direct_mapped());
  bench.run();
  CHECK(bench.prefetches().useless == 1);
  CHECK(bench.prefetches().polluting == 0);
  CHECK(bench.stats().misses == 3);
}

TEST_CASE("a miss of a line that a prefetch has evicted from a slice is polluting") {
  Bench bench({{0, store, 384}, {300, load, 0}, {600, load, 384}}, direct_mapped());
  bench.run();
  CHECK(bench.prefetches().polluting == 1);
  CHECK(bench.stats().dirty_evictions == 1);  // line 384, by the prefetch
  CHECK(bench.stats().memory_writes == 1);
  bench.block.settle(0);
  CHECK(bench.prefetches().useless == 1);  // line 128, by line 384
}

// Requests in 0, 1 and 2 are decided in 120, 121 and 122, and the last fetch leaves in 123: the prefetch is
// looked up then, and leaves behind it.
TEST_CASE("a prefetch waits while requests need the tags and memory") {
  LlcSliceParams params;
  params.prefetcher = one_line();
  Bench bench({{0, load, 0}, {1, load, 1024}, {2, load, 2048}}, params);
  bench.run();
  REQUIRE(bench.behind.arrivals.size() == 4);
  CHECK(bench.behind.arrivals[2].at == 123);
  CHECK(bench.behind.arrivals[3].line == 128);
  CHECK(bench.behind.arrivals[3].at == 124);
  CHECK(bench.at(0) == 222);
  CHECK(bench.at(2) == 224);
}

TEST_CASE("a store of a prefetched line uses it, and sectors are those of the load") {
  LlcSliceParams params;
  params.prefetcher = one_line();
  params.sector = Bytes(32);
  Bench bench({{0, load, 0, 0x6}, {300, store, 128, 0x2}}, params);
  bench.run();
  REQUIRE(bench.behind.arrivals.size() == 2);
  CHECK(bench.behind.arrivals[1].sectors == 0x6);
  CHECK(bench.prefetches().useful == 1);
  CHECK(bench.stats().write_hits == 1);
}

// Two channels of two slices, 256 B in turn: the lines of a slice come in pairs, 1 KiB apart.
TEST_CASE("the line behind the last of a partition is the next one of the same slice") {
  LlcSliceParams params;
  params.prefetcher = PrefetcherRow::table().find("next_line");
  params.prefetch_degree = 2;
  Bench bench({{0, load, 256}}, params, slices(2, 2));
  bench.run();
  REQUIRE(bench.behind.arrivals.size() == 3);
  CHECK(bench.behind.arrivals[1].line == 256 + 128);
  CHECK(bench.behind.arrivals[2].line == 256 + 1024);
}

TEST_CASE("prefetches stay in their slice whatever the address map") {
  AddressMapParams hashed = slices(4, 2);
  hashed.kind = AddressMapParams::Kind::pae;
  LlcSliceParams params;
  params.prefetcher = PrefetcherRow::table().find("next_line");
  params.prefetch_degree = 8;
  params.prefetch_mshrs = 8;
  Bench bench({{0, load, 0x123400}}, params, hashed);
  bench.run();
  REQUIRE(bench.behind.arrivals.size() == 9);
  const Location home = bench.map->locate(0x123400);
  std::set<Address> lines;
  for (const auto& arrival : bench.behind.arrivals) {
    CHECK(bench.map->locate(arrival.line).channel == home.channel);
    CHECK(bench.map->locate(arrival.line).slice == home.slice);
    lines.insert(arrival.line);
  }
  CHECK(lines.size() == 9);
}

// The prefetch leaves in 122, and its line comes in 222.
TEST_CASE("a flush waits for prefetches under way, and makes them useless") {
  Bench bench({{0, load, 0}}, direct_mapped());
  Flusher flusher("flusher", bench.clock, 150);
  REQUIRE(flusher.slice.bind_to(bench.block.control));
  bench.run();
  REQUIRE(flusher.answers.size() == 1);
  CHECK(flusher.answers[0] > 222);
  bench.block.settle(0);
  CHECK(bench.prefetches().useless == 1);
  CHECK(bench.block.state().valid_lines() == 0);
}
