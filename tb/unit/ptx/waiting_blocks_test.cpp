// Warps and thread blocks that wait for each other.
#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"

using namespace strata;
using namespace strata::traces;
using namespace strata::traces::ptx_bench;

TEST_CASE("ptx: warps leave a barrier together where they are asked to") {
  // Each warp reads what the first thread wrote before a barrier; then the first thread writes again, without
  // one.
  const std::string race = kernel(
      "setp.ne.u32 %p1, %r9, 0;\nmov.u32 %r1, 7;\n@%p1 bra A;\nst.shared.u32 [s], %r1;\nA: bar.sync "
      "0;\nld.shared.u32 %r0, [s];\nmov.u32 %r1, 8;\n@%p1 bra B;\nst.shared.u32 [s], %r1;\nB: "
      "mul.wide.u32 %d8, %r9, 4;\nadd.s64 %d8, %d9, %d8;\nst.global.b32 [%d8], %r0;\nret;",
      ".shared .align 4 .b8 s[4];\n");
  PtxOptions options;
  CHECK(run(race, 128, 128, options)[127] == 8);  // the first warp has run to its end
  options.turns_after_barrier = 1;
  const auto r = run(race, 128, 128, options);
  for (unsigned t = 0; t < 128; ++t) CHECK(r[t] == 7);
}

TEST_CASE("ptx: a thread block that waits for one behind it goes on in turns with those") {
  // Block b waits until word 63 holds b + 1 blocks fewer than there are, which the blocks behind it have
  // counted.
  const auto turn = [](const char* wanted) {
    return kernel(
        "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %nctaid.x;\nsub.u32 %r3, %r2, %r1;\nadd.u32 %r3, %r3, " +
        std::string(wanted) +
        ";\nL: ld.volatile.global.u32 %r0, [%d9+252];\nsetp.ne.u32 %p1, %r0, %r3;\n@%p1 bra "
        "L;\nbar.sync 0;\nsetp.ne.u32 %p2, %r9, 0;\n@%p2 bra E;\nmul.wide.u32 %d8, %r1, 4;\nadd.s64 %d8, "
        "%d9, "
        "%d8;\nst.global.b32 [%d8], %r0;\nadd.u32 %r0, %r0, 1;\nst.volatile.global.u32 [%d9+252], "
        "%r0;\nE: ret;");
  };
  const auto r = run(turn("-1"), 64, 64, {}, 12);
  for (unsigned block = 0; block < 12; ++block) CHECK(r[block] == 11 - block);
  CHECK(r[63] == 12);
  CHECK_THROWS_WITH(run(turn("0"), 64, 64, {}, 12),
                    tb::has_text("all thread blocks of the launch wait for each other"));
}

TEST_CASE("ptx: thread blocks that meet at a barrier of the whole grid, made by hand") {
  // Five rounds: each block counts itself and waits for the others; word 62 sums what it sees at once, 5 x 30
  // x 30.
  const auto r =
      run(kernel("mov.u32 %r1, 0;\nmov.u32 %r2, %nctaid.x;\nmov.u32 %r3, 0;\nsetp.ne.u32 %p3, %r9, 0;\nR: "
                 "add.u32 %r3, %r3, "
                 "%r2;\nbar.sync 0;\n@%p3 bra S;\nmembar.gl;\nred.global.add.u32 [%d9+252], 1;\nL: "
                 "ld.volatile.global.u32 %r0, [%d9+252];\nsetp.lt.u32 %p1, %r0, %r3;\n@%p1 bra "
                 "L;\nred.global.add.u32 "
                 "[%d9+248], %r2;\nS: bar.sync 0;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 5;\n@%p2 bra "
                 "R;\nret;"),
          128, 64, {}, 30);
  CHECK(r[63] == 5 * 30);
  CHECK(r[62] == 5 * 30 * 30);
}
