#pragma once

#include <string_view>
#include <vector>

#include "traces/accelsim/opcode_rows.h"
#include "traces/instruction_effect.h"

namespace strata::traces {

/// Of a row of the table of opcodes.
InstructionEffect effect_of(const opcodes::OpcodeRow& row);
/// Opcodes whose effect does not follow from their class, for a test that the list has no other names.
std::vector<std::string_view> opcodes_with_own_effect();

}  // namespace strata::traces
