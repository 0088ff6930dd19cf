#include "models/dram_channel/dram_channel_stats.h"

namespace strata {

void DramChannelStats::for_each_stat(StatVisitor& v) const {
  v.counter({"cycles", "cycles", "command-clock cycles since the statistics were reset"}, cycles);
  v.counter({"commands", "commands", "commands received"}, commands);
  v.counter({"activates", "commands", "rows opened (ACT)"}, activates);
  v.counter({"precharges", "commands", "rows closed (PRE)"}, precharges);
  v.counter({"read_bursts", "commands", "column reads (RD)"}, read_bursts);
  v.counter({"write_bursts", "commands", "column writes (WR)"}, write_bursts);
  v.counter({"refreshes", "commands", "refreshes of all banks (REFab)"}, refreshes);
  v.counter({"bank_refreshes", "commands", "refreshes of one bank (REFpb)"}, bank_refreshes);
  v.counter({"bytes_read", "bytes", "data read out of the banks"}, bytes_read);
  v.counter({"bytes_written", "bytes", "data written into the banks"}, bytes_written);
  v.counter({"data_bus_busy", "cycles", "cycles in which the data bus moves data"}, data_bus_busy);
  v.counter({"bus_turnarounds", "events", "changes of the data bus between reading and writing"},
            bus_turnarounds);
  v.counter({"open_bank_cycles", "bank cycles", "cycles with an open row, summed over the banks"},
            open_bank_cycles);
  v.counter({"any_open_cycles", "cycles", "cycles in which at least one bank has an open row"},
            any_open_cycles);
  v.counter({"open_at_reset", "banks", "banks with an open row when the statistics were reset"},
            open_at_reset);
  v.counter({"open_now", "banks", "banks with an open row"}, open_now);
  v.counter({"illegal_commands", "commands", "commands that broke a rule (each also reported as an error)"},
            illegal_commands);
  v.ratio({"utilization", "", "share of cycles in which the data bus moves data"}, data_bus_busy, cycles);
  v.law("commands = activates + precharges + read_bursts + write_bursts + refreshes + bank_refreshes");
  v.law("activates + open_at_reset = precharges + open_now");
}

}  // namespace strata
