#include "models/l1/l1_private_params.h"

#include "models/cache/geometry.h"

namespace strata {

void L1PrivateParams::for_each_param(ParamVisitor& v) {
  v.bytes({"size", "bytes", "capacity"}, size, {32, static_cast<std::int64_t>(64 * MiB)});
  v.integer({"ways", "ways", "lines of a set"}, ways, {1, most_ways});
  v.bytes({"line", "bytes", "cache line"}, line, {32, 256, true});
  v.choice({"set_index", "",
            "set of a line: its number modulo the sets, plain or after folding in its higher bits"},
           set_index, {"plain", "hashed"});
  v.choice({"write", "",
            "a store that hits drops the line, or keeps it up to date; both write through to the LLC"},
           write, {"evict", "through"});
  v.integer({"latency", "cycles", "from a load to its data when it hits"}, latency, {1, 4096});
  v.integer({"miss_latency", "cycles", "from an access to its request when it goes to the LLC"}, miss_latency,
            {1, 4096});
  v.integer({"port_cycles", "cycles", "time for which one access occupies the port"}, port_cycles, {1, 64});
  v.integer({"mshrs", "registers", "lines that can be fetched at the same time"}, mshrs, {1, 4096});
  v.integer({"merges", "accesses", "accesses that can wait for one line, the first miss included"}, merges,
            {1, 4096});
  v.integer(
      {"miss_queue", "requests", "misses, stores and bypassing accesses that wait for the link to the LLC"},
      miss_queue, {1, 4096});
}

Faults L1PrivateParams::validate() const {
  return check_geometry(size, ways, line);
}

}  // namespace strata
