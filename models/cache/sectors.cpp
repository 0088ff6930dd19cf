#include "models/cache/sectors.h"

namespace strata {

void sector_params(ParamVisitor& visitor, Bytes& sector, Allocation& allocation) {
  visitor.bytes({"sector", "bytes",
                 "part of a line that is fetched, kept and written back on its own; 0 = the whole line"},
                sector, {32, 256, true, true});
  visitor.choice({"allocation", "",
                  "when a missing line gets its way: with the first data that comes (on_fill), or at once, "
                  "reserved until all that was asked for is here (on_miss)"},
                 allocation, allocations);
}

void append_sector_faults(Faults& faults, Bytes line, Bytes sector) {
  if (sector > line)
    faults.push_back(param_fault(
        "sector",
        "is " + to_text(sector) +
            ", more than a line; allowed: 0 (the whole line), or 32 B to $.line = " + to_text(line)));
}

}  // namespace strata
