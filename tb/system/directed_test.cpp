// Single accesses through the whole tiny platform, each cycle of their way worked out by hand.
//
// Every latency below is the sum of these steps, in core cycles (tiny.yaml, defaults of the blocks):
//   sm.queue         1    an instruction that issues in cycle E has its turn at the L1 in E + 1
//   l1.pipeline      1    miss_latency, from the lookup to the link         (a hit: latency = 28)
//   request_link     1    link_latency
//   request_router   4    pipeline; requests without data are one flit of 32 B
//   llc.pipeline   120    latency of the slice, the tag lookup at its end
//   -- an LLC miss only: memory.*, llc.reply_port; see below
//   reply_link       1
//   reply_router     4
//   reply_serial     4    8 B of header and a line of 128 B are 5 flits; the tail comes 4 cycles after the
//   head
//   l1.fill          1    from the whole line to the answer
// An LLC hit thus takes 1 + 1 + 1 + 4 + 120 + 1 + 4 + 4 + 1 = 137 cycles.
#include <map>

#include "platforms/engine/netlist/data_folders.h"
#include "platforms/report/stat_table.h"
#include "tb/support/block_checks.h"
#include "tb/support/sm_bench.h"
#include "tb/system/kernel_run.h"

using namespace strata;
using namespace strata::platforms;
using namespace strata::tb;
using Causes = std::map<std::string, std::uint64_t>;

namespace {

constexpr Address line_a = 0x10000;

/// The same platform with the DRAM at the core's clock: its cycles are then core cycles.
const std::vector<std::string> equal_clocks = {"clocks.dram=1400 MHz", "mc.rescale_timing=true"};

/// A load that takes a line past the L1: it comes into the LLC only.
WarpInstruction load_past_l1(Address address, int destination) {
  WarpInstruction instruction = load(address, destination);
  instruction.bypass_l1 = true;
  return instruction;
}

/// Runs programs on a tiny platform with protocol checkers; the end checks of the session hold too.
struct Bench {
  explicit Bench(const std::vector<std::string>& overrides)
      : platform(Netlist::load(find_platform("tiny"), overrides, built_in_modules()), {1, true}) {}

  /// One kernel a list of programs, one CTA each.
  void run(const std::vector<std::vector<Program>>& kernels) {
    for (const auto& warps : kernels) source.add_kernel(1, static_cast<std::uint32_t>(warps.size()));
    source.warps = [&](std::uint32_t kernel, std::uint64_t) { return kernels[kernel]; };
    outcome = run_to_end(platform, source);
    tables = read_stats(platform);
    ledger = read_ledger(platform);
    for (const LedgerTotals::Sums& sums : ledger.groups)
      CHECK(tb::cycles_of(platform.ledger_places(), sums.cycles, Cause::external) == 0);
  }

  std::uint64_t count(const std::string& instance, const std::string& name) const {
    for (const InstanceStats& table : tables)
      if (table.instance == instance + "[0]")
        if (const CounterRow* row = table.counter(name)) return row->value;
    FAIL("no counter " << instance << "." << name);
    return 0;
  }
  /// Where the cycles of all accesses of a group went; causes without cycles are left out.
  Causes causes(LedgerTotals::Group group = LedgerTotals::loads) const {
    return tb::cycles_by_row(platform.ledger_places(), ledger.groups[group].cycles);
  }
  std::uint64_t latency(LedgerTotals::Group group = LedgerTotals::loads) const {
    return ledger.groups[group].latency;
  }

  Platform platform;
  ProgramSource source;
  RunOutcome outcome;
  std::vector<InstanceStats> tables;
  LedgerTotals ledger;
};

std::vector<std::string> with(std::vector<std::string> overrides, const std::vector<std::string>& more) {
  overrides.insert(overrides.end(), more.begin(), more.end());
  return overrides;
}

/// Adds `times` x `more` to `sum`.
Causes plus(Causes sum, const Causes& more, std::uint64_t times = 1) {
  for (const auto& [cause, cycles] : more) sum[cause] += times * cycles;
  return sum;
}

const Causes llc_hit = {{"sm.queue", 1},           {"l1.pipeline", 1},      {"noc.request_link", 1},
                        {"noc.request_router", 4}, {"llc.pipeline", 120},   {"noc.reply_link", 1},
                        {"noc.reply_router", 4},   {"noc.reply_serial", 4}, {"l1.fill", 1}};

// With a DRAM of 1400 MHz. The fetch leaves the slice one cycle after the tags (memory.queue 1) and is
// accepted in the cycle of its arrival; a command issues one cycle later at the earliest (memory.queue 1):
// ACT. RD follows tRCD = 12 later (memory.activate), its data tCL = 12 after that (memory.access) for one
// cycle (nBL = 1, memory.bus). The slice answers one cycle after the fill (llc.reply_port 1).
const Causes memory_closed_row = {{"memory.queue", 2},
                                  {"memory.activate", 12},
                                  {"memory.access", 12},
                                  {"memory.bus", 1},
                                  {"llc.reply_port", 1}};

}  // namespace

