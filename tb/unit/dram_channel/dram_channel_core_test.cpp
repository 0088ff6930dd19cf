#include "models/dram_channel/dram_channel_core.h"

#include "tb/support/catch.h"

using namespace strata;

namespace {

// gddr5_isca19, the default: nRCD 12, nRAS 28, nRP 12, nRC 40, nCL 12, nCWL 4, nBL 1, nRTP 2, nWR 12, nRRD 6,
// nCCDS 1, nCCDL 2, nWTR 5, nFAW 24; four groups of four banks, single command bus.
constexpr auto ACT = DramCommand::act;
constexpr auto PRE = DramCommand::pre;
constexpr auto RD = DramCommand::rd;
constexpr auto WR = DramCommand::wr;

}  // namespace

TEST_CASE("the earliest cycle of a command follows from bank, group, channel and window") {
  DramTiming timing{TimingSet{}};
  CHECK(timing.earliest(ACT, 0) == 0);
  timing.issue(ACT, 0, 100);
  CHECK(timing.earliest(RD, 0) == 112);   // tRCD
  CHECK(timing.earliest(PRE, 0) == 128);  // tRAS
  CHECK(timing.earliest(ACT, 0) == 140);  // tRC
  CHECK(timing.earliest(ACT, 5) == 106);  // tRRD, another group
  timing.issue(RD, 0, 112);
  CHECK(timing.earliest(RD, 1) == 114);   // tCCDL: bank 1 is in group 0
  CHECK(timing.earliest(RD, 4) == 113);   // tCCDS
  CHECK(timing.earliest(WR, 4) == 123);   // nCL + nBL + gap 2 - nCWL = 11
  CHECK(timing.earliest(PRE, 0) == 128);  // tRAS is later than 112 + tRTP 2
  timing.issue(WR, 0, 130);
  CHECK(timing.earliest(RD, 4) == 140);   // nCWL 4 + nBL 1 + nWTR 5
  CHECK(timing.earliest(PRE, 0) == 147);  // nCWL 4 + nBL 1 + nWR 12
}

TEST_CASE("a fifth activate waits for the window of four") {
  TimingSet set;
  set.nFAW = 40;  // beyond 4 x tRRD, so that it binds
  DramTiming timing{set};
  for (int i = 0; i < 4; ++i) timing.issue(ACT, i * 4, static_cast<Cycle>(6 * i));  // 0, 6, 12, 18
  CHECK(timing.earliest(ACT, 1) == 40);
  timing.issue(ACT, 1, 40);
  CHECK(timing.earliest(ACT, 5) == 46);  // the window of 6, 12, 18, 40 ends at 46, as does tRRD
}

TEST_CASE("the checker accepts a legal sequence and names what an illegal one breaks") {
  DramChecker checker{TimingSet{}};
  CHECK(checker.check(ACT, 0, 7, 10) == "");
  CHECK(checker.check(RD, 0, 7, 22) == "");
  CHECK(checker.check(RD, 0, 7, 23) == "tCCDL: RD 1 cycles after RD, at least 2");
  CHECK(checker.check(WR, 0, 7, 30) == "tRTW: WR 7 cycles after RD, at least 11");
  CHECK(checker.check(RD, 0, 8, 60) == "RD of row 8 while row 7 is open");
  CHECK(checker.check(RD, 4, 8, 61) == "RD of row 8 while no row is open");
  CHECK(checker.check(ACT, 0, 9, 90) == "ACT while row 7 is open");
  CHECK(checker.check(PRE, 0, 9, 200) == "");
  CHECK(checker.check(PRE, 0, 9, 201) == "PRE while no row is open");
  CHECK(checker.check(ACT, 0, 9, 211) == "tRP: ACT 10 cycles after PRE, at least 12");
  CHECK(checker.check(ACT, 4, 1, 217) == "");
  CHECK(checker.check(ACT, 8, 1, 217) == "command bus: ACT in the cycle of another command");
  CHECK(checker.check(ACT, 99, 1, 300) == "bank 99 does not exist");
}

