#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "traces/ptx/ptx.h"

/// Small PTX kernels for tests.
namespace strata::traces::ptx_bench {

/// A kernel `k` with one pointer `out` in %d9 and the thread's number in %r9. Registers: %p0-9 predicates,
/// %h0-9 16, %r0-19 32 and %d0-19 64 bits.
inline std::string kernel(const std::string& body, const std::string& before = "",
                          const std::string& head = "") {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + head +
         ".visible .entry k(.param .u64 out)\n{\n" +
         ".reg .pred %p<10>;\n.reg .b16 %h<10>;\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n" + before +
         "ld.param.u64 %d9, [out];\nmov.u32 %r9, %tid.x;\n" + body + "\n}\n";
}

inline PtxLaunch launch(const std::string& text, unsigned threads, Address out, unsigned blocks = 1) {
  PtxLaunch l;
  l.program = PtxProgram::parse(text, "test.ptx");
  l.kernel = "k";
  l.grid.x = blocks;
  l.block.x = threads;
  l.arguments = {out};
  return l;
}

/// Run `text` with `threads` threads; each of `words` 32-bit words of `out` starts as 0.
inline std::vector<std::uint32_t> run(const std::string& text, unsigned threads, std::size_t words,
                                      const PtxOptions& options = {}, unsigned blocks = 1) {
  GlobalMemory memory;
  const Address out = memory.upload(std::vector<std::uint32_t>(words), "out");
  execute(launch(text, threads, out, blocks), memory, options);
  return memory.load<std::uint32_t>(out, words);
}

/// What thread t computes in %r0 (the code may use %r9 = t).
inline std::vector<std::uint32_t> per_thread(const std::string& code, unsigned threads = 32) {
  return run(
      kernel(code + "\nmul.wide.u32 %d8, %r9, 4;\nadd.s64 %d8, %d9, %d8;\nst.global.b32 [%d8], %r0;\nret;"),
      threads, threads);
}
/// %r0 of lane 0.
inline std::uint32_t word(const std::string& code) {
  return per_thread(code)[0];
}
/// %d0 of lane 0.
inline std::uint64_t wide(const std::string& code) {
  const auto r = run(kernel(code + "\nst.global.b64 [%d9], %d0;\nret;"), 1, 2);
  return std::uint64_t{r[1]} << 32 | r[0];
}
/// %h0 of lane 0.
inline std::uint32_t half(const std::string& code) {
  return word(code + "\ncvt.u32.u16 %r0, %h0;");
}

}  // namespace strata::traces::ptx_bench
