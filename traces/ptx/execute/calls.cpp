#include "traces/ptx/execute/calls.h"

#include <cstring>

#include "traces/ptx/execute/lane_stack.h"
#include "traces/ptx/execute/machine.h"

namespace strata::traces::ptx {
namespace {

constexpr std::size_t deepest = 4096;

std::uint64_t* frame_of(const Warp& w) {
  return row_of<std::uint64_t>(w, w.cta->kernel->frame_row);
}
std::uint64_t* top_of(const Warp& w) {
  return row_of<std::uint64_t>(w, w.cta->kernel->top_row);
}

void check_top(const Warp& w, const Op* op, int lane, std::uint64_t top) {
  const DecodedKernel& kernel = *w.cta->kernel;
  if (top < kernel.stack_begin || top > kernel.local_bytes)
    fault(w, op, lane, "the stack of a thread overflows: bytes", top - kernel.stack_begin, true);
}

/// The lanes that run call a function; they go on at `back`.
const Op* enter(Warp& w, const Op* op, std::uint32_t number, std::uint32_t back) {
  const Body& body = w.cta->kernel->bodies[number];
  auto& calls = w.stack->calls;
  if (calls.size() >= deepest)
    fault(w, op, __builtin_ctz(w.mask), "calls nested too deep:", calls.size(), true);
  push_lanes(w, w.mask, back, w.join);
  calls.emplace_back();
  CallFrame& call = calls.back();
  call.depth = w.stack->entries.size();
  call.body = number;
  std::uint64_t *frame = frame_of(w), *top = top_of(w);
  std::memcpy(call.frame, frame, sizeof(call.frame));
  std::memcpy(call.top, top, sizeof(call.top));
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    frame[i] = top[i];
    top[i] += body.frame_bytes;
    check_top(w, op, i, top[i]);
  }
  bool again = false;
  for (std::size_t n = 0; n + 1 < calls.size(); ++n) again = again || calls[n].body == number;
  if (again) {
    const std::uint8_t* first = row(w, body.first_row);
    call.registers.assign(first, first + (body.rows_end - body.first_row));
  }
  w.join = no_op;
  return w.code + body.entry;
}

}  // namespace

const Op* do_call(Warp& w, const Op* op) {
  end_of_block(w, op);
  return enter(w, op, static_cast<std::uint32_t>(op->offset), static_cast<std::uint32_t>(op + 1 - w.code));
}

/// Lanes that call one function go together, set by set; all meet behind the call.
const Op* do_call_pointer(Warp& w, const Op* op) {
  end_of_block(w, op);
  const auto& kernel = *w.cta->kernel;
  const auto* pointer = row_of<std::uint64_t>(w, op->a);
  const auto here = static_cast<std::uint32_t>(op - w.code), back = here + 1;
  const std::uint64_t target = pointer[__builtin_ctz(w.mask)];
  std::uint32_t same = 0;
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1)
    if (pointer[__builtin_ctz(left)] == target) same |= left & (~left + 1);
  std::uint32_t number = 0;
  while (number < kernel.bodies.size() &&
         function_address(static_cast<std::uint64_t>(kernel.bodies[number].function -
                                                     kernel.module->functions.data())) != target)
    ++number;
  if (number == kernel.bodies.size()) fault(w, op, __builtin_ctz(w.mask), "no function at", target, true);
  const std::uint32_t rest = w.mask & ~same;
  if (rest != 0) {
    if (w.join != back) {
      push_lanes(w, w.mask, back, w.join);
      w.join = back;
    }
    push_lanes(w, rest, here, back);
    change_lanes(w, same);
  }
  return enter(w, op, number, back);
}

const Op* do_return(Warp& w, const Op* op) {
  end_of_block(w, op);
  return pop_lanes(w);
}

void end_call(Warp& w) {
  const CallFrame& call = w.stack->calls.back();
  if (w.split) {  // others are elsewhere, and may be in calls of theirs
    for (std::uint32_t left = w.alive; left != 0; left &= left - 1) {
      const int i = __builtin_ctz(left);
      frame_of(w)[i] = call.frame[i];
      top_of(w)[i] = call.top[i];
    }
  } else {
    std::memcpy(frame_of(w), call.frame, sizeof(call.frame));
    std::memcpy(top_of(w), call.top, sizeof(call.top));
  }
  if (!call.registers.empty())
    std::memcpy(row(w, w.cta->kernel->bodies[call.body].first_row), call.registers.data(),
                call.registers.size());
  w.stack->calls.pop_back();
}

const Op* do_alloca(Warp& w, const Op* op) {
  const auto* bytes = row_of<std::uint64_t>(w, op->a);
  auto *d = row_of<std::uint64_t>(w, op->d), *top = top_of(w);
  const auto align = static_cast<std::uint64_t>(op->offset);
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const std::uint64_t at = (top[i] + align - 1) / align * align;
    if (bytes[i] > w.cta->kernel->local_bytes) check_top(w, op, i, at + bytes[i]);
    top[i] = (at + bytes[i] + 15) / 16 * 16;
    d[i] = at;
    check_top(w, op, i, top[i]);
  }
  return op + 1;
}
const Op* do_stack_save(Warp& w, const Op* op) {
  auto *d = row_of<std::uint64_t>(w, op->d), *top = top_of(w);
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1)
    d[__builtin_ctz(left)] = top[__builtin_ctz(left)];
  return op + 1;
}
const Op* do_stack_restore(Warp& w, const Op* op) {
  auto *a = row_of<std::uint64_t>(w, op->a), *top = top_of(w);
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    check_top(w, op, i, a[i]);
    top[i] = a[i];
  }
  return op + 1;
}

}  // namespace strata::traces::ptx