TEST_CASE("a dual command bus takes a row and a column command in one cycle") {
  TimingSet set;
  set.command_bus = CommandBus::dual;
  DramChecker checker{set};
  CHECK(checker.check(ACT, 0, 1, 0) == "");
  CHECK(checker.check(RD, 0, 1, 12) == "");
  CHECK(checker.check(ACT, 4, 1, 12) == "");
  CHECK(checker.check(ACT, 8, 1, 18) == "");
  CHECK(checker.check(PRE, 0, 1, 50) == "");
  CHECK(checker.check(PRE, 4, 1, 50) == "command bus: PRE in the cycle of another command");
}

TEST_CASE("a channel counts commands, bytes, bus cycles and open banks") {
  DramChannelCore core{DramChannelParams{}};
  core.execute(ACT, 0, 3, 0);
  core.execute(ACT, 4, 3, 6);
  CHECK(core.open_row(0) == 3);
  CHECK(core.execute(RD, 0, 3, 12) == 25);  // 12 + nCL 12 + nBL 1
  CHECK(core.execute(WR, 4, 3, 23) == 28);  // 23 + nCWL 4 + nBL 1
  core.execute(PRE, 0, 3, 40);              // bank 0 was open for 40 cycles
  core.execute(PRE, 4, 3, 46);              // bank 4 for 40
  core.execute(ACT, 0, 5, 60);
  core.settle(100);  // bank 0 again for 40
  const DramChannelStats& s = core.stats();
  CHECK(core.fault() == "");
  CHECK(s.commands == 7);
  CHECK(s.activates == 3);
  CHECK(s.precharges == 2);
  CHECK(s.read_bursts == 1);
  CHECK(s.write_bursts == 1);
  CHECK(s.bytes_read == 128);
  CHECK(s.bytes_written == 128);
  CHECK(s.data_bus_busy == 2);
  CHECK(s.bus_turnarounds == 1);
  CHECK(s.open_bank_cycles == 120);
  CHECK(s.any_open_cycles == 86);  // 0 to 46 and 60 to 100
  CHECK(s.open_now == 1);
  CHECK(s.cycles == 100);
  core.reset_stats(110);
  CHECK(core.stats().open_at_reset == 1);
  CHECK(core.stats().commands == 0);
  core.execute(PRE, 0, 5, 130);
  core.settle(150);
  CHECK(core.stats().open_bank_cycles == 20);
  CHECK(core.stats().cycles == 40);
}

TEST_CASE("an unchecked channel lets illegal commands pass, a checked one counts them") {
  DramChannelParams params;
  DramChannelCore checked{params};
  checked.execute(RD, 0, 0, 5);
  CHECK(checked.stats().illegal_commands == 1);
  params.check = false;
  DramChannelCore unchecked{params};
  unchecked.execute(RD, 0, 0, 5);
  CHECK(unchecked.fault() == "");
  CHECK(unchecked.stats().illegal_commands == 0);
}

TEST_CASE("memory reads as zero until written, across pages") {
  SparseMemory memory;
  const unsigned char bytes[6] = {1, 2, 3, 4, 5, 6};
  memory.write(4094, bytes, 6);
  unsigned char read[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  memory.read(4093, read, 8);
  const unsigned char expected[8] = {0, 1, 2, 3, 4, 5, 6, 0};
  CHECK(std::equal(read, read + 8, expected));
  CHECK(memory.pages() == 2);
  memory.read(1 << 20, read, 8);
  CHECK(std::all_of(read, read + 8, [](unsigned char b) { return b == 0; }));
  CHECK(memory.pages() == 2);  // reading makes no page
}

TEST_CASE("an impossible timing set is refused with every reason") {
  TimingSet set;
  CHECK(set.validate().empty());
  set.banks_per_group = 32;  // 4 x 32 banks
  set.nRC = 10;              // below tRAS
  set.row_bytes = Bytes(1000);
  CHECK(set.validate().size() == 3);
  DramChannelParams params;
  params.timing_set = "hbm_bl4";  // named but not loaded
  REQUIRE(params.validate().size() == 1);
  CHECK(params.validate()[0].where.file == "timing_set");
}
