#include "models/memory_controller/memory_controller_core.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "models/memory_controller/dram_address_decoder.h"
#include "models/memory_controller/dram_scheduler.h"
#include "models/memory_controller/row_policy.h"
#include "tb/support/catch.h"

namespace strata::tb {

// Default timing: gddr5_isca19 with nRCD 12, nRP 12, nRAS 28, nCL 12, nCWL 4, nBL 1, nRTP 2, nWR 12, nCCDL 2,
// nRTW 11.

inline DramRequest request(bool write, int bank, std::int64_t row, int column, std::uint64_t id = 0) {
  DramRequest r;
  r.write = write;
  r.bank = static_cast<std::uint8_t>(bank);
  r.row = row;
  r.column = column;
  r.id = id;
  return r;
}

using Log = std::vector<std::string>;

/// "1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0", "29 PRE b0": cycle, command, bank, row, column, request.
inline std::string to_text(const IssuedCommand& c, Cycle now) {
  const bool row = is_column(c.command) || c.command == DramCommand::act;
  return std::to_string(now) + " " + std::string(to_text(c.command)) + " b" + std::to_string(c.bank) +
         (row ? " r" + std::to_string(c.row) : "") +
         (is_column(c.command) ? " c" + std::to_string(c.column) : "") +
         (c.request == nullptr ? "" : " #" + std::to_string(c.request->id));
}

/// Runs a core until it has nothing to do before `end` and writes down its commands.
inline Log run(MemoryControllerCore& core, Cycle end = 100000) {
  Log log;
  while (core.next_action() < end) {
    const Cycle now = core.next_action();
    std::array<IssuedCommand, 2> out{};
    const int count = core.advance(now, out);
    for (int i = 0; i < count; ++i) log.push_back(to_text(out[static_cast<std::size_t>(i)], now));
  }
  return log;
}

/// Likewise, with the refreshes that an idle core owes until then; without rows and columns.
inline Log run_and_catch_up(MemoryControllerCore& core, Cycle end) {
  Log log;
  while (std::min(core.next_action(), core.owed()) < end) {
    const Cycle now = std::min(core.next_action(), core.owed());
    std::array<IssuedCommand, 2> out{};
    const int count = core.advance(now, out);
    for (int i = 0; i < count; ++i) {
      const IssuedCommand& c = out[static_cast<std::size_t>(i)];
      log.push_back(std::to_string(now) + " " + std::string(to_text(c.command)) + " b" +
                    std::to_string(c.bank) +
                    (c.request == nullptr ? "" : " #" + std::to_string(c.request->id)));
    }
  }
  return log;
}

}  // namespace strata::tb

using namespace strata;
using tb::Log;
using tb::request;
using tb::run;
using tb::run_and_catch_up;

TEST_CASE("a miss, a hit and a conflict") {
  MemoryControllerCore core{MemoryControllerParams{}};
  CHECK(core.next_action() == never);
  core.admit(request(false, 0, 5, 0, 0), 0);
  CHECK(run(core) == Log{"1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0"});
  core.admit(request(false, 0, 5, 3, 1), 20);
  CHECK(run(core) == Log{"21 RD b0 r5 c3 #1"});
  core.admit(request(false, 0, 6, 0, 2), 100);
  CHECK(run(core) == Log{"101 PRE b0 #2", "113 ACT b0 r6 #2", "125 RD b0 r6 c0 #2"});
  CHECK(core.idle());
  const MemoryControllerStats& s = core.stats();
  CHECK(s.row_misses == 1);
  CHECK(s.row_hits == 1);
  CHECK(s.row_conflicts == 1);
  CHECK(s.started == 3);
  CHECK(s.read_wait == 13 + 1 + 25);
  CHECK(s.read_latency.total == 26 + 14 + 38);  // each 13 = nCL + nBL after its RD
}

TEST_CASE("a line of several bursts issues one column command each and finishes with the last") {
  MemoryControllerCore core{MemoryControllerParams{}};
  DramRequest line = request(false, 0, 1, 8, 7);
  line.bursts = 3;
  core.admit(line, 0);
  // tCCDL = 2 between bursts of one bank.
  CHECK(run(core) == Log{"1 ACT b0 r1 #7", "13 RD b0 r1 c8 #7", "15 RD b0 r1 c9 #7", "17 RD b0 r1 c10 #7"});
  line.column = 16;
  core.admit(line, 50);
  CHECK(core.queued(false) == 1);
  CHECK(run(core, 53) == Log{"51 RD b0 r1 c16 #7"});
  CHECK(core.queued(false) == 1);  // a hit keeps its entry until its last burst
  CHECK(run(core) == Log{"53 RD b0 r1 c17 #7", "55 RD b0 r1 c18 #7"});
  CHECK(core.queued(false) == 0);
  CHECK(core.stats().reads_finished == 2);
  CHECK(core.stats().bursts == 6);
}

