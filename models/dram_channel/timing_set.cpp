#include "models/dram_channel/timing_set.h"

namespace strata {

void TimingSet::for_each_param(ParamVisitor& v) {
  const Range delay{0, 4096};
  const Range some{1, 4096};
  v.integer({"nBL", "cycles", "data-bus cycles of one CAS"}, nBL, some);
  v.integer({"nCL", "cycles", "RD to its first data"}, nCL, some);
  v.integer({"nCWL", "cycles", "WR to its first data"}, nCWL, delay);
  v.integer({"nRCDRD", "cycles", "ACT to RD in the same bank"}, nRCDRD, some);
  v.integer({"nRCDWR", "cycles", "ACT to WR in the same bank"}, nRCDWR, some);
  v.integer({"nRP", "cycles", "PRE to ACT in the same bank"}, nRP, some);
  v.integer({"nRAS", "cycles", "ACT to PRE in the same bank"}, nRAS, some);
  v.integer({"nRC", "cycles", "ACT to ACT in the same bank"}, nRC, some);
  v.integer({"nWR", "cycles", "end of write data to PRE in the same bank"}, nWR, delay);
  v.integer({"nRTP", "cycles", "RD to PRE in the same bank"}, nRTP, some);
  v.integer({"nCCDS", "cycles", "CAS to CAS of the same kind in another bank group"}, nCCDS, some);
  v.integer({"nCCDL", "cycles", "CAS to CAS of the same kind in the same bank group"}, nCCDL, some);
  v.integer({"nRRDS", "cycles", "ACT to ACT in another bank group"}, nRRDS, some);
  v.integer({"nRRDL", "cycles", "ACT to ACT in the same bank group"}, nRRDL, some);
  v.integer({"nWTRS", "cycles", "end of write data to RD in another bank group"}, nWTRS, delay);
  v.integer({"nWTRL", "cycles", "end of write data to RD in the same bank group"}, nWTRL, delay);
  v.integer({"nFAW", "cycles", "window in which at most four ACT may fall"}, nFAW, delay);
  v.integer({"nRTW_gap", "cycles", "idle data-bus cycles between read data and write data"}, nRTW_gap, delay);
  v.choice({"command_bus", "", "single: one command a cycle; dual: one row and one column command a cycle"},
           command_bus, {{CommandBus::single, "single"}, {CommandBus::dual, "dual"}});
  v.integer({"bytes_per_CAS", "bytes", "data moved by one RD or WR"}, bytes_per_CAS, {8, 1024, true});
  v.integer({"bank_groups", "", "bank groups of the channel"}, bank_groups, {1, max_banks});
  v.integer({"banks_per_group", "", "banks of one bank group"}, banks_per_group, {1, max_banks});
  v.bytes({"row_bytes", "bytes", "size of a row over the whole width of the channel"}, row_bytes,
          {64, 65536});
  v.integer({"nREFI", "cycles", "time between refreshes, 0 when the set gives none"}, nREFI, {0, 1 << 20});
  v.integer({"nRFC", "cycles", "duration of an all-bank refresh, 0 when the set gives none"}, nRFC,
            {0, 1 << 16});
  v.integer({"nRFCpb", "cycles", "duration of a refresh of one bank, 0 when the set gives none"}, nRFCpb,
            {0, 1 << 16});
  v.integer({"nRREFD", "cycles", "refresh of one bank to ACT or refresh of another bank"}, nRREFD, delay);
}

Faults TimingSet::validate() const {
  Faults faults;
  if (banks() > max_banks)
    faults.push_back(param_fault("banks_per_group", "bank_groups x banks_per_group is " +
                                                        std::to_string(banks()) + "; at most " +
                                                        std::to_string(max_banks) + " banks"));
  if (row_bytes % static_cast<std::uint64_t>(bytes_per_CAS) != 0)
    faults.push_back(param_fault("row_bytes", "must be a multiple of bytes_per_CAS"));
  if (nCL + nBL + nRTW_gap <= nCWL)
    faults.push_back(
        param_fault("nCWL", "must be below nCL + nBL + nRTW_gap, or a write could overtake read data"));
  if ((nRFC > 0 || nRFCpb > 0) && nREFI == 0)
    faults.push_back(param_fault("nREFI", "must be given with nRFC or nRFCpb"));
  if (nREFI > 0 && (nRFC >= nREFI || nRFCpb * banks() >= nREFI))
    faults.push_back(param_fault("nREFI", "leaves no time beside the refreshes"));
  if (nRC < nRAS) faults.push_back(param_fault("nRC", "must be at least nRAS"));
  return faults;
}

Faults UsesTimingSet::validate_timing() const {
  if (timing_set == timing.name) return timing.validate();
  return {param_fault("timing_set", "timing set '" + timing_set + "' has not been loaded")};
}

}  // namespace strata
