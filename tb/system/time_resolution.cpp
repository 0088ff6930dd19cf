// One time resolution a process: what EdgeClock and ClockDomain do at each. Usage: time_resolution WHAT
#include <cstdio>
#include <cstring>
#include <string>

#include "models/tlm/clock_domain.h"
#include "models/tlm/edge_clock.h"

namespace {

using namespace sc_core;

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what);
  ++failures;
}

/// Counts rising edges and compares each with where the clock says that it is.
struct Counter final : sc_module {
  Counter(sc_module_name name, strata::EdgeClock& source) : sc_module(name), clock(source) {
    SC_HAS_PROCESS(Counter);
    SC_METHOD(edge);
    sensitive << clock.edge();
    dont_initialize();
  }
  void edge() {
    wrong += clock.cycle() != edges || !clock.signal.read();
    const std::uint64_t now = sc_time_stamp().value() * unit;  // femtoseconds
    const std::uint64_t booked = clock.booked_fs();
    wrong += (now > booked ? now - booked : booked - now) > unit / 2;
    ++edges;
  }
  strata::EdgeClock& clock;
  std::uint64_t unit = 1;
  std::uint64_t edges = 0, wrong = 0;
};

/// Edge n of a clock of 1400 MHz is at n / 1400e6 s: those before `end` are 0 to end * 1400e6 - 1.
void edges(std::uint64_t unit, const sc_time& end, std::uint64_t expected) {
  strata::EdgeClock clock("clock", strata::Hertz(1'400'000'000));
  Counter counter("counter", clock);
  counter.unit = unit;
  sc_start(end - sc_time::from_value(1));
  check(counter.edges == expected, "number of edges");
  check(counter.wrong == 0, "number or time of an edge");
  sc_start(sc_time::from_value(2));  // what happens at the end of a start, happens in the next
  check(counter.edges == expected + 1 && counter.wrong == 0, "the edge at the end");
}

/// Whose edges lie on femtoseconds: another resolution is refused, with what to do.
void refused() {
  std::string said;
  try {
    strata::ClockDomain domain("core", strata::Hertz(1'400'000'000));
  } catch (const sc_report& report) {
    said = report.get_msg();
  }
  check(said == "the time resolution must be 1 fs: call sc_set_time_resolution(1, SC_FS) first",
        said.c_str());
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  const std::string what = argc == 2 ? argv[1] : "";
  sc_report_handler::set_actions(SC_FATAL, SC_THROW);
  if (what == "femtoseconds") {
    sc_set_time_resolution(1, SC_FS);
    edges(1, sc_time(10, SC_MS), 14'000'000);
  } else if (what == "picoseconds") {
    sc_set_time_resolution(1, SC_PS);
    edges(1000, sc_time(1, SC_MS), 1'400'000);
  } else if (what == "refused") {
    sc_set_time_resolution(1, SC_PS);
    refused();
  } else {
    return 2;
  }
  return failures != 0;
}
