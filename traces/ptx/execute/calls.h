#pragma once

#include <cstdint>
#include <vector>

#include "traces/ptx/execute/warp.h"

/// Functions that are called, not inlined.
namespace strata::traces::ptx {

/// A call of a warp that has not returned.
struct CallFrame {
  std::size_t depth = 0;  ///< of the stack of lanes with those who come back
  std::uint64_t frame[32], top[32];
  std::uint32_t body = 0;
  std::vector<std::uint8_t> registers;  ///< what the function's registers held, of a call of itself
};

const Op* do_call(Warp& w, const Op* op);
const Op* do_call_pointer(Warp& w, const Op* op);
const Op* do_return(Warp& w, const Op* op);
const Op* do_alloca(Warp& w, const Op* op);
const Op* do_stack_save(Warp& w, const Op* op);
const Op* do_stack_restore(Warp& w, const Op* op);
/// The call whose lanes were just taken from the stack is over.
void end_call(Warp& w);

}  // namespace strata::traces::ptx