TEST_CASE("An LLC miss to a closed row takes 165 cycles") {
  // 137 of the LLC hit + 2 + 12 + 12 + 1 + 1 = 165.
  Bench bench(equal_clocks);
  bench.run({{{load(line_a, 1), alu(2, 1)}}});
  CHECK(bench.causes() == plus(llc_hit, memory_closed_row));
  CHECK(bench.latency() == 165);
  CHECK(bench.count("llc", "misses") == 1);
  CHECK(bench.count("mc", "row_misses") == 1);
  CHECK(bench.count("ch", "activates") == 1);
}

TEST_CASE("An L1 hit takes 29 cycles") {
  // The miss of above, then a hit: 1 cycle to its turn, 28 of the L1.
  Bench bench(equal_clocks);
  bench.run({{{load(line_a, 1), alu(2, 1), load(line_a, 3), alu(4, 3)}}});
  CHECK(bench.causes() == plus(plus(llc_hit, memory_closed_row), {{"sm.queue", 1}, {"l1.pipeline", 28}}));
  CHECK(bench.latency() == 165 + 29);
  CHECK(bench.count("l1", "hits") == 1);
  CHECK(bench.count("sm", "answered_at_once") == 1);
}

TEST_CASE("An L1 miss that hits the LLC takes 137 cycles") {
  // The first load goes past the L1 and takes as long as any miss.
  Bench bench(equal_clocks);
  bench.run({{{load_past_l1(line_a, 1), alu(2, 1), load(line_a, 3), alu(4, 3)}}});
  CHECK(bench.causes() == plus(plus(llc_hit, memory_closed_row), llc_hit));
  CHECK(bench.latency() == 165 + 137);
  CHECK(bench.count("l1", "bypasses") == 1);
  CHECK(bench.count("l1", "misses") == 1);
  CHECK(bench.count("llc", "read_hits") == 1);
}

TEST_CASE("A merge waits for the fill of the first miss") {
  // Both loads are independent and issue back to back, in E and E + 1. The first is answered in E + 165 as
  // above. The second meets the L1 in E + 2 and waits for the whole line, which is there in E + 164 (l1.merge
  // 162). One answer leaves a cycle: the second in E + 166 (l1_fill 2). Latency 1 + 162 + 2 = 165.
  Bench bench(equal_clocks);
  bench.run({{{load(line_a, 1), load(line_a, 2), alu(3, 2)}}});
  CHECK(bench.causes() ==
        plus(plus(llc_hit, memory_closed_row), {{"sm.queue", 1}, {"l1.merge", 162}, {"l1.fill", 2}}));
  CHECK(bench.latency() == 165 + 165);
  CHECK(bench.count("l1", "merges") == 1);
  CHECK(bench.count("llc", "accesses") == 1);
}

TEST_CASE("A full MSHR file holds the next miss until the fill") {
  // One MSHR. Load A issues in E, load B of the next line in E + 1. B has its turn in E + 2 and is held. A's
  // line is whole in E + 164, but its head came in E + 160: from there the MSHR is free and B is tried again
  // in the next cycle, E + 161 (l1_mshr_full 159). From there B is an LLC miss like A, to a closed row too:
  // neighbouring lines lie in different bank groups.
  Bench bench(with(equal_clocks, {"l1.mshrs=1"}));
  bench.run({{{load(line_a, 1), load(line_a + 128, 2), alu(3, 2)}}});
  CHECK(bench.causes() == plus(plus(llc_hit, memory_closed_row, 1),
                               plus(plus(llc_hit, memory_closed_row), {{"l1.full", 159}})));
  CHECK(bench.latency() == 165 + 165 + 159);
  CHECK(bench.count("l1", "mshr_full_stalls") == 1);
}

TEST_CASE("An LLC miss with the DRAM at 924 MHz takes 180 cycles") {
  // A DRAM cycle is 1400 / 924 = 50/33 core cycles. The kernel starts in cycle 0, so the load issues in E = 1
  // and its fetch leaves the slice in 129 = DRAM cycle 85.14: it is accepted in DRAM cycle 86. ACT in 87, RD
  // in 99, tCL ends in 111, the burst in 112 = core cycle 169.7: the slice sees the line in 170 and answers
  // in 171; the SM has it in 171 + 1 + 4 + 4 + 1 = 181, 180 cycles after E. Ledger: RD is in core cycle 99 x
  // 50/33 = 150. ACT is 12 x 50/33 = 18.2 before, fraction cut off: 132. So from the tags (128) to ACT:
  // memory_queue 4; row_activate 18; dram_access 18; the burst's end is 13 x 50/33 = 19.7 after RD, cut off:
  // 169, and the slice's next edge 170: dram_bus 2.
  Bench bench({});
  bench.run({{{load(line_a, 1), alu(2, 1)}}});
  CHECK(bench.causes() == plus(llc_hit, {{"memory.queue", 4},
                                         {"memory.activate", 18},
                                         {"memory.access", 18},
                                         {"memory.bus", 2},
                                         {"llc.reply_port", 1}}));
  CHECK(bench.latency() == 180);
}

