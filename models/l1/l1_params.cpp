#include "models/l1/l1_params.h"

#include <string>

#include "models/common/access.h"

namespace strata {

void L1Params::for_each_param(ParamVisitor& v) {
  v.integer({"latency", "cycles", "from a load to its data when it hits"}, latency, {1, 4096});
  v.integer({"miss_latency", "cycles", "from an access to its request when it goes to the LLC"}, miss_latency,
            {1, 4096});
  v.integer({"port_cycles", "cycles", "time for which one access occupies the port"}, port_cycles, {1, 64});
  v.integer(
      {"banks", "banks",
       "parts that give data at the same time: bytes lie in them in turn, and accesses to different ones "
       "enter together"},
      banks, {1, 64});
  v.bytes({"bytes_per_cycle", "bytes",
           "what all banks together give in a cycle, or in `port_cycles` where those are more; 0: a line"},
          bytes_per_cycle, {32, 4096, true, true});
  v.bytes({"request_bytes", "bytes",
           "most that one request to the LLC asks for or writes: an access makes several then; 0: a line of "
           "the LLC"},
          request_bytes, {32, 256, true, true});
  v.integer(
      {"miss_queue", "requests", "misses, stores and bypassing accesses that wait for the link to the LLC"},
      miss_queue, {1, 4096});
  v.integer({"bank_queue", "requests",
             "requests of a bank that wait in front of the miss queue, which takes the lowest bank's first; "
             "0: they "
             "enter it in the order of their accesses"},
            bank_queue, {0, 4096});
}

void L1Params::append_bank_faults(Faults& faults, Bytes line) const {
  const auto fit = [&](int count) {
    return bytes_or(line) % (static_cast<unsigned>(count) * chunk_bytes) == 0;
  };
  if (fit(banks)) return;
  int nearest = banks;
  while (!fit(nearest)) --nearest;
  faults.push_back(
      param_fault("banks", "is " + std::to_string(banks) + ", which does not divide " +
                               (bytes_per_cycle.count != 0 ? "$.bytes_per_cycle=" + to_text(bytes_per_cycle)
                                                           : "$.line=" + to_text(line)) +
                               " a cycle into whole chunks of 32 B; allowed: what does (nearest: " +
                               std::to_string(nearest) + ")"));
}

}  // namespace strata
