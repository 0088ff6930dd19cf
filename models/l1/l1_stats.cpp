#include "models/l1/l1_stats.h"

#include <string>

namespace strata {

void L1Stats::for_each_stat(StatVisitor& v) const {
  v.counter({"requests", "accesses", "loads, stores and atomics taken from the SM"}, requests);
  v.counter({"accesses", "accesses", "loads taken from the SM"}, accesses);
  v.counter({"hits", "accesses", "loads that found all they asked for"}, hits);
  v.counter({"misses", "accesses", "loads that made the L1 fetch"}, misses);
  v.counter({"merges", "accesses", "loads that joined a fetch in flight"}, merges);
  v.counter({"bypasses", "accesses", "loads sent past the tags to the LLC"}, bypasses);
  v.counter(
      {"ordering_bypasses", "accesses", "bypasses because a store or atomic overtook the fetch of the line"},
      ordering_bypasses);
  if (textures) {
    v.counter({"texture_loads", "accesses", "loads taken from the SM that went to the texture cache"},
              texture_loads);
    v.counter({"texture_hits", "accesses", "of these: hits"}, texture_hits);
    v.counter({"texture_merges", "accesses", "of these: joined a fetch in flight"}, texture_merges);
    v.counter({"texture_misses", "accesses", "of these: made it fetch"}, texture_misses);
    v.law("texture_loads = texture_hits + texture_merges + texture_misses");
  }
  v.counter({"stores", "accesses", "stores sent on to the LLC"}, stores);
  v.counter({"atomics", "accesses", "atomics sent on to the LLC"}, atomics);
  v.counter({"write_hits", "accesses", "stores that found their line"}, write_hits);
  v.counter({"write_evictions", "lines", "lines dropped by stores, atomics and bypassing loads"},
            write_evictions);
  if (writes_back) {
    v.counter({"local_stores", "accesses", "stores to local memory that stayed here (`local: write_back`)"},
              local_stores);
    v.counter({"local_store_hits", "accesses", "of these: found all sectors that they wrote"},
              local_store_hits);
    v.counter({"local_allocations", "lines", "lines that got their way from these stores"},
              local_allocations);
    v.counter({"local_write_backs", "accesses",
               "writes of dirty lines of local memory to the LLC, of all dirty sectors of a line each"},
              local_write_backs);
    v.counter({"local_dirtied_sectors", "sectors", "sectors of 32 B that these stores made dirty"},
              local_dirtied_sectors);
    v.counter({"local_written_sectors", "sectors", "of these: written to the LLC"}, local_written_sectors);
    v.counter(
        {"local_dropped_sectors", "sectors", "of these: dropped by flushes, with their threads at an end"},
        local_dropped_sectors);
    v.law("local_stores >= local_store_hits");
    v.law("local_stores >= local_allocations");
    v.law("local_dirtied_sectors >= local_written_sectors + local_dropped_sectors");
    v.law("local_written_sectors >= local_write_backs");
  }
  v.counter({"fills", "lines", "lines that came from the LLC"}, fills);
  v.counter({"dropped_fills", "lines", "fills not kept because a store or atomic overtook them"},
            dropped_fills);
  v.counter({"evictions", "lines", "lines evicted for others"}, evictions);
  v.counter({"mshr_full_stalls", "accesses", "accesses held back because every MSHR was taken"},
            mshr_full_stalls);
  v.counter({"merge_limit_stalls", "accesses", "accesses held back because their MSHR could take no more"},
            merge_limit_stalls);
  v.counter({"miss_queue_stalls", "accesses", "accesses held back because the miss queue was full"},
            miss_queue_stalls);
  v.counter({"stall_cycles", "cycles", "time for which an access was held back"}, stall_cycles);
  if (replies_later) {
    v.counter({"reply_holds", "accesses",
               "loads answered from MSHRs of lines that are here (DC-L1 nodes, `fill_until: installed`)"},
              reply_holds);
    v.counter(
        {"reply_hold_cycles", "MSHR cycles", "time for which MSHRs were held by such loads, over all MSHRs"},
        reply_hold_cycles);
    v.law("reply_holds = misses + merges");
  }
  prefetch.for_each_prefetch_stat(v);
  v.counter({"flushes", "events", "kernel-end flushes"}, flushes);
  v.counter({"flushed_lines", "lines", "lines dropped by flushes"}, flushed_lines);
  v.counter({"requests_to_llc", "requests", "requests sent towards the LLC"}, requests_to_llc);
  if (splits)
    v.counter({"more_requests", "requests",
               "of these: for further parts of accesses that are larger than a line of the address map"},
              more_requests);
  v.counter({"replies_from_llc", "replies", "replies received from the LLC"}, replies_from_llc);
  v.counter({"replies", "replies", "answers to the SM, those given at once and those to flushes included"},
            replies);
  v.ratio({"hit_rate", "", "share of loads that hit"}, hits, accesses);
  v.ratio({"miss_rate", "", "share of loads that neither hit nor merged"}, misses + bypasses, accesses);
  const std::string texture_loads_too = textures ? " + texture_loads" : "";
  const std::string texture_misses_too = textures ? " + texture_misses" : "";
  const std::string local_stores_too = writes_back ? " + local_stores" : "";
  const std::string write_backs_too = writes_back ? " + local_write_backs" : "";
  v.law("requests = accesses + stores + atomics" + local_stores_too + texture_loads_too);
  v.law("accesses = hits + misses + merges + bypasses");
  v.law("bypasses >= ordering_bypasses");
  const std::string prefetches_too = prefetch.issued_too();
  v.law("fills = misses" + texture_misses_too + prefetches_too);
  v.law("requests_to_llc = misses + bypasses + stores + atomics" + write_backs_too + texture_misses_too +
        prefetches_too + (splits ? " + more_requests" : ""));
  v.law("replies_from_llc = requests_to_llc");
  v.law("replies = requests + flushes");
  v.law("fills >= dropped_fills");
}

}  // namespace strata
