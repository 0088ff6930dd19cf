// What sequences of accesses add to the counters, worked out by hand: one set of four ways, kernels 0 to 3 on
// SMs of the same numbers. A stack is written from the line used last, each line with its owner: "D2 A0" is
// line D of kernel 2, used last, and line A of kernel 0.
#include "models/contention_tracker/contention_tracker.h"

#include <deque>

#include "models/contention_tracker/contention_tracker_core.h"
#include "models/llc_slice/llc_slice_core.h"
#include "tb/support/catch.h"
#include "tb/support/register_host.h"

using namespace strata;

namespace {

constexpr Address line_a = 0, line_b = 128, line_c = 256, line_d = 384, line_e = 512, line_f = 640;
using Matrix = std::vector<std::vector<std::uint64_t>>;  // [victim][aggressor]

LlcSliceParams one_set(Allocation allocation, Bytes sector = Bytes(0)) {
  LlcSliceParams params;
  params.ways = 4;
  params.size = Bytes(4 * 128);
  params.set_index = SetIndex::Kind::plain;
  params.allocation = allocation;
  params.sector = sector;
  return params;
}

ContentionTrackerParams by_sm(int kernels = 4, int counter_bits = 32) {
  ContentionTrackerParams params;
  params.owners = ContentionTrackerParams::Owners::sm;
  params.kernels = kernels;
  params.counter_bits = counter_bits;
  return params;
}

struct Bench {
  explicit Bench(const LlcSliceParams& slice = one_set(Allocation::on_fill),
                 const ContentionTrackerParams& params = by_sm())
      : tracker(params), core(slice, *map) {
    core.watch_lines(&tracker.add_slice(core.tags()));
  }
  static AddressMapParams one_slice() {
    AddressMapParams params;
    params.channels = params.slices_per_channel = 1;
    return params;
  }
  LlcDecision begin(int kernel, Address line, std::uint8_t sectors = 0xf,
                    AccessClass access_class = AccessClass::load) {
    Access& access = accesses.emplace_back();
    access.sm = static_cast<std::uint16_t>(kernel);
    access.line = line;
    access.sectors = sectors;
    access.access_class = access_class;
    return core.begin(access, 0);
  }
  /// With its fill at once.
  LlcOutcome access(int kernel, Address line, std::uint8_t sectors = 0xf,
                    AccessClass access_class = AccessClass::load) {
    const LlcDecision decision = begin(kernel, line, sectors, access_class);
    if (decision.outcome == LlcOutcome::miss_new) core.fill(decision.mshr, decision.sectors);
    return decision.outcome;
  }
  template <class Read>
  Matrix matrix(Read read) const {
    Matrix rows;
    for (int v = 0; v < counters().kernels(); ++v) {
      rows.emplace_back();
      for (int a = 0; a < counters().kernels(); ++a) rows.back().push_back(read(v, a));
    }
    return rows;
  }
  Matrix demotions() const {
    return matrix([this](int v, int a) { return counters().demotions(v, a); });
  }
  Matrix evictions() const {
    return matrix([this](int v, int a) { return counters().evictions(v, a); });
  }
  std::vector<std::uint64_t> misses() const {
    std::vector<std::uint64_t> all;
    for (int k = 0; k < counters().kernels(); ++k) all.push_back(counters().misses(k));
    return all;
  }
  const ContentionCounters& counters() const { return tracker.counters(); }

  std::unique_ptr<AddressMap> map = make_address_map(one_slice());
  ContentionTrackerCore tracker;
  LlcSliceCore core;
  std::deque<Access> accesses;
};

const Matrix nothing(4, std::vector<std::uint64_t>(4));

}  // namespace

TEST_CASE("lines in empty ways demote present lines, and evict none") {
  Bench bench;
  bench.access(0, line_a);  // the set was empty
  CHECK(bench.demotions() == nothing);
  bench.access(1, line_b);  // B1 A0: A by 1
  bench.access(0, line_c);  // C0 B1 A0: B and A by 0
  bench.access(2, line_d);  // D2 C0 B1 A0: C, B, A by 2
  CHECK(bench.demotions() == Matrix{{1, 1, 2, 0}, {1, 0, 1, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  CHECK(bench.evictions() == nothing);
  CHECK(bench.misses() == std::vector<std::uint64_t>{2, 1, 1, 0});
}

TEST_CASE("a hit demotes the lines above its place, a miss all of them") {
  Bench bench;
  for (const Address line : {line_a, line_b, line_c, line_d}) bench.access(0, line);
  bench.access(1, line_b);  // B1 D0 C0 A0
  bench.access(2, line_c);  // C2 B1 D0 A0
  bench.tracker.reset_counters();
  bench.access(3, line_c);  // place 0: no demotion. C3 B1 D0 A0
  CHECK(bench.demotions() == nothing);
  bench.access(3, line_b);  // place 1: C3. B3 C3 D0 A0
  CHECK(bench.demotions() == Matrix{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1}});
  bench.access(1, line_d);  // place 2: B3 and C3. D1 B3 C3 A0
  CHECK(bench.demotions() == Matrix{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 2, 0, 1}});
  bench.access(2, line_a);  // place 3: D1, B3, C3. A2 D1 B3 C3
  CHECK(bench.demotions() == Matrix{{0, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 0}, {0, 2, 2, 1}});
  CHECK(bench.misses() == std::vector<std::uint64_t>{0, 0, 0, 0});
  bench.access(0, line_e);  // a miss: A2, D1, B3, C3, the last of which goes. E0 A2 D1 B3
  CHECK(bench.demotions() == Matrix{{0, 0, 0, 0}, {1, 0, 1, 0}, {1, 0, 0, 0}, {2, 2, 2, 1}});
  CHECK(bench.evictions() == Matrix{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}});
  bench.access(3, line_f);  // evicts its own B: E0, A2, D1, B3. F3 E0 A2 D1
  CHECK(bench.demotions() == Matrix{{0, 0, 0, 1}, {1, 0, 1, 1}, {1, 0, 0, 1}, {2, 2, 2, 2}});
  CHECK(bench.evictions() == Matrix{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 1}});
  CHECK(bench.misses() == std::vector<std::uint64_t>{1, 0, 0, 1});
  CHECK(bench.tracker.stats().demotions == 10 + 14);  // over the reset
}

