// The register window, from an initiator that knows nothing of Strata. Clock 1 GHz: a cycle is a nanosecond.
#include "models/contention_tracker/contention_tracker.h"

#include "tb/support/register_host.h"

using namespace strata;

TEST_CASE("a host reads the counters, sets them to zero, and is told what is wrong") {
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
