// Loads and stores of warps whose lanes lie a stride apart, and of those whose lanes do not.
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "traces/ptx/ptx.h"

using namespace strata;
using namespace strata::traces;

namespace {

/// Lane t of one warp reads the word at in + first + t * stride, and writes it to out + t * out_stride;
/// twice, since the second time more is known of the memory.
std::string copy_kernel(const std::string& address, const std::string& load, const std::string& store) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) "
         "{\n"
         ".reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.shared .align 4 .b8 s[1024];\n"
         "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, 0;\nL:\n" +
         address + "\n" + load + "\n" + store +
         "\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 2;\n@%p1 bra L;\nret;\n}\n";
}
const std::string dense_store =
    "mul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd5, %rd2, %rd5;\nst.global.u32 [%rd5], %r2;";

struct Outcome {
  std::vector<std::uint32_t> out;
  std::string fault;
  CtaTrace trace;
};

Outcome run(const std::string& text, std::vector<std::uint32_t> in, std::size_t unset_words = 0) {
  Outcome outcome;
  GlobalMemory memory;
  const std::size_t words = in.size() + unset_words;
  const Address from = memory.allocate(words * 4, "in"), to = memory.allocate(256 * 4, "out");
  if (!in.empty()) memory.store(from, in);
  PtxLaunch launch;
  launch.program = PtxProgram::parse(text, "rows");
  launch.kernel = "k";
  launch.block.x = 32;
  launch.arguments = {PtxArgument(from), PtxArgument(to)};
  try {
    execute(launch, memory);
    outcome.out = memory.load<std::uint32_t>(to, 256);
  } catch (const TraceError& error) {
    outcome.fault = error.what();
  }
  return outcome;
}

