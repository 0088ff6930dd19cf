#pragma once

#include <string>

#include "models/common/params.h"
#include "models/common/units.h"

namespace strata {

/// How many commands the channel takes in one cycle.
enum class CommandBus : int {
  single,  ///< one command of any kind
  dual,    ///< one row command (ACT, PRE) and one column command (RD, WR): HBM, JESD235 section "command
           ///< interface"
};

/// What a DRAM channel must respect, in cycles of its command clock. A timing set is data: the files under
/// platforms/machines/timing_sets give each value with its source. The default is the GDDR5 of the adaptive
/// LLC's platform (ISCA 2019, Table 1), so that a bench needs no file.
struct TimingSet final : ParamSet {
  std::string name = "gddr5_isca19";
  Hertz clock{924'000'000};  ///< command clock the cycles are meant for
  int nBL = 1;               ///< data-bus cycles of one CAS
  int nCL = 12;              ///< RD to first data
  int nCWL = 4;              ///< WR to first data
  int nRCDRD = 12;           ///< ACT to RD, same bank
  int nRCDWR = 12;           ///< ACT to WR, same bank
  int nRP = 12;              ///< PRE to ACT, same bank
  int nRAS = 28;             ///< ACT to PRE, same bank
  int nRC = 40;              ///< ACT to ACT, same bank
  int nWR = 12;              ///< end of write data to PRE, same bank
  int nRTP = 2;              ///< RD to PRE, same bank
  int nCCDS = 1;             ///< CAS to CAS, other bank group
  int nCCDL = 2;             ///< CAS to CAS, same bank group
  int nRRDS = 6;             ///< ACT to ACT, other bank group
  int nRRDL = 6;             ///< ACT to ACT, same bank group
  int nWTRS = 5;             ///< end of write data to RD, other bank group
  int nWTRL = 5;             ///< end of write data to RD, same bank group
  int nFAW = 24;             ///< window that holds at most four ACT
  int nRTW_gap = 2;          ///< idle data-bus cycles between read and write data
  CommandBus command_bus = CommandBus::single;
  int bytes_per_CAS = 128;
  int bank_groups = 4;
  int banks_per_group = 4;
  Bytes row_bytes{16 * KiB};  ///< one row over the whole channel
  int nREFI = 1804;           ///< between refreshes; 0 = the set gives none
  int nRFC = 35;              ///< all-bank refresh; 0 = the set gives none
  int nRFCpb = 14;            ///< refresh of one bank; 0 = the set gives none
  int nRREFD = 6;             ///< refresh of one bank to ACT or refresh of another

  int banks() const { return bank_groups * banks_per_group; }
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;
};

/// Parameters of a block that needs a timing set. The user names it, and the netlist loads it (the models
/// read no files). The default needs no loading.
struct UsesTimingSet {
  std::string timing_set = "gddr5_isca19";
  TimingSet timing;
  /// Faults of the set itself, or that it was not loaded.
  Faults validate_timing() const;
};

/// The most banks a channel may have: one bit each in a scheduler's bitmaps.
constexpr int max_banks = 64;

}  // namespace strata
