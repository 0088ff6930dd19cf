#include "models/cache/fill_units.h"

#include <string>

namespace strata {

void SectorParams::for_each_sector_param(ParamVisitor& visitor) {
  visitor.bytes({"sector", "bytes",
                 "part of a line that is fetched, kept and written back on its own; 0 = the whole line"},
                sector, {32, 256, true, true});
  visitor.choice({"allocation", "",
                  "when a missing line gets its way: with the first data that comes (on_fill), or at once, "
                  "reserved until all that was asked for is here (on_miss)"},
                 allocation, allocations);
  visitor.integer(
      {"mshr_sectors", "sectors",
       "sectors that can be fetched at the same time, over all MSHRs, as where every sector has an MSHR "
       "of its own, and merges are those of a sector; 0 = all of the lines of the MSHRs"},
      mshr_sectors, {0, 32768});
}

void SectorParams::append_sector_faults(Faults& faults, Bytes line) const {
  const std::uint64_t in_line = sector == 0 || sector > line ? 1 : line / sector;
  if (mshr_sectors != 0 && static_cast<std::uint64_t>(mshr_sectors) < in_line)
    faults.push_back(param_fault("mshr_sectors", "is " + std::to_string(mshr_sectors) + ", less than the " +
                                                     std::to_string(in_line) +
                                                     " of a line; allowed: 0 (no limit), or " +
                                                     std::to_string(in_line) + " to 32768"));
  if (sector > line)
    faults.push_back(param_fault(
        "sector",
        "is " + to_text(sector) +
            ", more than a line; allowed: 0 (the whole line), or 32 B to $.line = " + to_text(line)));
}

}  // namespace strata
