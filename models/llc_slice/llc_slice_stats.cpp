#include "models/llc_slice/llc_slice_stats.h"

#include <string>

namespace strata {

void LlcApplicationCounts::for_each_stat(StatVisitor& v) const {
  v.counter({"accesses", "requests", "its requests that the tags have decided"}, accesses);
  if (!by_decision) return;
  v.counter({"hits", "requests", "of these: found their line"}, hits);
  v.counter({"misses", "requests", "of these: for a line that was neither present nor being fetched"},
            misses);
}

LlcApplicationCounts sum_of(const std::array<LlcApplicationCounts, max_applications>& counts,
                            ApplicationSet whose) {
  LlcApplicationCounts sum;
  for (unsigned a = 0; a < max_applications; ++a)
    if (belongs(a, whose)) {
      sum.accesses += counts[a].accesses;
      sum.hits += counts[a].hits;
      sum.misses += counts[a].misses;
    }
  return sum;
}

void LlcSliceStats::for_each_stat(StatVisitor& v) const {
  v.counter({"accesses", "requests", "requests that the tags have decided"}, accesses);
  v.counter({"reads", "requests", "loads of every class"}, reads);
  v.counter({"prefetch_reads", "requests", "of these: made by prefetchers of L1s", true}, prefetch_reads);
  v.counter({"writes", "requests", "stores"}, writes);
  v.counter({"atomics", "requests", "atomics, executed at the slice"}, atomics);
  if (by_decision) {
    v.counter({"hits", "requests", "requests that found all they asked for"}, hits);
    v.counter({"read_hits", "requests", "loads among the hits"}, read_hits);
    v.counter({"write_hits", "requests", "stores among the hits"}, write_hits);
    v.counter({"atomic_hits", "requests", "atomics among the hits"}, atomic_hits);
    v.counter({"misses", "requests", "requests for what was neither present nor being fetched"}, misses);
    v.counter({"read_misses", "requests", "loads among the misses"}, read_misses);
    v.counter({"merges", "requests", "requests that joined a fetch in flight"}, merges);
    v.counter(
        {"write_allocations", "requests", "stores of whole sectors or lines, allocated without a fetch"},
        write_allocations);
    v.counter({"write_arounds", "requests",
               "stores that missed and went to memory without allocating (write: through)"},
              write_arounds);
  }
  v.counter({"fetches", "lines", "fetches of lines, or of their sectors, from memory"}, fetches);
  v.counter({"fills", "lines", "fetches that came from memory"}, fills);
  if (by_decision) {
    v.counter({"evictions", "lines", "lines replaced by others"}, evictions);
    v.counter({"dirty_evictions", "lines", "replaced lines that had to be written to memory"},
              dirty_evictions);
    v.counter(
        {"write_throughs", "requests", "writes to memory on behalf of a store or atomic (write: through)"},
        write_throughs);
  }
  v.counter({"flush_writes", "lines", "dirty lines written to memory by flushes and write-backs"},
            flush_writes);
  v.counter({"memory_writes", "requests", "writes handed to memory"}, memory_writes);
  v.counter({"memory_write_acks", "replies", "writes that memory has acknowledged"}, memory_write_acks);
  v.counter({"replies", "replies", "replies sent"}, replies);
  if (by_decision) {
    v.counter({"mshr_full_stalls", "requests", "requests stalled because every MSHR was taken"},
              mshr_full_stalls);
    v.counter({"merge_limit_stalls", "requests", "requests stalled because their MSHR could take no more"},
              merge_limit_stalls);
    v.counter({"write_queue_stalls", "requests", "requests stalled because the write queue was full"},
              write_queue_stalls);
    v.counter({"reply_queue_stalls", "requests", "requests stalled because the reply queue was full"},
              reply_queue_stalls);
    v.counter({"stall_cycles", "cycles", "time for which the head of the pipeline was stalled"},
              stall_cycles);
  }
  v.counter({"held_requests", "requests", "requests held on the link because the request queue was full"},
            held_requests);
  v.counter(
      {"held_fills", "lines", "fills held on the link because their victim found no room in the write queue"},
      held_fills);
  prefetch.for_each_prefetch_stat(v);
  v.counter({"flushes", "events", "flushes"}, flushes);
  v.counter({"flushed_lines", "lines", "lines dropped by flushes"}, flushed_lines);
  v.counter({"write_backs", "events", "times that all dirty lines were written back and kept"}, write_backs);
  v.counter({"read_only_stores", "requests",
             "stores to a line that a read-only load of the kernel had brought, where such lines may have "
             "replicas: the analysis was wrong"},
            read_only_stores);
  if (by_sector) {
    v.counter({"asked_sectors", "sectors", "sectors that requests asked for"}, asked_sectors);
    v.counter({"missed_sectors", "sectors", "of these: neither present nor being fetched"}, missed_sectors);
    v.counter({"sector_misses", "requests", "misses that found their line, but not all they asked for"},
              sector_misses);
    v.counter({"fetched_sectors", "sectors", "sectors asked from memory"}, fetched_sectors);
    v.counter({"written_sectors", "sectors", "dirty sectors of evicted and flushed lines"}, written_sectors);
    v.counter({"set_full_stalls", "requests",
               "requests stalled because every way of their set was reserved (allocation: on_miss)"},
              set_full_stalls);
    v.law("misses" + std::string(prefetch.issued_too()) + " >= sector_misses");
    v.law("fetched_sectors >= fetches");
    v.law("missed_sectors >= fetched_sectors");
    v.law("asked_sectors >= missed_sectors");
    v.law("written_sectors >= dirty_evictions + flush_writes");
  }
  if (by_lanes) {
    v.counter({"reductions", "requests", "atomics without a result (RED)"}, reductions);
    v.counter({"atomic_lanes", "lanes",
               "lanes of atomics, of 4 B each; a request without a number of lanes counts as one"},
              atomic_lanes);
    v.counter({"atomic_transactions", "transactions",
               "parts of at most `atomic_lanes_per_cycle` lanes in which atomics are executed, one a cycle"},
              atomic_transactions);
    v.counter({"atomic_conflict_cycles", "cycles",
               "further cycles that atomics took because lanes went to one address (atomic_same_address)"},
              atomic_conflict_cycles);
    v.law("atomics >= reductions");
    v.law("atomic_transactions >= atomics");
    v.law("atomic_lanes >= atomic_transactions");
  }
  if (by_decision) {
    v.ratio({"hit_rate", "", "share of requests that hit"}, hits, accesses);
    v.ratio({"miss_rate", "", "share of requests that neither hit nor merged"}, misses, accesses);
    v.ratio({"read_hit_rate", "", "share of loads that hit"}, read_hits, reads);
    v.ratio({"write_hit_rate", "",
             "share of the 32 B sectors of stores that were there or were allocated without a fetch"},
            store_hit_sectors, store_sectors);
    v.law("accesses = hits + misses + merges");
    v.law("hits = read_hits + write_hits + atomic_hits");
    v.law("misses" + std::string(prefetch.issued_too()) + " = fetches + write_allocations + write_arounds");
    v.law("misses >= read_misses");
    v.law("fills + write_allocations >= evictions");
    v.law("evictions >= dirty_evictions");
    v.law("memory_writes = dirty_evictions + write_throughs + flush_writes");
  }
  v.law("accesses = reads + writes + atomics");
  v.law("reads >= prefetch_reads");
  v.law("fills = fetches");
  v.law("replies = accesses");
  v.law("memory_write_acks = memory_writes");
}

}  // namespace strata
