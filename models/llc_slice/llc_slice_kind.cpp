// What the netlist knows of `llc_slice`.
#include "models/llc_slice/llc_slice.h"
#include "models/llc_slice/llc_slice_rtl.h"

namespace strata {
namespace {

Resources resources(const ParamSet& set) {
  using Kind = Resource::Kind;
  const auto& p = static_cast<const LlcSliceParams&>(set);
  std::vector<Resource> all = {
      {"pipeline",
       "LLC slice pipelines",
       Kind::rate,
       1,
       {{"accesses"}},
       Resource::Held::counted,
       {Cause::queue}},
      {"mshrs",
       "LLC slice MSHRs",
       Kind::room,
       static_cast<double>(p.mshrs),
       {},
       Resource::Held::accesses,
       {Cause::full},
       {{"mshrs", "*2"}}},
      {"head",
       "LLC slice heads (held by full MSHRs, merges, write or reply queue)",
       Kind::room,
       1,
       {{"stall_cycles"}},
       Resource::Held::counted,
       {},
       {{"mshrs", "*2"}, {"merges", "*2"}, {"write_queue", "*2"}, {"reply_queue", "*2"}}},
      {"lines", "LLC capacity", Kind::size, 0, {}, Resource::Held::counted, {}, {{"size", "*2"}}}};
  all[0].more = "more LLC slices, or L1s that send fewer requests";
  all[2].more = "more MSHRs, merges and queue places in LLC slices";
  if (p.atomic_lanes_per_cycle != 0)
    all.push_back({"atomics",
                   "LLC slice atomic units",
                   Kind::rate,
                   1,
                   {{"atomic_transactions"}, {"atomic_conflict_cycles"}},
                   Resource::Held::counted,
                   {Cause::queue},
                   {{"atomic_lanes_per_cycle", "*2"}}});
  return all;
}

}  // namespace

const ModuleKind& llc_slice_kind() {
  static const ModuleKind kind = [] {
    ModuleKind row = module_kind<LlcSliceParams, LlcSliceStats, LlcSlice, true>(
        "llc_slice",
        "Slice of the memory-side LLC: write-back or write-through, MSHRs with merging, atomics, flush",
        Role::llc, "core", [](const ParamSet&) -> std::vector<PortSpec> {
          return {
              tlm_sockets("noc", PortRole::target, 1, "requests from the NoC", {{"accesses"}, {"replies"}}),
              tlm_sockets("mem", PortRole::initiator, 1, "fetches and writes to the memory controller",
                          {{"fetches", "memory_writes"}, {"fills", "memory_write_acks"}}),
              {"control", PortRole::control_in, 1, true, "SliceControlIf",
               "flushes and write policy, by llc_control"},
              {"tracker", PortRole::control_out, 1, true, "LineUsePortIf",
               "observes what accesses do to lines: a contention_tracker"}};
        });
    row.resources = resources;
    row.rtl = &llc_slice_rtl_place();
    return row;
  }();
  return kind;
}

}  // namespace strata
