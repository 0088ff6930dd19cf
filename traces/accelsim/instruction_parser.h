#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "traces/accelsim/kernel_header.h"
#include "traces/accelsim/scanner.h"

namespace strata::traces {

/// Turns instruction lines into instructions. Layouts and rules: docs/trace-formats.md.
class InstructionParser {
 public:
  explicit InstructionParser(const KernelHeader& header) : header_(header) {}

  struct Failure {
    std::string message;  ///< empty = no fault
    int column = 0;
  };
  /// Append the instruction of `line`, and its listed addresses to `cta.addresses`. False: see `failure`.
  bool parse(std::string_view line, CtaTrace& cta, Failure& failure) {
    Scanner scanner(line);
    if (read_line(scanner, cta)) return true;
    explain(scanner, failure);
    return false;
  }

 private:
  struct Known {
    std::string text;
    Opcode opcode;
  };

  bool read_line(Scanner& in, CtaTrace& cta);
  bool read_prefix(Scanner& in);
  bool read_registers(Scanner& in, WarpInstruction& out);
  bool read_opcode(Scanner& in);
  bool read_memory(Scanner& in, WarpInstruction& out, CtaTrace& cta);
  bool read_addresses(Scanner& in, WarpInstruction& out);
  void classify(WarpInstruction& out, CtaTrace& cta);
  void explain(const Scanner& in, Failure& failure) const;

  const KernelHeader& header_;
  std::array<Known, 256> known_;    ///< opcode texts seen, by hash
  const Opcode* opcode_ = nullptr;  ///< of the present line
  std::string unknown_opcode_;
  std::array<Address, 32> lanes_;  ///< addresses of the present line's active lanes
};

}  // namespace strata::traces
