#pragma once

#include <cstdint>
#include <string_view>

namespace strata::traces {

/// Effect of an instruction besides its issue slot and execution unit.
enum class Effect : std::uint8_t {
  traffic,  ///< moves bytes: modelled
  order,    ///< makes warps wait for copies or for each other: modelled
  neither,
  ignored,  ///< moves bytes or orders, but is not modelled: see `reason`
  refused,  ///< programs with it do not run
};

struct InstructionEffect {
  Effect effect;
  std::string_view reason = {};  ///< of `ignored`: what is missing, and the consequence
};

/// Reasons that SASS and PTX share.
namespace effects {
inline constexpr std::string_view fences =
    "fences: a warp does not wait until its stores are seen, so a kernel with many may be too fast";
inline constexpr std::string_view product_order =
    "order of asynchronous products of matrices: the next instruction does not wait for them";
/// Reasons that depend on the operands of a bulk copy, not on its opcode.
inline constexpr std::string_view reports_elsewhere =
    "bulk copies that report to a barrier of another thread block: it does not wait for them, so a kernel "
    "may "
    "be too fast";
inline constexpr std::string_view multicasts =
    "multicast bulk copies of traces: they land in the thread block that copies, and other blocks of the "
    "cluster "
    "do not wait for them";
inline constexpr std::string_view constants =
    "loads of constants: they are taken to hit, so the traffic of their misses is missing";
inline constexpr std::string_view pauses = "pauses of a warp: they take no time here";
inline constexpr std::string_view launches =
    "launches of a dependent kernel before the end of this one: kernels of a stream do not overlap";

constexpr InstructionEffect order{Effect::order};
constexpr InstructionEffect neither{Effect::neither};
constexpr InstructionEffect ignored(std::string_view reason) {
  return {Effect::ignored, reason};
}
}  // namespace effects

}  // namespace strata::traces