std::vector<std::uint32_t> counted(std::size_t words) {
  std::vector<std::uint32_t> values;
  for (std::size_t n = 0; n < words; ++n) values.push_back(static_cast<std::uint32_t>(1000 + n));
  return values;
}
std::string at_stride(int stride, int first) {
  return "mul.wide.s32 %rd4, %r1, " + std::to_string(stride) + ";\nadd.s64 %rd4, %rd4, " +
         std::to_string(first) + ";\nadd.u64 %rd4, %rd1, %rd4;";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("ptx: lanes load at any stride from device memory, also by generic addresses") {
  for (const int stride : {0, 4, 8, 12, 64, -4, -8})
    for (const char* load : {"ld.global.u32 %r2, [%rd4];", "ld.u32 %r2, [%rd4];"}) {
      const int first = stride < 0 ? -31 * stride : 0;
      const Outcome r = run(copy_kernel(at_stride(stride, first), load, dense_store), counted(512));
      REQUIRE(r.fault.empty());
      for (int t = 0; t < 32; ++t)
        CHECK(r.out[static_cast<std::size_t>(t)] ==
              static_cast<std::uint32_t>(1000 + (first + t * stride) / 4));
    }
}

TEST_CASE("ptx: lanes that lie anywhere load and store what is theirs") {
  // Lane t reads word t * t mod 61; lanes 0 to 8 only, then all.
  const std::string address =
      "mul.lo.u32 %r4, %r1, %r1;\nrem.u32 %r4, %r4, 61;\nmul.wide.u32 %rd4, %r4, 4;\nadd.u64 %rd6, %rd2, "
      "%rd4;\n"
      "add.u64 %rd4, %rd1, %rd4;\nmul.lo.u32 %r5, %r3, 32;\nadd.u32 %r5, %r5, 9;\nsetp.lt.u32 %p1, %r1, %r5;";
  const Outcome r =
      run(copy_kernel(address, "@%p1 ld.global.u32 %r2, [%rd4];", "@%p1 st.global.u32 [%rd6], %r2;"),
          counted(64));
  REQUIRE(r.fault.empty());
  for (unsigned t = 0; t < 32; ++t) CHECK(r.out[t * t % 61] == 1000 + t * t % 61);
}

TEST_CASE("ptx: of lanes that store to one word the last one wins") {
  const Outcome r = run(copy_kernel("", "mov.u32 %r2, %r1;", "st.global.u32 [%rd2+8], %r2;"), counted(1));
  REQUIRE(r.fault.empty());
  CHECK(r.out[2] == 31);
}

TEST_CASE("ptx: rows of shared memory, by its own and by generic addresses") {
  // Lane t writes 3 t to word 2 t + 1, and reads word 2 (31 - t) + 1: 3 (31 - t).
  const std::string
      own =
          "mul.lo.u32 %r4, %r1, 8;\nmov.u32 %r5, s;\nadd.u32 %r4, %r4, %r5;\nmul.lo.u32 %r6, %r1, 3;\n"
          "st.shared.u32 [%r4+4], %r6;\nmul.lo.s32 %r7, %r1, -8;\nadd.u32 %r7, %r7, %r5;",
      generic =
          "mul.wide.u32 %rd4, %r1, 8;\nmov.u64 %rd6, s;\ncvta.shared.u64 %rd6, %rd6;\n"
          "add.u64 %rd4, %rd4, %rd6;\nmul.lo.u32 %r6, %r1, 3;\nst.u32 [%rd4+4], %r6;\n"
          "mul.wide.s32 %rd7, %r1, -8;\nadd.s64 %rd7, %rd7, %rd6;";
  for (const Outcome& r : {run(copy_kernel(own, "ld.shared.u32 %r2, [%r7+252];", dense_store), counted(1)),
                           run(copy_kernel(generic, "ld.u32 %r2, [%rd7+252];", dense_store), counted(1))}) {
    CHECK(r.fault.empty());
    REQUIRE(!r.out.empty());
    for (unsigned t = 0; t < 32; ++t) CHECK(r.out[t] == 3 * (31 - t));
  }
}

TEST_CASE("ptx: the lane of a row that leaves its memory, or is not aligned, is named") {
  const auto fault = [](const std::string& address) {
    return run(copy_kernel(address, "ld.global.u32 %r2, [%rd4];", dense_store), counted(64)).fault;
  };
  CHECK(contains(fault(at_stride(12, 0)), "thread (22,0,0)"));  // 22 * 12 = 264 > 252
  CHECK(contains(fault(at_stride(-4, 120)), "thread (31,0,0)"));
  CHECK(contains(fault(at_stride(4, 2)), "misaligned"));
  CHECK(contains(fault(at_stride(6, 0)), "thread (1,0,0)"));
  // The first turn of the loop is inside, so that the memory is known; the second is not.
  CHECK(contains(fault("mul.lo.u32 %r4, %r3, 132;\nmad.lo.u32 %r4, %r1, 4, %r4;\ncvt.u64.u32 %rd4, %r4;\n"
                       "add.u64 %rd4, %rd1, %rd4;"),
                 "thread (31,0,0)"));  // 31 * 4 + 132 = 256
}

TEST_CASE("ptx: a read of an unwritten row names the first lane, and rows write their words") {
  // Words 0 to 19 are there.
  CHECK(contains(
      run(copy_kernel(at_stride(4, 0), "ld.global.u32 %r2, [%rd4];", dense_store), counted(20), 44).fault,
      "thread (20,0,0)"));
  CHECK(contains(
      run(copy_kernel(at_stride(8, 0), "ld.global.u32 %r2, [%rd4];", dense_store), counted(20), 44).fault,
      "thread (10,0,0)"));
  // A row of words 2 apart is written and read again; the word between was not.
  const std::string write =
      "mul.wide.u32 %rd4, %r1, 8;\nadd.u64 %rd4, %rd1, %rd4;\nst.global.u32 [%rd4], %r1;";
  const Outcome r = run(copy_kernel(write, "ld.global.u32 %r2, [%rd4];", dense_store), {}, 64);
  REQUIRE(r.fault.empty());
  CHECK(r.out[31] == 31);
  CHECK(contains(run(copy_kernel(write, "ld.global.u32 %r2, [%rd4+4];", dense_store), {}, 65).fault,
                 "thread (0,0,0)"));
}
