#include "models/sm_cluster/sm_cluster_params.h"

#include <algorithm>
#include <string>

#include "models/sm_cluster/warp_order.h"

namespace strata {

namespace {

struct UnitTexts {
  ParamInfo latency, interval, units;
};

constexpr UnitTexts unit_texts[] = {
    {{"int_latency", "cycles",
      "From issue to the issue of a dependent instruction, integer and all that has no other unit; 0: "
      "`alu_latency`"},
     {"int_interval", "cycles", "Between two integer instructions on one unit"},
     {"int_units", "units", "Integer units of a scheduler"}},
    {{"sp_latency", "cycles", "The same, single and half precision; 0: `alu_latency`"},
     {"sp_interval", "cycles", "Between two instructions of single or half precision on one unit"},
     {"sp_units", "units", "Units for single and half precision of a scheduler"}},
    {{"dp_latency", "cycles", "The same, double precision; 0: `alu_latency`"},
     {"dp_interval", "cycles", "Between two instructions of double precision on one unit"},
     {"dp_units", "units", "Units for double precision of a scheduler"}},
    {{"tensor_latency", "cycles", "The same, products of matrices; 0: `alu_latency`"},
     {"tensor_interval", "cycles", "Between two products of matrices on one unit"},
     {"tensor_units", "units", "Tensor units of a scheduler"}},
    {{"branch_latency", "cycles", "The same, control flow; 0: `alu_latency`"},
     {"branch_interval", "cycles", "Between two instructions of control flow on one unit"},
     {"branch_units", "units", "Units for control flow of a scheduler"}},
    {{"sfu_latency", "cycles", "The same, special functions and conversions; 0: `alu_latency`"},
     {"sfu_interval", "cycles", "Between two special functions on one unit"},
     {"sfu_units", "units", "Special function units of a scheduler"}},
};

void visit_units(SmClusterParams& params, ParamVisitor& v) {
  const UnitTexts* texts = unit_texts;
  for (UnitParams* const units : params.units()) {
    v.integer(texts->latency, units->latency, {0, 1000});
    v.integer(texts->interval, units->interval, {1, 64});
    v.integer(texts->units, units->units, {1, most_units});
    ++texts;
  }
}

}  // namespace

void SmClusterParams::for_each_param(ParamVisitor& v) {
  v.integer({"sms", "SMs", "SMs in the cluster; each has one `l1` socket"}, sms, {1, 256});
  v.integer({"warps", "warps", "Most warps resident in an SM"}, warps, {1, 64});
  v.integer({"threads", "threads", "Most threads resident in an SM, whole warps counted"}, threads,
            {32, 2048});
  v.integer({"ctas", "CTAs", "Most CTAs resident in an SM"}, ctas, {1, 64});
  v.integer({"registers", "registers", "Registers of an SM, given to warps in blocks of 256"}, registers,
            {256, 1 << 24});
  v.bytes({"shared_memory", "bytes", "Shared memory of an SM, given to CTAs in blocks of 256 B"},
          shared_memory, {0, 1 << 24});
  v.integer(
      {"schedulers", "schedulers", "Warp schedulers of an SM; each issues at most one instruction a cycle"},
      schedulers, {1, 4});
  WarpOrderRow::table().param(
      v,
      {"scheduler", "", "Which ready warp a scheduler issues from: greedy-then-oldest or loose round robin"},
      scheduler);
  v.integer({"alu_latency", "cycles", "From issue to the issue of a dependent instruction, arithmetic"},
            alu_latency, {1, 1000});
  v.integer({"alu_interval", "cycles",
             "Issue slots that an arithmetic instruction takes; 2: lanes for half a warp"},
            alu_interval, {1, 64});
  visit_units(*this, v);
  v.integer({"shared_latency", "cycles",
             "From issue to the issue of a dependent instruction, shared memory without "
             "bank conflict; a conflict of degree d adds d - 1"},
            shared_latency, {1, 1000});
  v.integer({"lsu_depth", "instructions", "Memory instructions that wait in an SM's load/store queue"},
            lsu_depth, {1, 64});
  v.integer({"lines_per_cycle", "accesses",
             "Most line accesses that leave for the L1 in a cycle, as far as its banks take them"},
            lines_per_cycle, {1, 64});
  v.choice({"arbitration", "",
            "Which scheduler comes first to the load/store queue and to shared memory: in the order of their "
            "numbers, or of the ages of the warps that they would issue from"},
           arbitration, {{Arbitration::fixed, "fixed"}, {Arbitration::oldest, "oldest"}});
  v.integer(
      {"instruction_buffer", "instructions",
       "Instructions of a warp that are fetched at a time, when all of them have issued; 0: always there"},
      instruction_buffer, {0, 64});
  v.integer({"fetch_bubble", "cycles", "For which a warp whose instruction buffer is empty does not issue"},
            fetch_bubble, {1, 64});
  v.integer(
      {"loads_per_warp", "instructions", "Most loads (and atomics with a result) of one warp in flight"},
      loads_per_warp, {1, 32});
  v.integer(
      {"collectors", "instructions",
       "Operand collectors of a scheduler. Memory instructions that wait behind the head of the load/store "
       "queue hold them, and while all are held no other instruction issues; 0: never short"},
      collectors, {0, 16});
  v.choice({"collector_order", "",
            "Which memory instruction in a scheduler's collectors goes on first: the one that issued first, "
            "or the one in the lowest collector, where the next follows it"},
           collector_order, {{CollectorOrder::oldest, "oldest"}, {CollectorOrder::lowest, "lowest"}});
  v.flag(
      {"await_stores", "", "A warp, and with it its CTA, ends only when its stores and atomics are answered"},
      await_stores);
  v.integer({"tma_latency", "cycles", "From the issue of a bulk copy to its first line access"}, tma_latency,
            {0, 10000});
  v.integer(
      {"tma_bytes_per_cycle", "bytes", "Most that the copy engine of an SM asks for, or sends, a cycle"},
      tma_bytes_per_cycle, {1, 256});
  v.integer({"tma_in_flight", "accesses", "Most line accesses of an SM's copy engine in flight"},
            tma_in_flight, {1, 65535});
  v.choice(
      {"dsmem", "",
       "What accesses to the shared memory of other CTAs of a cluster (distributed shared memory) do: cost "
       "what one to the own costs, go over the network at `dsmem_out` and `dsmem_in`, or end the run"},
      dsmem, {{Dsmem::own_port, "own_port"}, {Dsmem::network, "network"}, {Dsmem::refuse, "refuse"}});
  v.integer({"dsmem_depth", "packets",
             "With `dsmem: network`: while so many wait in an SM's queue to that network no instruction adds "
             "to them; also the most requests of others that wait for its shared memory, and replies of it "
             "for the network, before it takes no more"},
            dsmem_depth, {1, 64});
  v.bytes({"line", "bytes", "Line size to which the lanes of an instruction are merged"}, line,
          {32, 256, true});
  v.bytes(
      {"texture_line", "bytes",
       "The same for loads of the texture path (`tex`, `ld.global.nc`), where the L1 has a texture cache; "
       "0: `line`"},
      texture_line, {32, 256, true, true});
  v.choice(
      {"segments", "",
       "What an access of the L1's data is: what an instruction touches of a line, or, as in GPGPU-Sim 3 "
       "(`gpgpu_coalesce_arch 13`), of 32 B where elements have 1 B and of 64 B where they have 2 B; "
       "those of a vector count alone"},
      segments, {{Segments::lines, "lines"}, {Segments::elements, "elements"}});
  v.choice(
      {"replies", "",
       "What replies bring over networks to accesses that go on as the SM made them, to nodes or past an "
       "L1: the 32 B sectors that lanes touch, or only the 4 B words of them"},
      replies, {{ReplyData::sectors, "sectors"}, {ReplyData::words, "words"}});
  v.choice(
      {"asks", "",
       "What accesses name of a line: the 32 B sectors that lanes touch, or also the 8 B parts of these, for "
       "an L1 with chunks of less than 32 B"},
      asks, {{Asked::sectors, "sectors"}, {Asked::parts, "parts"}});
}

Faults SmClusterParams::validate() const {
  Faults faults;
  if (schedulers > warps)
    faults.push_back(param_fault("schedulers", "schedulers = " + std::to_string(schedulers) +
                                                   " exceeds warps = " + std::to_string(warps)));
  if (segments == Segments::elements && replies == ReplyData::words)
    faults.push_back(param_fault(
        "segments", "is elements, but $.replies=words counts the words of a line; allowed: lines"));
  if (asks == Asked::parts && replies == ReplyData::words)
    faults.push_back(
        param_fault("asks", "is parts, but $.replies=words has its counts in their place; allowed: sectors"));
  const Bytes longest = std::max(line, texture_line);
  if (asks == Asked::parts && longest > std::uint64_t{128})
    faults.push_back(param_fault(
        "asks", "is parts, but $." + std::string(longest == line ? "line" : "texture_line") + "=" +
                    to_text(longest) + "; allowed: sectors, or parts of lines of 32 B to 128 B"));
  // The mask of sectors lies in the low bits of the address, which those of the smaller line are.
  if (texture_line != 0 &&
      (texture_line < line || (texture_line > std::uint64_t{128}) != (line > std::uint64_t{128})))
    faults.push_back(
        param_fault("texture_line", "is " + to_text(texture_line) + ", but $.line=" + to_text(line) +
                                        "; allowed: 0 B, no less than that, and 256 B only with it"));
  return faults;
}

}  // namespace strata
