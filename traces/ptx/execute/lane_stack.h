#pragma once

#include "traces/ptx/execute/warp.h"

/// Sets of lanes that wait, for operations that split and join them.
namespace strata::traces::ptx {

/// Count the block whose last operation this is.
void end_of_block(Warp& w, const Op* op);
void push_lanes(Warp& w, std::uint32_t mask, std::uint32_t pc, std::uint32_t join);
/// Those that run from here on.
void change_lanes(Warp& w, std::uint32_t mask);
/// The lanes that waited last go on; nullptr: none is left.
const Op* pop_lanes(Warp& w);

}  // namespace strata::traces::ptx