TEST_CASE("A full router buffer holds the sender back") {
  // Three stores of a whole line: packets of 5 flits into a buffer of 5. They issue in E, E + 1 and E + 2.
  // Store 0 is on the link from E + 2 to E + 7; its head leaves the router in E + 7, its tail in E + 11. The
  // slice has it whole in E + 11 (request_serial 4) and answers in E + 131 with one flit: 1 + 4 on the way, 1
  // in the L1.
  //   1 + 1 + 1 + 4 + 4 + 120 + 1 + 4 + 1 = 137
  // Store 1 is ready in E + 3 and sent in E + 7 (l1_miss_queue 4). The buffer is full: it is held. Slots come
  // back from E + 8 on, one a cycle; its head enters then and could leave in E + 13, but a head leaves 2
  // cycles after the last tail's end (route and VC allocation): in E + 14. 1 + 4 of the 7 cycles are link and
  // pipeline, request_queue 2.
  //   137 + 4 + 2 = 143
  // Store 2 is ready in E + 4. Store 1 has entered whole in E + 13 only (with room: E + 12): l1_miss_queue 9.
  // It is held until slots come back from E + 15 on, and leaves 2 cycles after E + 19, in E + 21:
  // request_queue 3.
  //   137 + 9 + 3 = 149
  Bench bench(with(equal_clocks, {"rtr.vc_flits=5"}));
  bench.run({{{store(line_a), store(line_a + 128), store(line_a + 256)}}});
  const Causes one_store = {{"sm.queue", 1},           {"l1.pipeline", 1},        {"noc.request_link", 1},
                            {"noc.request_router", 4}, {"noc.request_serial", 4}, {"llc.pipeline", 120},
                            {"noc.reply_link", 1},     {"noc.reply_router", 4},   {"l1.fill", 1}};
  CHECK(bench.causes(LedgerTotals::stores) ==
        plus(plus({}, one_store, 3), {{"l1.miss_queue", 4 + 9}, {"noc.request_queue", 2 + 3}}));
  CHECK(bench.latency(LedgerTotals::stores) == 137 + 143 + 149);
  CHECK(bench.count("llc", "write_allocations") == 3);
}

TEST_CASE("A dirty eviction writes its line to the DRAM") {
  // An LLC of one line. The store takes it without a fetch (whole line) and makes it dirty; the load behind
  // it fetches another line, whose fill evicts the first: one write of 4 sectors, one WR of 128 B. The load
  // issues in E + 1 behind the 5 flits of the store: sent in E + 7 (l1_miss_queue 4), and out of the router
  // in E + 14, 2 cycles behind the store's tail (request_queue 2). The write is posted, so the load waits for
  // nothing else: 165 + 6.
  Bench bench(with(equal_clocks, {"llc.size=128", "llc.ways=1"}));
  bench.run({{{store(line_a), load(line_a + 128, 1), alu(2, 1)}}});
  CHECK(bench.causes() ==
        plus(plus(llc_hit, memory_closed_row), {{"l1.miss_queue", 4}, {"noc.request_queue", 2}}));
  CHECK(bench.latency() == 171);
  CHECK(bench.latency(LedgerTotals::stores) == 137);
  CHECK(bench.count("llc", "dirty_evictions") == 1);
  CHECK(bench.count("llc", "memory_writes") == 1);
  CHECK(bench.count("llc", "memory_write_acks") == 1);
  CHECK(bench.count("mc", "writes") == 1);
  CHECK(bench.count("mc", "reads") == 1);
  CHECK(bench.count("ch", "write_bursts") == 1);
  CHECK(bench.count("ch", "read_bursts") == 1);
}

TEST_CASE("A kernel boundary flushes the L1") {
  // Both kernels load the same line: the first misses everywhere (165), the second finds it in the LLC only
  // (137). Launch in 0, issue in 1, answer in 166, ALU in 167, which ends the CTA; the dispatcher flushes in
  // 168, the SM sends the flush in 169, the L1 answers in 170 and the SM takes the answer in 171, one cycle
  // after it came, as any answer. The dispatcher ends the kernel in 172 and launches the next in 173: issue
  // in 174, answer in 311, ALU in 312, flush from 313 to 316, end in 317.
  Bench bench(equal_clocks);
  const std::vector<Program> kernel = {{load(line_a, 1), alu(2, 1)}};
  bench.run({kernel, kernel});
  CHECK(bench.causes() == plus(plus(llc_hit, memory_closed_row), llc_hit));
  CHECK(bench.outcome.cycles == 317);
  CHECK(bench.count("l1", "misses") == 2);
  CHECK(bench.count("l1", "flushes") == 2);
  CHECK(bench.count("l1", "flushed_lines") == 2);
  CHECK(bench.count("llc", "hits") == 1);
}

TEST_CASE("A dispatcher without flush keeps the L1 over a kernel boundary") {
  Bench bench(with(equal_clocks, {"cta.flush_l1=false"}));
  const std::vector<Program> kernel = {{load(line_a, 1), alu(2, 1)}};
  bench.run({kernel, kernel});
  CHECK(bench.latency() == 165 + 29);
  CHECK(bench.count("l1", "hits") == 1);
}
