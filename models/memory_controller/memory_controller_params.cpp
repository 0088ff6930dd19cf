#include "models/memory_controller/memory_controller_params.h"

#include "models/memory_controller/dram_scheduler.h"
#include "models/memory_controller/field_order.h"
#include "models/memory_controller/row_policy.h"

namespace strata {

void MemoryControllerParams::for_each_param(ParamVisitor& v) {
  v.integer({"slices", "", "LLC slices that share this controller"}, slices, {1, 64});
  v.integer(
      {"controllers_per_channel", "controllers",
       "controllers that share a channel of the address map, partition by partition, behind a router stage "
       "that routes by partition"},
      controllers_per_channel, {1, 64});
  v.integer({"read_queue", "requests", "entries of the read queue"}, read_queue, {1, 4096});
  v.integer({"write_queue", "requests", "entries of the write queue"}, write_queue, {1, 4096});
  v.integer({"shared_queue", "column commands",
             "entries of one queue in which reads and writes wait together and neither go first, in place of "
             "read_queue and write_queue; a request takes one for each of its column commands; 0 = a queue "
             "of each"},
            shared_queue, {0, 16384});
  v.real({"drain_high", "", "writes are drained once the write queue is fuller than this fraction"},
         drain_high, 0, 1);
  v.real({"drain_low", "", "and until it is emptier than this fraction, or empty, while reads wait"},
         drain_low, 0, 1);
  DramSchedulerRow::table().param(
      v,
      {"scheduler", "",
       "order of waiting requests: row hits first, then the oldest (fr_fcfs); the oldest of each bank "
       "(fcfs); "
       "row hits first, but at most row_hit_cap in a row pass an older request (fr_fcfs_cap)"},
      scheduler);
  v.integer({"row_hit_cap", "column commands",
             "scheduler fr_fcfs_cap: most row hits in a row that pass an older request of their bank"},
            row_hit_cap, {1, 1 << 20});
  v.integer(
      {"starvation_cap", "cycles",
       "a request that has waited longer is no longer overtaken by row hits of its bank, and a read that old "
       "ends a write drain; 0 = no cap"},
      starvation_cap, {0, 1 << 24});
  v.integer(
      {"extra_latency", "cycles",
       "from the last data of a read to its reply: the way between DRAM and the LLC, on which no access "
       "delays another"},
      extra_latency, {0, 4096});
  RowPolicyRow::table().param(v, {"page_policy", "", "when a row is closed that nothing waits for"},
                              page_policy);
  v.integer({"idle_close", "cycles",
             "page_policy timeout: how long an unwanted row stays open; adaptive: at the beginning"},
            idle_close, {1, 1 << 20});
  v.integer({"idle_close_min", "cycles", "page_policy adaptive: the shortest time"}, idle_close_min,
            {1, 1 << 20});
  v.integer({"idle_close_max", "cycles", "page_policy adaptive: the longest time"}, idle_close_max,
            {1, 1 << 20});
  v.choice({"refresh", "",
            "all_bank: every nREFI of the timing set, for nRFC; per_bank: one bank every nREFI / banks, for "
            "nRFCpb"},
           refresh,
           {{RefreshPolicy::none, "none"},
            {RefreshPolicy::all_bank, "all_bank"},
            {RefreshPolicy::per_bank, "per_bank"}});
  v.integer(
      {"refresh_postpone", "refreshes",
       "how many refreshes may be owed while requests wait for their banks (JESD235 allows 8); then all of "
       "them are made up for in a row"},
      refresh_postpone, {0, 8});
  v.choice(
      {"interleave", "", "order of row, bank, column and bank group in a line's index within the channel"},
      interleave,
      {{Interleave::row_bank_column_group, "row_bank_column_group"},
       {Interleave::row_bank_group_column, "row_bank_group_column"},
       {Interleave::row_column_bank_group, "row_column_bank_group"}});
  v.text({"field_order", "",
          "instead of interleave, a letter for each bit of an address within its channel, most significant "
          "first: R row, G bank group, B bank, C column, S byte of a column, as in RRBBGCCC.CGCCSSSS"},
         field_order);
  v.flag(
      {"bank_xor", "", "exclusive-or the bank with the low bits of the row (permutation-based interleaving)"},
      bank_xor);
  v.bytes({"line", "bytes", "size of a request"}, line, {32, 256, true});
  v.text({"timing_set", "",
          "name of the timing set: a file, without .yaml, of timing_sets beside the netlist or of those that "
          "Strata comes with"},
         timing_set);
  v.flag({"rescale_timing", "",
          "count the cycles of the timing set in another clock than its own: its latencies scale with it"},
         rescale_timing);
}

Faults MemoryControllerParams::validate() const {
  Faults faults = validate_timing();
  const auto cas = static_cast<std::uint64_t>(timing.bytes_per_CAS);
  if (line % cas != 0 || line < cas)
    faults.push_back(param_fault(
        "line", "must be a multiple of the " + std::to_string(cas) + " bytes of a CAS of " + timing.name));
  else if (timing.row_bytes % line != 0)
    faults.push_back(
        param_fault("line", "must divide the row of " + std::to_string(timing.row_bytes) + " bytes"));
  if (line % cas == 0 && shared_queue != 0 && shared_queue < 2 * bursts_per_line())
    faults.push_back(param_fault("shared_queue", "is " + std::to_string(shared_queue) +
                                                     ", less than an atomic takes; allowed: 0, or " +
                                                     std::to_string(2 * bursts_per_line()) +
                                                     " (twice a line of " + to_text(line) + ") to 16384"));
  if (drain_low >= drain_high) faults.push_back(param_fault("drain_low", "must be below drain_high"));
  if (page_policy == PagePolicy::adaptive && (idle_close < idle_close_min || idle_close > idle_close_max))
    faults.push_back(param_fault("idle_close", "must lie between idle_close_min and idle_close_max"));
  for (Fault& fault : FieldOrder::check(field_order, line, timing)) faults.push_back(std::move(fault));
  const int refresh_time = refresh == RefreshPolicy::per_bank ? timing.nRFCpb : timing.nRFC;
  if (refresh != RefreshPolicy::none && (timing.nREFI == 0 || refresh_time == 0))
    faults.push_back(param_fault(
        "refresh", "needs nREFI and " + std::string(refresh == RefreshPolicy::per_bank ? "nRFCpb" : "nRFC") +
                       ", which timing set " + timing.name + " does not give"));
  const auto banks = static_cast<unsigned>(timing.banks_per_group);
  if (bank_xor && (banks & (banks - 1)) != 0)
    faults.push_back(param_fault("bank_xor", "needs a power of two of banks per group"));
  return faults;
}

}  // namespace strata
