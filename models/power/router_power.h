#pragma once

#include "models/power/formula.h"

namespace strata::power {

/// One network of a router: buffered inputs, a crossbar of multiplexers, a separable switch allocator of
/// matrix arbiters, and a clock tree over all of it.
struct RouterShape {
  double inputs = 8;
  double outputs = 8;
  double bits = 256;  ///< width of a flit
  double vcs = 1;
  double flits = 8;  ///< of one input, over all of its VCs
};

/// What the clock tree has to drive.
struct ClockShape {
  double input_bits = 0;
  double output_bits = 0;
  double side_um = 0;  ///< of the router, were it square
  double driver = 1;   ///< size of the last driver: clock_driver()
};

/// Areas in um2, leakages in mW, energies in pJ for each flit (`clock`: for each cycle).
struct RouterPower {
  Interval area_buffer, area_crossbar, area_allocator, area_clock;
  Interval leakage_buffer, leakage_crossbar, leakage_allocator, leakage_clock;
  Interval write, read, traverse, arbitrate_vcs, arbitrate_inputs, clock;
  std::vector<OutOfRange> notes;

  Interval area() const { return area_buffer + area_crossbar + area_allocator + area_clock; }
  Interval leakage() const { return leakage_buffer + leakage_crossbar + leakage_allocator + leakage_clock; }
  /// The energy of one flit from input to output.
  Interval flit() const { return write + read + traverse + arbitrate_vcs + arbitrate_inputs; }
};

const std::vector<Formula<RouterShape>>& router_formulas();
const std::vector<Formula<ClockShape>>& clock_formulas();
/// The cycle that a router of 32 B flits and 4 VCs reaches; valid up to 40 inputs.
const Formula<RouterShape>& router_cycle();
/// The standard cell that drives a tree of that energy: cells come in steps.
double clock_driver(double pj_per_cycle);

class RouterModel {
 public:
  explicit RouterModel(const Constants& constants);
  RouterPower operator()(const RouterShape& shape) const;

 private:
  Interval figure(const char* name, const RouterShape& shape) const;
  std::vector<Fitted<RouterShape>> figures_;
  std::vector<Fitted<ClockShape>> clock_;
};

}  // namespace strata::power