TEST_CASE("an activated request frees its queue entry at once") {
  MemoryControllerParams params;
  params.read_queue = 1;
  MemoryControllerCore core{params};
  core.admit(request(false, 0, 5, 0, 0), 0);
  CHECK_FALSE(core.has_room(false));
  CHECK(core.has_room(true));
  CHECK(run(core, 2) == Log{"1 ACT b0 r5 #0"});
  CHECK(core.has_room(false));
  CHECK(core.active() == 1);
  CHECK_FALSE(core.idle());
}

TEST_CASE("row hits overtake, and a precharge does not overtake a waiting hit") {
  MemoryControllerCore core{MemoryControllerParams{}};
  core.admit(request(false, 0, 5, 0, 0), 0);
  core.admit(request(false, 0, 6, 0, 1), 1);  // older than the hits below, but its row is not open
  core.admit(request(false, 0, 5, 1, 2), 2);
  core.admit(request(false, 0, 5, 2, 3), 3);
  // RD every tCCDL = 2; PRE after tRAS at 29 (17 + tRTP = 19 is earlier); ACT 12 later, RD 12 later.
  CHECK(run(core) == Log{"1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0", "15 RD b0 r5 c1 #2", "17 RD b0 r5 c2 #3",
                         "29 PRE b0 #1", "41 ACT b0 r6 #1", "53 RD b0 r6 c0 #1"});
}

TEST_CASE("a request that has waited beyond the cap is no longer overtaken") {
  MemoryControllerParams params;
  params.starvation_cap = 41;
  MemoryControllerCore core{params};
  core.admit(request(false, 0, 5, 0, 0), 0);
  core.admit(request(false, 0, 6, 0, 1), 1);
  // A hit every other cycle would keep the row open for ever.
  Cycle precharged = 0;
  std::uint64_t id = 2;
  for (Cycle now = 2; now < 200 && precharged == 0; ++now) {
    if (core.next_action() <= now) {
      std::array<IssuedCommand, 2> out{};
      const int count = core.advance(now, out);
      for (int i = 0; i < count; ++i)
        if (out[static_cast<std::size_t>(i)].command == DramCommand::pre) precharged = now;
    }
    if (core.has_room(false)) core.admit(request(false, 0, 5, static_cast<int>(now), id++), now);
  }
  // ACT in 2, where the loop begins; hits from 14 on, every tCCDL 2. They pass #1, accepted in 1, until 42;
  // after the one of 42, tRTP 2 allows the PRE in 44.
  CHECK(precharged == 44);
  CHECK(core.stats().starved == 1);
}

TEST_CASE("a read beyond the cap ends a write drain") {
  MemoryControllerParams params;
  params.write_queue = 30;  // a drain ends when 5 (< 6) writes are left
  params.starvation_cap = 20;
  MemoryControllerCore core{params};
  for (int i = 0; i < 26; ++i)
    core.admit(request(true, 0, 1, i, static_cast<std::uint64_t>(i)), static_cast<Cycle>(i));
  core.admit(request(false, 4, 1, 0, 100), 26);
  // Writes go first, as no read waits in the beginning: ACT 1, WR 13, 15, ..., 45. Nine are left, more
  // than 5. The read is overdue from 26 + 20 + 1 = 47 on and gets its ACT; no other read waits then, and
  // writing goes on.
  const std::vector<std::string> log = run(core, 50);
  REQUIRE(log.size() == 20);
  CHECK(log[17] == "45 WR b0 r1 c16 #16");
  CHECK(log[18] == "47 ACT b4 r1 #100");
  CHECK(log[19] == "48 WR b0 r1 c17 #17");
}

TEST_CASE("a drain ends when no write is left, whatever the low watermark") {
  MemoryControllerParams params;
  params.drain_low = 0;  // no queue is emptier than that
  MemoryControllerCore core{params};
  core.admit(request(true, 0, 1, 0, 0), 0);
  CHECK(run(core) == Log{"1 ACT b0 r1 #0", "13 WR b0 r1 c0 #0"});
  core.admit(request(false, 4, 1, 0, 1), 20);
  CHECK(run(core) == Log{"21 ACT b4 r1 #1", "33 RD b4 r1 c0 #1"});
}

