#pragma once

#include <string>
#include <vector>

#include "traces/ptx/read_only_report.h"

/// Kernels with several pointers, and what the read-only analysis says of them.
namespace strata::traces::ptx_bench {

/// Kernel `k` with pointers a, b and c in %d0, %d1 and %d2, converted to global addresses, a number n of 64
/// bits in %d3, the thread's number in %r9 and four times it in %d9. `head` stands before the kernel.
inline std::string pointers(const std::string& body, const std::string& head = "", bool convert = true) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n" + head +
                     ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 n)\n{\n"
                     ".reg .pred %p<10>;\n.reg .b32 %r<20>;\n.reg .b64 %d<30>;\n";
  const char* const names[] = {"a", "b", "c", "n"};
  for (int i = 0; i < 4; ++i) text += "ld.param.u64 %d" + std::to_string(i) + ", [" + names[i] + "];\n";
  for (int i = 0; i < 3 && convert; ++i)
    text += "cvta.to.global.u64 %d" + std::to_string(i) + ", %d" + std::to_string(i) + ";\n";
  return text + "mov.u32 %r9, %tid.x;\nmul.wide.u32 %d9, %r9, 4;\n" + body + "\nret;\n}\n";
}

/// "a b- ": pointers of the first kernel in order, `-` behind those that are not read-only.
inline std::string verdict(const std::string& text) {
  const auto reports = analyse_read_only(*PtxProgram::parse(text, "test.ptx"));
  std::string words;
  for (const PointerReport& p : reports.front().pointers)
    words += (words.empty() ? "" : " ") + p.name + (p.read_only ? "" : "-");
  return words;
}
inline PointerReport report_of(const std::string& text, const std::string& name) {
  for (const KernelReport& kernel : analyse_read_only(*PtxProgram::parse(text, "test.ptx")))
    for (const PointerReport& p : kernel.pointers)
      if (p.name == name) return p;
  return {};
}

}  // namespace strata::traces::ptx_bench
