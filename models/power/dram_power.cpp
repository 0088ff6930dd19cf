#include "models/power/dram_power.h"

#include <algorithm>

namespace strata::power {

DramDevice device_of(const DramCurrents& c) {
  DramDevice d;
  const double v = c.volts;
  d.activate = v * (c.idd0 * c.row_cycle - c.idd3n * c.row_active - c.idd2n * c.precharge);
  d.read = v * (c.idd4r - c.idd3n) * c.burst;
  d.write = v * (c.idd4w - c.idd3n) * c.burst;
  d.refresh = v * (c.idd5ab - c.idd3n) * c.refresh;
  for (double* energy : {&d.activate, &d.read, &d.write, &d.refresh}) *energy *= c.cycle_ns;
  d.standby_open = v * c.idd3n;
  d.standby_closed = v * c.idd2n;
  return d;
}

DramPower dram_power(const Constants& constants, const std::string& family, double row_bytes) {
  const std::string row = "dram." + family + ".";
  const double devices = std::max(1.0, row_bytes / constants.value(row + "row").nominal);
  DramPower p;
  p.activate = constants.value(row + "activate") * devices;
  p.read_byte = constants.value(row + "read_bit") * 8;
  p.write_byte = constants.value(row + "write_bit") * 8;
  p.refresh = constants.value(row + "refresh") * devices;
  p.standby_open = constants.value(row + "standby_open") * devices;
  p.standby_closed = constants.value(row + "standby_closed") * devices;
  return p;
}

}  // namespace strata::power
