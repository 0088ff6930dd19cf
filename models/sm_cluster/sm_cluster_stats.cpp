#include "models/sm_cluster/sm_cluster_stats.h"

namespace strata {
namespace {

constexpr std::size_t classes = static_cast<std::size_t>(OpClass::count_);
constexpr StatInfo class_info[classes] = {
    {"alu_instructions", "warp instructions", "Arithmetic"},
    {"sfu_instructions", "warp instructions", "Special functions"},
    {"load_instructions", "warp instructions", "Loads through the L1 of data that the kernel may write"},
    {"read_only_load_instructions", "warp instructions",
     "Loads of data that no store of the kernel can reach"},
    {"store_instructions", "warp instructions", "Stores to global or local memory"},
    {"atomic_instructions", "warp instructions", "Atomics and reductions on global memory"},
    {"shared_load_instructions", "warp instructions", "Loads from shared memory"},
    {"shared_store_instructions", "warp instructions", "Stores and atomics to shared memory"},
    {"barrier_instructions", "warp instructions", "Arrivals at CTA barriers"},
    {"exit_instructions", "warp instructions", "Exits"},
    {"other_instructions", "warp instructions", "Branches, fences and others that only take an issue slot"},
};
constexpr StatInfo unit_info[] = {
    {"int_utilization", "", "Cycles of a scheduler for which integer units took no other instruction"},
    {"sp_utilization", "", "The same, units for single and half precision"},
    {"dp_utilization", "", "The same, units for double precision"},
    {"tensor_utilization", "", "The same, tensor units"},
    {"branch_utilization", "", "The same, units for control flow"},
};
constexpr StatInfo idle_info[] = {
    {"idle_no_warp", "cycles", "Scheduler cycles without issue: no resident warp"},
    {"idle_latency", "cycles",
     "Scheduler cycles without issue: results of fixed latency or a busy unit awaited"},
    {"idle_memory", "cycles", "Scheduler cycles without issue: loads awaited"},
    {"idle_lsu_full", "cycles", "Scheduler cycles without issue: load/store queue full"},
    {"idle_barrier", "cycles", "Scheduler cycles without issue: every warp waits at a barrier"},
    {"idle_stalled", "cycles", "Scheduler cycles without issue: SMs stalled while the LLC changes"},
};

void instruction_stats(const SmClusterStats& s, StatVisitor& v) {
  v.counter({"warp_instructions", "warp instructions", "Issued, compressed runs counted in full"},
            s.warp_instructions);
  for (std::size_t i = 0; i < classes; ++i) v.counter(class_info[i], s.instructions[i]);
  v.counter(
      {"thread_instructions", "thread instructions", "Issued warp instructions times their active lanes"},
      s.thread_instructions);
  v.counter({"records_launched", "records", "Trace records of the warps that were launched"},
            s.records_launched);
  v.counter({"records_issued", "records", "Trace records issued"}, s.records_issued);
  v.law(
      "warp_instructions = alu_instructions + sfu_instructions + load_instructions + "
      "read_only_load_instructions + "
      "store_instructions + atomic_instructions + shared_load_instructions + shared_store_instructions + "
      "barrier_instructions + exit_instructions + other_instructions");
  v.law("warp_instructions >= records_issued");
  v.law("records_launched >= records_issued");
}

void residence_stats(const SmClusterStats& s, StatVisitor& v) {
  v.counter({"ctas_launched", "CTAs", "CTAs that the dispatcher started here"}, s.ctas_launched);
  v.counter({"ctas_done", "CTAs", "CTAs whose warps have all ended"}, s.ctas_done);
  v.counter({"ctas_resident", "CTAs", "CTAs here at the time of the report"}, s.ctas_resident);
  v.counter({"warps_launched", "warps", "Warps of the launched CTAs"}, s.warps_launched);
  v.counter({"warps_done", "warps", "Warps that have ended, their loads answered"}, s.warps_done);
  v.counter({"warps_resident", "warps", "Warps here at the time of the report"}, s.warps_resident);
  v.law("ctas_launched = ctas_done + ctas_resident");
  v.law("warps_launched = warps_done + warps_resident");
}

void cycle_stats(const SmClusterStats& s, StatVisitor& v) {
  v.counter({"scheduler_cycles", "cycles", "Cycles of all schedulers of all SMs"}, s.scheduler_cycles);
  v.counter({"issue_cycles", "cycles", "Scheduler cycles with an issue"}, s.issue_cycles);
  for (std::size_t i = 0; i < s.idle.size(); ++i) v.counter(idle_info[i], s.idle[i]);
  v.law(
      "scheduler_cycles = issue_cycles + idle_no_warp + idle_latency + idle_memory + idle_lsu_full + "
      "idle_barrier + idle_stalled");
  v.ratio({"issue_utilization", "", "Scheduler cycles with an issue"}, s.issue_cycles, s.scheduler_cycles);
  v.counter({"active_cycles", "cycles", "SM cycles with at least one resident CTA"}, s.active_cycles);
  v.counter({"shared_conflict_cycles", "cycles", "Extra cycles of shared memory through bank conflicts"},
            s.shared_conflict_cycles);
  for (std::size_t unit = 0; unit < s.unit_cycles.size(); ++unit)
    if ((s.busy_units >> unit & 1) != 0) v.ratio(unit_info[unit], s.unit_cycles[unit], s.scheduler_cycles);
}

void special_stats(const SmClusterStats& s, StatVisitor& v) {
  v.counter({"local_loads", "warp instructions", "Loads from local memory whose lines have left", true},
            s.local_loads);
  v.counter({"local_stores", "warp instructions", "Stores to local memory whose lines have left", true},
            s.local_stores);
  v.counter({"local_load_lines", "accesses", "Line accesses of loads from local memory", true},
            s.local_load_lines);
  v.counter({"local_store_lines", "accesses", "Line accesses of stores to local memory", true},
            s.local_store_lines);
  v.counter(
      {"local_hits", "accesses",
       "Line accesses of loads from local memory that the L1 completed with an annotated delay: L1 hits",
       true},
      s.local_hits);
  v.law("load_lines >= local_load_lines");
  v.law("local_load_lines >= local_loads");
  v.law("local_store_lines >= local_stores");
  v.law("local_load_lines >= local_hits");
  v.law("store_lines >= local_store_lines");
  v.counter({"async_lines", "accesses", "Line accesses of asynchronous copies to shared memory", true},
            s.async_lines);
  v.law("load_lines >= async_lines");
  v.counter({"copy_lines", "accesses", "Line accesses of the copy engine: bulk copies", true}, s.copy_lines);
  v.law("line_accesses >= copy_lines");
  v.counter({"multicast_lines", "accesses",
             "Lines of bulk copies delivered to other CTAs of the cluster: each was read once, by the CTA "
             "that copies",
             true},
            s.multicast_lines);
  v.counter({"unknown_copies", "warp instructions",
             "Bulk copies whose shape the trace does not hold: they move nothing here", true},
            s.unknown_copies);
  v.counter(
      {"unknown_waits", "warp instructions",
       "Instructions that order warps by what the trace does not hold: nothing waits for them here", true},
      s.unknown_waits);
}

void dsmem_stats(const SmClusterStats& s, StatVisitor& v) {
  v.counter(
      {"dsmem_loads", "warp instructions", "Loads from shared memory of other SMs of the cluster", true},
      s.dsmem_loads);
  v.counter({"dsmem_stores", "warp instructions",
             "Stores, and atomics without a result, to shared memory of other SMs of the cluster", true},
            s.dsmem_stores);
  v.counter({"dsmem_atomics", "warp instructions",
             "Atomics with a result on shared memory of other SMs of the cluster", true},
            s.dsmem_atomics);
  v.counter(
      {"dsmem_reports", "reports",
       "Arrivals, and reports of bytes, at barriers in shared memory of other SMs of the cluster", true},
      s.dsmem_reports);
  v.counter({"dsmem_bytes", "bytes", "That lanes asked of other SMs, or wrote there", true}, s.dsmem_bytes);
  v.counter({"dsmem_requests", "packets", "Requests to shared memory of other SMs that have left", true},
            s.dsmem_requests);
  v.counter({"dsmem_replies", "packets", "Replies to these", true}, s.dsmem_replies);
  v.counter({"dsmem_in_flight", "packets", "Requests without a reply at the time of the report", true},
            s.dsmem_in_flight);
  v.counter({"dsmem_latency", "cycles",
             "Sum over all replies, from the issue of the instruction to the whole reply", true},
            s.dsmem_latency);
  v.counter({"dsmem_taken", "packets", "Requests of other SMs that have come", true}, s.dsmem_taken);
  v.counter({"dsmem_served", "packets", "Replies to these that have left", true}, s.dsmem_served);
  v.counter(
      {"dsmem_waiting", "packets", "Requests of other SMs without a reply at the time of the report", true},
      s.dsmem_waiting);
  v.counter({"dsmem_shared_cycles", "cycles",
             "Cycles of shared memory that requests of other SMs took, bank conflicts included", true},
            s.dsmem_shared_cycles);
  v.counter({"dsmem_own_port", "accesses",
             "Accesses to shared memory of other CTAs that cost one to the own, for want of a network", true},
            s.dsmem_own_port);
  v.law("dsmem_requests = dsmem_replies + dsmem_in_flight");
  v.law("dsmem_taken = dsmem_served + dsmem_waiting");
}

}  // namespace

void SmClusterStats::for_each_stat(StatVisitor& v) const {
  instruction_stats(*this, v);
  residence_stats(*this, v);
  cycle_stats(*this, v);
  v.counter({"line_accesses", "accesses", "Line accesses sent to the L1s"}, line_accesses);
  v.counter({"load_lines", "accesses", "Line accesses of loads"}, load_lines);
  v.counter({"store_lines", "accesses", "Line accesses of stores"}, store_lines);
  v.counter({"atomic_lines", "accesses", "Line accesses of atomics"}, atomic_lines);
  v.counter({"sectors", "sectors", "32 B sectors that the line accesses touched"}, sectors);
  v.counter(
      {"answered_at_once", "accesses", "Accesses that the L1 completed with an annotated delay: L1 hits"},
      answered_at_once);
  v.counter({"round_trips", "accesses", "Accesses answered by a response: they left the L1 or merged there"},
            round_trips);
  v.counter({"lines_in_flight", "accesses", "Accesses not yet complete at the time of the report"},
            lines_in_flight);
  v.law("line_accesses = load_lines + store_lines + atomic_lines");
  v.law("line_accesses = answered_at_once + round_trips + lines_in_flight");
  v.law("sectors >= line_accesses");
  special_stats(*this, v);
  dsmem_stats(*this, v);
  v.counter({"held_requests", "accesses", "Requests that the L1 held back"}, held_requests);
  v.counter({"link_wait_cycles", "cycles", "Cycles in which a line access waited for the way to its L1"},
            link_wait_cycles);
  v.counter({"memory_latency", "cycles",
             "Sum over all completed accesses, from the load/store queue to the answer"},
            memory_latency);
  v.ratio({"mean_memory_latency", "cycles", "Latency of a line access"}, memory_latency,
          answered_at_once + round_trips);
  v.counter({"flushes", "flushes", "Flushes at kernel ends, of the caches that keep lines for the SMs"},
            flushes);
  v.counter({"flush_replies", "flushes", "Flushes that have been carried out"}, flush_replies);
  v.law("flushes >= flush_replies");
  v.counter({"ledger_errors", "accesses", "Accesses whose ledger's sum was not their latency"},
            ledger_errors);
  v.law("ledger_errors = 0");
}

void SmClusterStats::restart() {
  const SmClusterStats before = *this;
  *this = {};
  busy_units = before.busy_units;
  ctas_launched = ctas_resident = before.ctas_resident;
  warps_launched = warps_resident = before.warps_resident;
  records_launched = before.records_launched - before.records_issued;
  lines_in_flight = before.lines_in_flight;
  dsmem_requests = dsmem_in_flight = before.dsmem_in_flight;
  dsmem_taken = dsmem_waiting = before.dsmem_waiting;
  // The classes of what is in flight are not kept: it counts as loads.
  line_accesses = load_lines = sectors = before.lines_in_flight;
  flushes = before.flushes - before.flush_replies;
}

}  // namespace strata
