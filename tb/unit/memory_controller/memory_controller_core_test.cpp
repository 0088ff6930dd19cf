#include "models/memory_controller/memory_controller_core.h"

#include <string>

#include "models/memory_controller/dram_address_decoder.h"
#include "tb/support/catch.h"
#include "tb/support/controller_log.h"

using namespace strata;
using tb::Log;
using tb::request;
using tb::run;

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
