#pragma once

#include <string_view>
#include <vector>

#include "traces/instruction_effect.h"
#include "traces/ptx/text/module.h"

namespace strata::traces::ptx {

struct PtxOpcode {
  std::string_view name;  ///< up to the first dot
  InstructionEffect effect;
};

/// All instructions of the PTX ISA 9.0 (NVIDIA, "Parallel Thread Execution ISA", chapter "Instruction Set"),
/// sorted by name.
const std::vector<PtxOpcode>& ptx_opcodes();

/// Which part of an instruction's effect on time or traffic is not modelled; empty: none.
std::string_view gap_of(const Instruction& instruction);

}  // namespace strata::traces::ptx