TEST_CASE("writes wait for the reads until the high watermark, then drain to the low one") {
  MemoryControllerParams params;
  params.write_queue = 10;  // drain from 9 (> 8) writes until 1 (< 2) is left
  params.read_queue = 64;
  MemoryControllerCore core{params};
  Cycle now = 0;
  for (int i = 0; i < 60; ++i) core.admit(request(false, 4, 1, i), now++);
  for (int i = 0; i < 8; ++i) core.admit(request(true, 0, 1, i), now++);
  CHECK(core.queued(true) == 8);
  // Reads issue from 13 on, one every other cycle: 26 are left in cycle 80.
  std::vector<std::string> log = run(core, 80);
  REQUIRE(log.size() > 10);
  for (const std::string& line : log) CHECK(line.find(" WR ") == std::string::npos);
  core.admit(request(true, 0, 1, 8), 80);  // the ninth write
  log = run(core, 130);
  int writes = 0;
  for (const std::string& line : log) writes += line.find(" WR ") != std::string::npos ? 1 : 0;
  CHECK(writes == 8);  // one is left when the drain ends
  CHECK(core.queued(true) == 1);
  CHECK(core.stats().write_drains == 1);
  run(core);
  CHECK(core.idle());  // without reads the last write goes too
}

TEST_CASE("a read takes its data from a queued write that covers it") {
  MemoryControllerCore core{MemoryControllerParams{}};
  using Admission = MemoryControllerCore::Admission;
  DramRequest write = request(true, 0, 5, 4);
  write.sectors = 0x3;
  core.admit(write, 0);
  DramRequest read = request(false, 0, 5, 4);
  read.sectors = 0x1;
  CHECK(core.admit(read, 1) == Admission::forwarded);
  read.sectors = 0x4;  // not written
  CHECK(core.admit(read, 2) == Admission::queued);
  read.sectors = 0x1;
  read.column = 5;
  CHECK(core.admit(read, 3) == Admission::queued);
  CHECK(core.stats().forwarded_reads == 1);
  CHECK(core.queued(false) == 2);
  run(core);
  CHECK(core.idle());
  CHECK(core.stats().reads_finished == 2);
}

TEST_CASE("page policies close rows that nothing waits for") {
  MemoryControllerParams params;
  params.page_policy = PagePolicy::closed;
  MemoryControllerCore closed{params};
  closed.admit(request(false, 0, 5, 0, 0), 0);
  // PRE as soon as tRAS allows.
  CHECK(run(closed) == Log{"1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0", "29 PRE b0"});
  CHECK(closed.stats().policy_precharges == 1);
  params.page_policy = PagePolicy::timeout;
  params.idle_close = 100;
  MemoryControllerCore timeout{params};
  timeout.admit(request(false, 0, 5, 0, 0), 0);
  CHECK(run(timeout, 50) == Log{"1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0"});
  timeout.admit(request(false, 0, 5, 1, 1), 60);
  CHECK(run(timeout) == Log{"61 RD b0 r5 c1 #1", "161 PRE b0"});  // 100 cycles after the last use
}

TEST_CASE("rows of an idle channel are closed one by one, when their timing allows") {
  MemoryControllerCore core{MemoryControllerParams{}};
  core.admit(request(false, 0, 5, 0, 0), 0);
  core.admit(request(false, 1, 7, 0, 1), 1);
  run(core);
  CHECK(core.idle());
  std::optional<IssuedCommand> issued;
  // Bank 0 opened in 1: no PRE before tRAS = 28 has passed.
  CHECK(core.close_idle_row(28, issued));
  CHECK_FALSE(issued.has_value());
  CHECK(core.close_idle_row(29, issued));
  REQUIRE(issued.has_value());
  CHECK(issued->command == DramCommand::pre);
  CHECK(issued->bank == 0);
  issued.reset();
  CHECK(core.close_idle_row(60, issued));
  REQUIRE(issued.has_value());
  CHECK(issued->bank == 1);
  issued.reset();
  CHECK_FALSE(core.close_idle_row(61, issued));
  CHECK_FALSE(issued.has_value());
  CHECK(core.stats().precharges == 2);
  // The row must be opened anew, as that of a first request.
  core.admit(request(false, 0, 5, 1, 2), 100);
  CHECK(run(core) == Log{"101 ACT b0 r5 #2", "113 RD b0 r5 c1 #2"});
  CHECK(core.stats().row_misses == 3);
}

