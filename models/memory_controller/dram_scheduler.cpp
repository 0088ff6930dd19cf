// The table of DRAM schedulers: a declaration and a row each, in the order of DramOrder.
#include "models/memory_controller/dram_scheduler.h"

namespace strata {

DramSchedulerRow fr_fcfs_scheduler();
DramSchedulerRow fcfs_scheduler();
DramSchedulerRow fr_fcfs_cap_scheduler();

PolicyTable<DramSchedulerRow>& DramSchedulerRow::table() {
  static PolicyTable<DramSchedulerRow> rows = {fr_fcfs_scheduler(), fcfs_scheduler(),
                                               fr_fcfs_cap_scheduler()};
  return rows;
}

}  // namespace strata
