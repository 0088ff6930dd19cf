#include "models/memory_controller/memory_controller_stats.h"

namespace strata {

void MemoryControllerStats::for_each_stat(StatVisitor& v) const {
  v.counter({"accepted", "requests", "requests taken into a queue or forwarded"}, accepted);
  v.counter({"reads", "requests", "read requests taken"}, reads);
  v.counter({"writes", "requests", "write requests taken"}, writes);
  v.counter({"atomics", "requests", "atomic requests taken: a read, then a write of the same line"}, atomics);
  v.counter({"forwarded_reads", "requests", "reads and atomics answered out of the write queue"},
            forwarded_reads);
  v.counter({"started", "requests",
             "requests for which a first DRAM command was issued; the read and the write of an atomic count "
             "each"},
            started);
  v.counter({"row_hits", "requests", "requests that found their row open"}, row_hits);
  v.counter({"row_misses", "requests", "requests that found their bank closed"}, row_misses);
  v.counter({"row_conflicts", "requests", "requests that found another row open"}, row_conflicts);
  v.counter(
      {"reads_finished", "requests", "reads whose last column command was issued, those of atomics too"},
      reads_finished);
  v.counter(
      {"writes_finished", "requests", "writes whose last column command was issued, those of atomics too"},
      writes_finished);
  v.counter({"activates", "commands", "ACT commands issued"}, activates);
  v.counter({"precharges", "commands", "PRE commands issued"}, precharges);
  v.counter({"policy_precharges", "commands", "PRE commands issued by the page policy alone"},
            policy_precharges);
  v.counter({"policy_reopened", "commands", "ACT commands for the very row that the page policy had closed"},
            policy_reopened);
  v.counter({"refreshes", "commands", "refresh commands issued, REFab and REFpb"}, refreshes);
  v.counter({"refresh_precharges", "commands", "PRE commands issued to make way for a refresh"},
            refresh_precharges);
  v.counter({"refresh_delay", "cycles", "time from when a refresh was due to its command, summed"},
            refresh_delay);
  v.counter({"bursts", "commands", "RD and WR commands issued"}, bursts);
  v.counter({"write_drains", "events", "times the controller turned from reads to writes while reads waited"},
            write_drains);
  v.counter({"starved", "events",
             "row commands issued past waiting row hits, because of the starvation cap or the scheduler"},
            starved);
  v.counter(
      {"lost_row_hits", "requests",
       "requests that waited for a row when the scheduler closed it for another request, before any cap "
       "on waiting",
       true},
      lost_row_hits);
  v.counter({"read_stalls", "requests", "reads held back because the read queue was full"}, read_stalls);
  v.counter({"write_stalls", "requests", "writes held back because the write queue was full"}, write_stalls);
  v.counter({"read_wait", "cycles", "time from acceptance to the first column command, summed over reads"},
            read_wait);
  v.counter({"write_wait", "cycles", "time from acceptance to the first column command, summed over writes"},
            write_wait);
  v.histogram({"read_latency", "cycles", "time from acceptance to the last data of a read"}, read_latency);
  v.ratio({"row_hit_rate", "", "share of started requests that found their row open"}, row_hits, started);
  v.law("accepted = reads + writes + atomics");
  v.law("started = row_hits + row_misses + row_conflicts");
  v.law("precharges >= policy_precharges + refresh_precharges");
}

}  // namespace strata
