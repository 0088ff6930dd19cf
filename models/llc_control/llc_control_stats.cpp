#include "models/llc_control/llc_control_stats.h"

namespace strata {

void LlcControlStats::for_each_stat(StatVisitor& v) const {
  v.counter({"decisions", "requests", "requests for which a slice was chosen"}, decisions);
  v.counter({"kernel_boundaries", "events", "kernel boundaries seen"}, kernel_boundaries);
  v.counter({"flushes", "events", "flushes of the whole LLC"}, flushes);
  v.counter({"slice_flushes", "events", "slices that answered a flush"}, slice_flushes);
  v.counter({"flush_cycles", "cycles", "time spent flushing, in cycles of the ledger's clock"}, flush_cycles);
  v.law("kernel_boundaries >= flushes");
  v.law("slice_flushes >= flushes");
}

}  // namespace strata
