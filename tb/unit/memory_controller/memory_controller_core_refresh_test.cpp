// Refresh, the adaptive page policy and atomics of the controller's core, in hand-worked cycles.
#include <algorithm>
#include <random>

#include "tb/support/catch.h"
#include "tb/support/controller_log.h"

using namespace strata;
using tb::Log;
using tb::request;
using tb::run;
using tb::run_and_catch_up;

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
  // Up to two are owed: nobody waits any more once #9 owns the bank. The refreshes of 320 and 640 follow it,
  // the second tRFC 35 after the first.
  CHECK(tail_of(2, delay) == Log{"633 RD b0 #8", "649 PRE b0 #9", "661 ACT b0 #9", "673 RD b0 #9",
                                 "689 PRE b0", "701 REFab b0", "736 REFab b0"});
  CHECK(delay == (701 - 320) + (736 - 640));
  // Up to one: with the second, in 640, both are made up for before #9 may begin.
  CHECK(tail_of(1, delay) ==
        Log{"633 RD b0 #8", "649 PRE b0", "661 REFab b0", "696 REFab b0", "731 ACT b0 #9", "743 RD b0 #9"});
  CHECK(delay == (661 - 320) + (696 - 640));
}