TEST_CASE("line indices decode into groups, columns, banks and rows") {
  MemoryControllerParams params;  // 4 groups x 4 banks, 16 KiB rows of 128 lines, one burst a line
  const auto decode = [&](std::uint64_t line) { return DramAddressDecoder(params).decode(line); };
  CHECK(decode(0).bank == 0);
  CHECK(decode(1).bank == 4);        // next group
  CHECK(decode(4).column == 1);      // next column of group 0
  CHECK(decode(4 * 128).bank == 1);  // next bank of group 0
  CHECK(decode(4 * 128 * 4).row == 1);
  params.interleave = Interleave::row_bank_group_column;
  CHECK(decode(127).column == 127);
  CHECK(decode(128).bank == 4);
  CHECK(decode(128 * 4).bank == 1);
  CHECK(decode(128 * 16).row == 1);
  params.interleave = Interleave::row_column_bank_group;
  CHECK(decode(5).bank == 5);  // group 1, bank 1
  CHECK(decode(16).column == 1);
  params.bank_xor = true;
  CHECK(decode(16 * 128).row == 1);
  CHECK(decode(16 * 128).bank == 1);  // bank 0 xor row 1
  params = MemoryControllerParams{};
  params.timing.bytes_per_CAS = 64;  // two bursts a line: columns count bursts
  CHECK(decode(4).column == 2);
}

TEST_CASE("every line has a place of its own, for sizes that are no powers of two too") {
  MemoryControllerParams params;
  params.timing.bank_groups = 3;
  params.timing.banks_per_group = 5;
  params.timing.row_bytes = Bytes(6 * 128);
  for (const auto order : {Interleave::row_bank_column_group, Interleave::row_bank_group_column,
                           Interleave::row_column_bank_group}) {
    params.interleave = order;
    const DramAddressDecoder decoder(params);
    std::vector<bool> taken(3 * 5 * 6 * 4);
    for (std::uint64_t line = 0; line < taken.size(); ++line) {
      const DramLocation at = decoder.decode(line);
      REQUIRE(at.bank < 15);
      REQUIRE(at.column < 6);
      REQUIRE(at.row < 4);
      const auto place = static_cast<std::size_t>((at.row * 15 + at.bank) * 6 + at.column);
      REQUIRE_FALSE(taken[place]);
      taken[place] = true;
    }
  }
}

TEST_CASE("parameters that do not fit each other are refused") {
  MemoryControllerParams params;
  CHECK(params.validate().empty());
  params.drain_low = 0.9;
  params.line = Bytes(64);  // half of a CAS
  CHECK(params.validate().size() == 2);
}

// Refresh, the adaptive page policy and atomics of the controller's core, in hand-worked cycles.

namespace {

// gddr5_isca19 with refreshes every 320 cycles: all banks for 35 cycles, or one of 16 banks every 20 cycles
// for 14.
MemoryControllerParams refreshing(RefreshPolicy policy) {
  MemoryControllerParams params;
  params.refresh = policy;
  params.timing.nREFI = 320;
  return params;
}

}  // namespace

TEST_CASE("a refresh of all banks closes the rows, waits tRP and holds back activates for tRFC") {
  MemoryControllerCore core{refreshing(RefreshPolicy::all_bank)};
  core.admit(request(false, 0, 5, 0, 0), 300);
  core.admit(request(false, 1, 5, 0, 1), 301);
  core.admit(request(false, 0, 6, 0, 2), 318);
  // ACT 301 and 307 (tRRD). In 320 the refresh claims all banks: #2 may not begin. The owners finish: RD 313
  // and 319. PRE of bank 0 at 301 + tRAS 28 = 329, of bank 1 at 335; REFab tRP 12 after that; ACT tRFC 35
  // after that.
  CHECK(run_and_catch_up(core, 500) == Log{"301 ACT b0 #0", "307 ACT b1 #1", "313 RD b0 #0", "319 RD b1 #1",
                                           "329 PRE b0", "335 PRE b1", "347 REFab b0", "382 ACT b0 #2",
                                           "394 RD b0 #2"});
  const MemoryControllerStats& s = core.stats();
  CHECK(s.refreshes == 1);
  CHECK(s.refresh_precharges == 2);
  CHECK(s.refresh_delay == 27);  // due in 320
  CHECK(s.row_misses == 3);      // #2 found its bank closed
  CHECK(s.row_conflicts == 0);
}

TEST_CASE("a waiting row hit does not hold up a refresh") {
  MemoryControllerCore core{refreshing(RefreshPolicy::all_bank)};
  core.admit(request(false, 0, 5, 0, 0), 280);
  core.admit(request(false, 0, 5, 1, 1), 319);  // a hit that could issue in 320
  CHECK(run_and_catch_up(core, 500) ==
        Log{"281 ACT b0 #0", "293 RD b0 #0", "320 PRE b0", "332 REFab b0", "367 ACT b0 #1", "379 RD b0 #1"});
}

