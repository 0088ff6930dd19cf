#include "models/l1/l1_params.h"

namespace strata {

void L1Params::for_each_param(ParamVisitor& v) {
  v.integer({"latency", "cycles", "from a load to its data when it hits"}, latency, {1, 4096});
  v.integer({"miss_latency", "cycles", "from an access to its request when it goes to the LLC"}, miss_latency,
            {1, 4096});
  v.integer({"port_cycles", "cycles", "time for which one access occupies the port"}, port_cycles, {1, 64});
  v.integer(
      {"miss_queue", "requests", "misses, stores and bypassing accesses that wait for the link to the LLC"},
      miss_queue, {1, 4096});
}

}  // namespace strata