TEST_CASE("a line allocated with its fill changes the stack with its fill, for the one that missed") {
  Bench bench;
  bench.access(0, line_a);
  const LlcDecision miss = bench.begin(1, line_b);
  CHECK(bench.begin(2, line_b).outcome == LlcOutcome::miss_merged);  // neither a miss nor a demotion
  CHECK(bench.demotions() == nothing);
  CHECK(bench.misses() == std::vector<std::uint64_t>{1, 1, 0, 0});
  bench.access(3, line_c);          // comes before B: C3 A0
  bench.core.fill(miss.mshr, 0xf);  // B1 C3 A0
  CHECK(bench.demotions() == Matrix{{0, 1, 0, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 1, 0, 0}});
  bench.access(0, line_a);  // B belongs to 1, who missed: place 2, B1 and C3
  CHECK(bench.demotions() == Matrix{{0, 1, 0, 1}, {1, 0, 0, 0}, {0, 0, 0, 0}, {1, 1, 0, 0}});
}

TEST_CASE("a line allocated with its miss changes the stack at once, and its fill changes nothing") {
  Bench bench(one_set(Allocation::on_miss));
  bench.access(0, line_a);
  const LlcDecision miss = bench.begin(1, line_b);  // B1 A0
  const Matrix once = {{0, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  CHECK(bench.demotions() == once);
  CHECK(bench.begin(2, line_b).outcome == LlcOutcome::miss_merged);  // finds its tag on top: B2 A0
  bench.core.fill(miss.mshr, 0xf);
  CHECK(bench.demotions() == once);
  bench.access(0, line_a);  // B is 2's now
  CHECK(bench.demotions() == Matrix{{0, 1, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}});
}

TEST_CASE("a missing sector of a line that is here demotes as a hit and counts as a miss") {
  for (const Allocation allocation : {Allocation::on_fill, Allocation::on_miss}) {
    Bench bench(one_set(allocation, Bytes(32)));
    bench.access(0, line_a, 0x1);
    bench.access(1, line_b, 0x1);  // B1 A0: A by 1
    bench.access(2, line_c, 0x1);  // C2 B1 A0: B and A by 2
    bench.tracker.reset_counters();
    CHECK(bench.access(3, line_b, 0x2) == LlcOutcome::miss_new);  // place 1: C2. B3 C2 A0
    CHECK(bench.demotions() == Matrix{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}});
    CHECK(bench.misses() == std::vector<std::uint64_t>{0, 0, 0, 1});
    CHECK(bench.access(0, line_a, 0x2, AccessClass::store) == LlcOutcome::done);  // needs no fetch: A0 B3 C2
    CHECK(bench.demotions() == Matrix{{0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 1}, {1, 0, 0, 0}});
    CHECK(bench.misses() == std::vector<std::uint64_t>{1, 0, 0, 1});
    CHECK(bench.evictions() == nothing);
  }
}

TEST_CASE("a line that may not be evicted keeps its place, and the lines behind it are not demoted") {
  Bench bench(one_set(Allocation::on_miss));
  const LlcDecision reserved = bench.begin(0, line_a);
  for (const Address line : {line_b, line_c, line_d}) bench.access(1, line);  // D1 C1 B1 A0
  bench.tracker.reset_counters();
  bench.access(2, line_e);  // B goes: D1, C1, B1. E2 D1 C1 A0
  CHECK(bench.demotions() == Matrix{{0, 0, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  CHECK(bench.evictions() == Matrix{{0, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  bench.core.fill(reserved.mshr, 0xf);
}

TEST_CASE("dropped lines demote no others") {
  Bench bench;
  for (const Address line : {line_a, line_b, line_c}) bench.access(0, line);
  bench.tracker.reset_counters();
  MemoryWrite write;
  CHECK_FALSE(bench.core.flush_step(LlcFlush::all, every_application, write));
  bench.access(1, line_d);
  CHECK(bench.demotions() == nothing);
  CHECK(bench.evictions() == nothing);
}

TEST_CASE("counters saturate, kernels without counters are counted apart, applications may be the kernels") {
  Bench bench(one_set(Allocation::on_fill), by_sm(2, 4));
  for (int i = 0; i < 40; ++i) bench.access(0, static_cast<Address>(i) * 128);
  CHECK(bench.counters().misses(0) == 15);
  CHECK(bench.counters().demotions(0, 0) == 15);
  CHECK(bench.counters().evictions(0, 0) == 15);
  bench.access(7, line_a);
  CHECK(bench.tracker.stats().misses == 40);
  CHECK(bench.tracker.stats().other_misses == 1);

  ContentionTrackerParams params;
  Access access;
  access.sm = 70;
  access.application = 5;
  CHECK(ContentionCounters(params).kernel_of(access) == 5);
  CHECK(ContentionCounters(by_sm(128)).kernel_of(access) == 70);
}

TEST_CASE("the storage is that of the paper's description: owners of lines, and matrices of counters") {
  Bench bench;
  CHECK(bench.tracker.owner_bits() == 4 * 2);     // log2(4) bits for each of four lines
  CHECK(bench.tracker.gdc_bits() == 4 * 4 * 32);  // a counter for each pair
  CHECK(bench.tracker.plob_bits() == 4 * 4 * 32 + 4 * 32);
}

// The register window, from an initiator that knows nothing of Strata. Clock 1 GHz: a cycle is a nanosecond.

TEST_CASE("a host reads and resets the counters, and wrong accesses get errors") {
  sc_core::sc_report_handler::set_actions("strata/registers", sc_core::SC_WARNING, sc_core::SC_CACHE_REPORT);
  ClockDomain clock("clock", Hertz(1'000'000'000));
  const auto map = make_address_map(AddressMapParams{});
  ContentionTrackerParams params;
  params.kernels = 3;
  ContentionTracker tracker("tracker", params, BuildContext{clock, *map});
  tb::Host host("host");
  host.socket.bind(tracker.registers);

  // A set of two ways, filled by applications 0 and 1; application 2 takes the place of 0.
  TagArray tags(1, 2);
  LineUseIf& slice = tracker.slice.exported()->attach(tags);
  Access access;
  for (const int application : {0, 1, 2}) {
    access.application = static_cast<std::uint8_t>(application);
    slice.missed(access);
    slice.placed(0, tags.victim(0), access);
    tags.insert(0, TagEntry(static_cast<std::uint64_t>(application), 0, false));
  }

  host.program = [&] {
    CHECK((host.read(0x00) & 0xffffffff) == 0x47444354);
    CHECK(host.read(0x08) == 0);      // by application
    CHECK(host.read(0x10) == 3);      // kernels
    CHECK(host.read(0x18) == 32);     // bits of a counter
    CHECK(host.read(0x20) == 2 * 2);  // two lines
    CHECK(host.read(0x28) == 9 * 32 + 3 * 32);
    CHECK(host.read(0x30) == 9 * 32);
    for (std::uint64_t k = 0; k < 3; ++k) CHECK(host.read(0x1000 + 8 * k) == 1);  // misses
    const auto demotions = [&](std::uint64_t v, std::uint64_t a) {
      return host.read(0x1018 + 8 * (3 * v + a));
    };
    const auto evictions = [&](std::uint64_t v, std::uint64_t a) {
      return host.read(0x1060 + 8 * (3 * v + a));
    };
    CHECK(demotions(0, 1) == 1);
    CHECK(demotions(0, 2) == 1);
    CHECK(demotions(1, 2) == 1);
    CHECK(demotions(1, 0) == 0);
    CHECK(evictions(0, 2) == 1);
    CHECK(evictions(2, 0) == 0);
    std::uint64_t value = 0;
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0x1060 + 8 * 9, value) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(host.write(0x1000, 0) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK_THAT(sc_core::sc_report_handler::get_cached_report()->get_msg(),
               tb::has_text("tracker: an access to 0x1000 writes MISSES[0], which is read-only"));
    CHECK(host.write(0x38, 2) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0x1000, value, 8, true) == tlm::TLM_OK_RESPONSE);  // debug
    CHECK(value == 1);
    CHECK(host.write(0x38, 1) == tlm::TLM_OK_RESPONSE);  // a new task begins
    CHECK(host.read(0x1000) == 0);
    CHECK(demotions(0, 1) == 0);
    CHECK(evictions(0, 2) == 0);
    host.moved = 1234;
  };
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_NS));
  CHECK(host.moved == 1234);  // the program came to its end
  tracker.settle(10);
  const auto& stats = dynamic_cast<const ContentionTrackerStats&>(tracker.stats());
  CHECK(stats.demotions == 3);  // over the reset
  CHECK(stats.evictions == 1);
  CHECK(stats.counter_resets == 1);
  CHECK(stats.register_errors == 3);
}