TEST_CASE("an idle channel refreshes as of the cycles in which it was due, and books nothing") {
  MemoryControllerCore core{refreshing(RefreshPolicy::all_bank)};
  core.admit(request(false, 0, 5, 0, 0), 0);
  CHECK(run(core) == Log{"1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0"});
  CHECK(core.idle());
  CHECK(core.next_action() == never);
  CHECK(core.owed() == 320);
  // Found out when the next request comes in 1000: row 5 was closed in 320, and refreshes came in 332, 640
  // and 960, the last of them holding back the ACT until 995.
  CHECK(run_and_catch_up(core, 971) == Log{"320 PRE b0", "332 REFab b0", "640 REFab b0", "960 REFab b0"});
  core.admit(request(false, 0, 5, 0, 1), 970);
  CHECK(core.owed() == never);
  CHECK(run(core) == Log{"995 ACT b0 r5 #1", "1007 RD b0 r5 c0 #1"});
  CHECK(core.owed() == 1280);
}

TEST_CASE("a refresh of one bank leaves the others alone, and turns over the bank groups") {
  MemoryControllerCore core{refreshing(RefreshPolicy::per_bank)};
  // Every 320 / 16 = 20 cycles: banks 0, 4, 8, 12, 1, ...
  CHECK(run_and_catch_up(core, 101) ==
        Log{"20 REFpb b0", "40 REFpb b4", "60 REFpb b8", "80 REFpb b12", "100 REFpb b1"});
  core.admit(request(false, 1, 5, 0, 0), 101);
  core.admit(request(false, 2, 5, 0, 1), 102);
  // Bank 1 is refreshed until 114; bank 2 need only wait for tRREFD 6 after 100. Bank 5 is due in 120.
  // tRRD 6 from each ACT to the next command that opens or refreshes a row.
  CHECK(run_and_catch_up(core, 130) ==
        Log{"106 ACT b2 #1", "114 ACT b1 #0", "118 RD b2 #1", "120 REFpb b5", "126 RD b1 #0"});
}

TEST_CASE("a bank refresh goes before commands of other banks on a single bus, and after its own owner") {
  MemoryControllerParams params = refreshing(RefreshPolicy::per_bank);
  MemoryControllerCore core{params};
  CHECK(run_and_catch_up(core, 1) == Log{});
  core.admit(request(false, 0, 5, 0, 0), 5);
  core.admit(request(false, 0, 6, 0, 1), 6);
  // Bank 0 is due in 20, owned by #0 (ACT 6, RD 18); PRE at 6 + tRAS 28 = 34, REFpb at 46. Bank 4 was due in
  // 40 and follows at 46 + tRREFD 6 = 52; #1 may begin at 46 + tRFCpb 14 = 60, but bank 8 is due then.
  CHECK(run_and_catch_up(core, 100) == Log{"6 ACT b0 #0", "18 RD b0 #0", "34 PRE b0", "46 REFpb b0",
                                           "52 REFpb b4", "60 REFpb b8", "66 ACT b0 #1", "78 RD b0 #1",
                                           "80 REFpb b12"});
}

TEST_CASE("the adaptive page policy learns from rows closed too early and too late") {
  MemoryControllerParams params;
  params.page_policy = PagePolicy::adaptive;
  params.idle_close = 64;
  params.idle_close_min = 16;
  params.idle_close_max = 200;
  MemoryControllerCore core{params};
  core.admit(request(false, 0, 5, 0, 0), 0);
  // Closed 64 cycles after its last use in 13.
  CHECK(run(core) == Log{"1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0", "77 PRE b0"});
  // The same row again: closed too early, from now on 128 cycles.
  core.admit(request(false, 0, 5, 0, 1), 100);
  CHECK(run(core) == Log{"101 ACT b0 r5 #1", "113 RD b0 r5 c0 #1", "241 PRE b0"});
  CHECK(core.stats().policy_reopened == 1);
  // And again: 256 is more than the longest, 200.
  core.admit(request(false, 0, 5, 0, 2), 300);
  CHECK(run(core, 400) == Log{"301 ACT b0 r5 #2", "313 RD b0 r5 c0 #2"});
  // A conflict: it stood open too long, from now on 100 cycles.
  core.admit(request(false, 0, 6, 0, 3), 400);
  CHECK(run(core) == Log{"401 PRE b0 #3", "413 ACT b0 r6 #3", "425 RD b0 r6 c0 #3", "525 PRE b0"});
  // Another row than the one closed last: nothing learned.
  core.admit(request(false, 0, 7, 0, 4), 600);
  CHECK(run(core) == Log{"601 ACT b0 r7 #4", "613 RD b0 r7 c0 #4", "713 PRE b0"});
  CHECK(core.stats().policy_reopened == 2);
  CHECK(core.stats().policy_precharges == 4);
  // Bank 1 has a time of its own.
  core.admit(request(false, 1, 7, 0, 5), 800);
  CHECK(run(core) == Log{"801 ACT b1 r7 #5", "813 RD b1 r7 c0 #5", "877 PRE b1"});
}

