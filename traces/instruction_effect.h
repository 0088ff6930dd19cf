#pragma once

#include <cstdint>
#include <string_view>

namespace strata::traces {

/// What an instruction does beside taking its issue slot and its unit.
enum class Effect : std::uint8_t {
  traffic,  ///< moves bytes: modelled
  order,    ///< makes warps wait for copies or for each other: modelled
  neither,
  ignored,  ///< moves bytes or orders, and is not modelled: see `reason`
  refused,  ///< a program that has it does not run
};

struct InstructionEffect {
  Effect effect;
  std::string_view reason = {};  ///< of `ignored`: what is missing and what that can change
};

}  // namespace strata::traces
