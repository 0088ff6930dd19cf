#pragma once

#include "models/power/constants.h"

namespace strata::power {

/// Currents of one device, in mA, as data sheets name them, and the cycles that they hold for.
struct DramCurrents {
  double volts = 1.2;
  double cycle_ns = 1;
  double idd0 = 0, idd2n = 0, idd3n = 0, idd4r = 0, idd4w = 0, idd5ab = 0;
  double row_cycle = 48, row_active = 34, precharge = 14, burst = 2, refresh = 260;  ///< cycles
};

/// Energies in pJ for each command of one device, standby powers in mW.
struct DramDevice {
  double activate = 0, read = 0, write = 0, refresh = 0;
  double standby_open = 0, standby_closed = 0;
};

/// What data sheets (Micron TN-41-01 and the IDD measurement loops of JESD79) make of the currents: of each
/// command the current above what the device draws anyway. 1 mA x 1 V x 1 ns = 1 pJ.
DramDevice device_of(const DramCurrents& currents);

/// A channel: devices in lockstep, and energy for each bit over the bus.
struct DramPower {
  Interval activate;        ///< pJ: a row of the channel opened and closed
  Interval read_byte;       ///< pJ
  Interval write_byte;      ///< pJ
  Interval refresh;         ///< pJ: all banks once
  Interval standby_open;    ///< mW, at least one row open
  Interval standby_closed;  ///< mW
};

/// Rows `dram.FAMILY.*` of the table; a channel has as many devices as make its row.
DramPower dram_power(const Constants& constants, const std::string& family, double row_bytes);

}  // namespace strata::power