TEST_CASE("an atomic reads its line and writes it back") {
  MemoryControllerParams params;
  params.write_queue = 2;
  MemoryControllerCore core{params};
  DramRequest atomic = request(false, 0, 5, 3, 0);
  atomic.atomic = true;
  CHECK(core.has_room_for_atomic());
  core.admit(atomic, 0);
  CHECK(core.queued(false) == 1);
  CHECK(core.queued(true) == 1);  // set aside for its write
  core.admit(request(true, 4, 5, 0, 1), 1);
  CHECK_FALSE(core.has_room_for_atomic());
  CHECK(core.has_room(false));
  // Write 1 may start once no read waits: ACT at 1 + tRRD 6. RD at 13; its data is there at 13 + 12 + 1 = 26,
  // so the atomic's write is accepted in 26 and issues in 27, if tRTW 11 (24) and tRAS allow. Write 1 goes at
  // 24, as tRTW allows; write after write tCCDS 1.
  CHECK(run(core) == Log{"1 ACT b0 r5 #0", "7 ACT b4 r5 #1", "13 RD b0 r5 c3 #0", "24 WR b4 r5 c0 #1",
                         "27 WR b0 r5 c3 #0"});
  CHECK(core.idle());
  const MemoryControllerStats& s = core.stats();
  CHECK(s.accepted == 2);
  CHECK(s.atomics == 1);
  CHECK(s.reads == 0);
  CHECK(s.writes == 1);
  CHECK(s.reads_finished == 1);
  CHECK(s.writes_finished == 2);
  CHECK(s.started == 3);
  CHECK(s.row_misses == 2);
  CHECK(s.row_hits == 1);
  CHECK(core.has_room_for_atomic());
}

TEST_CASE("an atomic on a queued write is done in the write queue") {
  MemoryControllerCore core{MemoryControllerParams{}};
  core.admit(request(true, 0, 5, 3, 0), 0);
  DramRequest atomic = request(false, 0, 5, 3, 1);
  atomic.atomic = true;
  CHECK(core.admit(atomic, 1) == MemoryControllerCore::Admission::forwarded);
  CHECK(run(core) == Log{"1 ACT b0 r5 #0", "13 WR b0 r5 c3 #0"});
  CHECK(core.stats().atomics == 1);
  CHECK(core.stats().forwarded_reads == 1);
  CHECK(core.idle());
}

TEST_CASE("atomics of random streams lose nothing and keep every queue within its size") {
  std::mt19937_64 random(5);
  MemoryControllerParams params;
  params.read_queue = params.write_queue = 4;
  params.refresh = RefreshPolicy::all_bank;
  MemoryControllerCore core{params};
  std::uint64_t accepted = 0;
  std::array<IssuedCommand, 2> out{};
  for (Cycle now = 0; now < 100000; ++now) {
    while (core.owed() <= now) core.advance(core.owed(), out);
    if (core.next_action() <= now) core.advance(now, out);
    DramRequest r = request(random() % 3 == 0, static_cast<int>(random() % 16),
                            static_cast<std::int64_t>(random() % 4), static_cast<int>(random() % 4));
    r.atomic = !r.write && random() % 2 == 0;
    if (random() % 8 != 0 || !(r.atomic ? core.has_room_for_atomic() : core.has_room(r.write))) continue;
    core.admit(r, now);
    ++accepted;
    REQUIRE(core.queued(false) <= 4);
    REQUIRE(core.queued(true) <= 4);
  }
  run(core, never);
  const MemoryControllerStats& s = core.stats();
  CHECK(core.idle());
  CHECK(s.accepted == accepted);
  CHECK(s.atomics > 500);
  CHECK(s.reads + s.atomics == s.reads_finished + s.forwarded_reads);
  // Every atomic that was not forwarded has written too; of the forwarded reads some were atomics.
  CHECK(s.writes_finished <= s.writes + s.atomics);
  CHECK(s.writes_finished >= s.writes + s.atomics - s.forwarded_reads);
}

