#include "models/llc_slice/llc_slice_params.h"

#include "models/cache/geometry.h"
#include "models/cache/replacement.h"

namespace strata {

void LlcSliceParams::for_each_param(ParamVisitor& v) {
  v.bytes({"size", "bytes", "capacity"}, size, {32, static_cast<std::int64_t>(64 * MiB)});
  v.integer({"ways", "ways", "lines of a set"}, ways, {1, most_ways});
  v.bytes({"line", "bytes", "cache line"}, line, {32, 256, true});
  for_each_sector_param(v);
  v.choice({"set_index", "",
            "set of a line: its index within the slice modulo the sets, plain, after folding in "
            "its higher bits, or after dividing it by a primitive polynomial over GF(2); or, of 32 or 64 "
            "sets, by the hash of Fermi's L1"},
           set_index, set_index_kinds);
  replacement_param(v, replacement);
  v.choice(
      {"write", "", "when memory learns of a store: on eviction (back) or at once (through, no allocation)"},
      write, {{Write::back, "back"}, {Write::through, "through"}});
  v.integer({"latency", "cycles", "from a request's entry into the pipeline to its data when it hits"},
            latency, {1, 4096});
  v.integer(
      {"lookup", "cycles",
       "from a request's entry into the pipeline to the tag decision; 0 = latency, as in GPGPU-Sim, where "
       "the delay precedes the tags"},
      lookup, {0, 4096});
  v.integer({"mshrs", "registers", "lines that can be fetched at the same time"}, mshrs, {1, 4096});
  v.integer({"merges", "requests", "requests that can wait for one line, the first miss included"}, merges,
            {1, 4096});
  v.integer({"request_queue", "requests", "requests that can wait in front of the pipeline"}, request_queue,
            {1, 4096});
  v.integer({"reply_queue", "replies", "replies that can wait for the reply port before hits are stalled"},
            reply_queue, {1, 4096});
  v.integer({"write_queue", "lines", "writes that can wait for memory before evictions are stalled"},
            write_queue, {2, 4096});
  v.integer({"atomic_lanes_per_cycle", "lanes",
             "of an atomic that the slice executes in a cycle, of 4 B each: a request of more takes the "
             "pipeline for several, and replies to reductions (RED) carry no data; 0: any request takes one "
             "cycle"},
            atomic_lanes_per_cycle, {0, 128});
  v.integer(
      {"atomic_same_address", "lanes",
       "of one address that it executes in a cycle where their results are wanted (ATOM); 0: all of them"},
      atomic_same_address, {0, 32});
  for_each_prefetch_param(v);
}

Faults LlcSliceParams::validate() const {
  Faults faults = check_geometry(size, ways, line, set_index);
  append_sector_faults(faults, line);
  if (atomic_same_address != 0 && atomic_lanes_per_cycle == 0)
    faults.push_back(param_fault(
        "atomic_same_address", "is " + std::to_string(atomic_same_address) +
                                   "; allowed: 0 where $.atomic_lanes_per_cycle=0, as atomics cost nothing"));
  if (lookup > latency)
    faults.push_back(param_fault(
        "lookup", "is " + std::to_string(lookup) + "; allowed: 0 to latency = " + std::to_string(latency)));
  return faults;
}

}  // namespace strata
