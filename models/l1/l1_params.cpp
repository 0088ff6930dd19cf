#include "models/l1/l1_params.h"

#include <string>

#include "models/cache/geometry.h"
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
  v.integer({"bank_mshrs", "registers",
             "MSHRs behind the banks' queues: requests of fetches that have left them and are not answered; "
             "an access that finds none is held there, with those behind it; 0: as many as `mshrs` lets in"},
            bank_mshrs, {0, 32768});
  v.integer({"texture_sets", "sets",
             "of a texture cache beside the data, for loads of the texture path (`tex`, `ld.global.nc`); 0: "
             "there is none, and they are loads like others"},
            texture_sets, {0, 1024});
  v.integer({"texture_ways", "ways", "lines of a set of the texture cache"}, texture_ways, {1, most_ways});
  v.bytes({"texture_line", "bytes", "line of the texture cache; 0: `line`"}, texture_line,
          {32, 256, true, true});
  v.choice(
      {"local", "",
       "stores to local memory go through as those to global memory do (as_global), or stay in the L1 until "
       "their line is evicted (write_back)"},
      local, {{Local::as_global, "as_global"}, {Local::write_back, "write_back"}});
  v.integer(
      {"address_bits", "bits",
       "of addresses, for the size of tags and MSHRs; a run distinguishes all addresses with any value"},
      address_bits, {32, 64});
  for_each_prefetch_param(v);
}

void L1Params::append_texture_faults(Faults& faults, Bytes line) const {
  if (texture_line.count == 0 || texture_line >= line) return;
  faults.push_back(param_fault("texture_line", "is " + to_text(texture_line) + ", but $.line=" +
                                                   to_text(line) + "; allowed: 0 B, or no less than that"));
}

void L1Params::append_local_fault(Faults& faults, const char* why) const {
  if (local == Local::write_back)
    faults.push_back(param_fault("local", std::string("is write_back, but ") + why + "; allowed: as_global"));
}

void L1Params::append_bank_faults(Faults& faults, Bytes line) const {
  if (bank_mshrs != 0 && bank_queue == 0)
    faults.push_back(param_fault("bank_mshrs", "is " + std::to_string(bank_mshrs) +
                                                   ", but nothing waits behind banks with $.bank_queue=0; "
                                                   "allowed: 0"));
  const auto fit = [&](int count) {
    return bytes_or(line) % (static_cast<unsigned>(count) * sector_bytes) == 0;
  };
  if (fit(banks)) return;
  int nearest = banks;
  while (!fit(nearest)) --nearest;
  faults.push_back(
      param_fault("banks", "is " + std::to_string(banks) + ", which does not divide " +
                               (bytes_per_cycle.count != 0 ? "$.bytes_per_cycle=" + to_text(bytes_per_cycle)
                                                           : "$.line=" + to_text(line)) +
                               " a cycle into whole sectors of 32 B; allowed: what does (nearest: " +
                               std::to_string(nearest) + ")"));
}

}  // namespace strata