TEST_CASE("refreshes are postponed while requests wait, and made up for in a row") {
  const auto tail_of = [](int postpone, std::uint64_t& delay) {
    MemoryControllerParams params = refreshing(RefreshPolicy::all_bank);
    params.refresh_postpone = postpone;
    MemoryControllerCore core{params};
    // Ten rows of bank 0: ACT in 301, 341, ..., 661 (tRC 40), RD 12 and PRE 28 after each.
    for (int i = 0; i < 10; ++i)
      core.admit(request(false, 0, i, 0, static_cast<std::uint64_t>(i)), static_cast<Cycle>(300 + i));
    Log log = run_and_catch_up(core, 900);
    CHECK(core.stats().refreshes == 2);
    delay = core.stats().refresh_delay;
    log.erase(log.begin(), std::find(log.begin(), log.end(), "633 RD b0 #8"));
    return log;
  };
  std::uint64_t delay = 0;
  // Up to two are owed: no request waits any more once #9 owns the bank. The refreshes of 320 and 640 follow
  // it, the second tRFC 35 after the first.
  CHECK(tail_of(2, delay) == Log{"633 RD b0 #8", "649 PRE b0 #9", "661 ACT b0 #9", "673 RD b0 #9",
                                 "689 PRE b0", "701 REFab b0", "736 REFab b0"});
  CHECK(delay == (701 - 320) + (736 - 640));
  // Up to one: with the second, in 640, both are made up for before #9 may begin.
  CHECK(tail_of(1, delay) ==
        Log{"633 RD b0 #8", "649 PRE b0", "661 REFab b0", "696 REFab b0", "731 ACT b0 #9", "743 RD b0 #9"});
  CHECK(delay == (661 - 320) + (696 - 640));
}

// Schedulers and row policies. Timing as above; row cycle nRC 40.

namespace {

/// A request opens row 5; then an older one for row 6 and two younger ones for row 5 wait.
Log row_hits_behind_a_conflict(MemoryControllerCore& core) {
  core.admit(request(false, 0, 5, 0, 0), 0);
  core.admit(request(false, 0, 6, 0, 1), 1);
  core.admit(request(false, 0, 5, 1, 2), 2);
  core.admit(request(false, 0, 5, 2, 3), 3);
  return run(core);
}

}  // namespace

TEST_CASE("places of schedulers and row policies are those of their enumerations") {
  const auto& schedulers = DramSchedulerRow::table();
  CHECK(schedulers.names() == std::vector<std::string>{"fr_fcfs", "fcfs", "fr_fcfs_cap"});
  CHECK(schedulers.find("fr_fcfs_cap") == static_cast<int>(DramOrder::fr_fcfs_cap));
  const auto& policies = RowPolicyRow::table();
  CHECK(policies.names() == std::vector<std::string>{"open", "closed", "timeout", "adaptive"});
  CHECK(policies.find("adaptive") == static_cast<int>(PagePolicy::adaptive));
}

TEST_CASE("fcfs: row hits do not pass the oldest request of their bank") {
  MemoryControllerParams params;
  params.scheduler = DramOrder::fcfs;
  MemoryControllerCore core{params};
  // PRE for #1 when tRAS 28 has passed since the ACT in 1, although #2 and #3 want row 5; ACT and RD 12 later
  // each. Then #2 closes row 6, 28 after its ACT, and #3 finds its row open, tCCDL 2 after #2.
  CHECK(row_hits_behind_a_conflict(core) == Log{"1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0", "29 PRE b0 #1",
                                                "41 ACT b0 r6 #1", "53 RD b0 r6 c0 #1", "69 PRE b0 #2",
                                                "81 ACT b0 r5 #2", "93 RD b0 r5 c1 #2", "95 RD b0 r5 c2 #3"});
  CHECK(core.stats().lost_row_hits == 2);
  CHECK(core.stats().starved == 1);
  CHECK(core.stats().row_conflicts == 2);
  CHECK(core.stats().row_hits == 1);
}

TEST_CASE("fcfs: banks work side by side") {
  MemoryControllerParams params;
  params.scheduler = DramOrder::fcfs;
  MemoryControllerCore core{params};
  core.admit(request(false, 0, 5, 0, 0), 0);
  core.admit(request(false, 0, 6, 0, 1), 1);
  core.admit(request(false, 4, 7, 0, 2), 2);  // of another bank group: its ACT tRRD 6 after the first
  CHECK(run(core) == Log{"1 ACT b0 r5 #0", "7 ACT b4 r7 #2", "13 RD b0 r5 c0 #0", "19 RD b4 r7 c0 #2",
                         "29 PRE b0 #1", "41 ACT b0 r6 #1", "53 RD b0 r6 c0 #1"});
  CHECK(core.stats().lost_row_hits == 0);
}

TEST_CASE("fr_fcfs_cap: so many row hits in a row pass the oldest request, and no more") {
  MemoryControllerParams params;
  params.scheduler = DramOrder::fr_fcfs_cap;
  params.row_hit_cap = 1;
  MemoryControllerCore core{params};
  // #2 passes #1, #3 does not: it must open row 5 anew, nRC 40 after the ACT in 41.
  CHECK(row_hits_behind_a_conflict(core) == Log{"1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0", "15 RD b0 r5 c1 #2",
                                                "29 PRE b0 #1", "41 ACT b0 r6 #1", "53 RD b0 r6 c0 #1",
                                                "69 PRE b0 #3", "81 ACT b0 r5 #3", "93 RD b0 r5 c2 #3"});
  CHECK(core.stats().lost_row_hits == 1);
  params.row_hit_cap = 2;
  MemoryControllerCore both{params};
  row_hits_behind_a_conflict(both);
  CHECK(both.stats().row_hits == 2);
  CHECK(both.stats().lost_row_hits == 0);
}

TEST_CASE("a row hit lost to the starvation cap is not lost to the scheduler") {
  MemoryControllerParams params;
  params.starvation_cap = 15;  // #1, accepted in 1, is passed until 16: #2 passes, #3 does not
  MemoryControllerCore core{params};
  row_hits_behind_a_conflict(core);
  CHECK(core.stats().starved == 1);
  CHECK(core.stats().lost_row_hits == 0);
}

TEST_CASE("a scheduler with ranks of its own orders the requests of a bank and the banks") {
  struct ByApplication final : DramScheduler {
    bool lets_pass(const DramRequest& hit, const DramRequest& first) const override {
      return rank(hit) <= rank(first);
    }
    Cycle rank(const DramRequest& request) const override { return request.application; }
  };
  DramSchedulerRow::table().add({"by_application", "the first application first",
                                 [](const MemoryControllerParams&) -> std::unique_ptr<DramScheduler> {
                                   return std::make_unique<ByApplication>();
                                 }});
  MemoryControllerParams params;
  params.scheduler = static_cast<DramOrder>(DramSchedulerRow::table().find("by_application"));
  MemoryControllerCore core{params};
  const auto admit = [&](int bank, std::int64_t row, std::uint64_t id, std::uint8_t application, Cycle now) {
    DramRequest of = request(false, bank, row, 0, id);
    of.application = application;
    core.admit(of, now);
  };
  admit(0, 5, 0, 1, 0);
  admit(0, 6, 1, 1, 1);
  admit(0, 7, 2, 0, 2);
  admit(4, 5, 3, 1, 3);
  admit(8, 5, 4, 0, 4);
  // In 7, tRRD 6 after the first ACT, banks 4 and 8 can both open a row: bank 8 does. In 13 the RD of #0
  // takes the bus. In bank 0 #2 goes before #1.
  CHECK(run(core) == Log{"1 ACT b0 r5 #0", "7 ACT b8 r5 #4", "13 RD b0 r5 c0 #0", "14 ACT b4 r5 #3",
                         "19 RD b8 r5 c0 #4", "26 RD b4 r5 c0 #3", "29 PRE b0 #2", "41 ACT b0 r7 #2",
                         "53 RD b0 r7 c0 #2", "69 PRE b0 #1", "81 ACT b0 r6 #1", "93 RD b0 r6 c0 #1"});
  CHECK(core.idle());
  CHECK(core.stats().row_conflicts == 2);
}

TEST_CASE("a row policy sees how often a row was used") {
  struct CloseAfterTwo final : RowPolicy {
    Cycle close_at(const OpenRow& open) const override { return open.columns < 2 ? never : open.last_use; }
  };
  RowPolicyRow::table().add({"after_two", "after two column commands",
                             [](const MemoryControllerParams&) -> std::unique_ptr<RowPolicy> {
                               return std::make_unique<CloseAfterTwo>();
                             }});
  MemoryControllerParams params;
  params.page_policy = static_cast<PagePolicy>(RowPolicyRow::table().find("after_two"));
  MemoryControllerCore core{params};
  core.admit(request(false, 0, 5, 0, 0), 0);
  CHECK(run(core) == Log{"1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0"});
  core.admit(request(false, 0, 5, 1, 1), 60);
  CHECK(run(core) == Log{"61 RD b0 r5 c1 #1", "63 PRE b0"});  // tRTP 2 after the RD
  CHECK(core.stats().policy_precharges == 1);
}
