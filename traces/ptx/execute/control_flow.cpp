// Control flow, and faults: compiled once.
#include <cstring>

#include "models/common/faults.h"
#include "traces/ptx/execute/lane_stack.h"
#include "traces/ptx/execute/machine.h"
#include "traces/ptx/execute/path.h"

namespace strata::traces::ptx {
namespace {

std::uint32_t guard_lanes(const Warp& w, const Op* op) {
  if (op->guard == no_row) return w.mask;
  const std::uint32_t p = *row_of<std::uint32_t>(w, op->guard);
  return ((op->flags & negate_guard) != 0 ? ~p : p) & w.mask;
}

/// Go on at `to`; a warp whose turn is over stops there, where the way leads back or its turn was a short
/// one.
const Op* go(Warp& w, const Op* to, const Op* from) {
  if (w.budget > 0 || (to > from && w.short_turns == 0)) return to;
  w.next = to;
  w.stopped = true;
  return nullptr;
}

}  // namespace

void set_mask(Warp& w, std::uint32_t mask) {
  if (mask == w.mask) return;
  w.mask = mask;
  w.lanes = lanes_in(mask);
  typedef std::int32_t Four __attribute__((vector_size(16)));
  Four bits = {1, 2, 4, 8};
  const auto all = static_cast<std::int32_t>(mask);
  for (int i = 0; i < 32; i += 4, bits <<= 4) {
    const Four active = (bits & all) != 0;
    std::memcpy(w.lane_mask + i, &active, sizeof active);
  }
}

void end_of_block(Warp& w, const Op* op) {
  w.recorded += op->recorded;
  w.recorded_threads += std::uint64_t{op->recorded} * w.lanes;
  if (w.record) note_block(w, op);
  w.executed += op->executed;
  w.executed_threads += std::uint64_t{op->executed} * w.lanes;
  w.since_barrier += op->executed;
  w.budget = w.budget > op->executed ? w.budget - op->executed : 0;
  if (op->gaps != 0) w.cta->machine->count_gaps(op->gaps);
}
void change_lanes(Warp& w, std::uint32_t mask) {
  if (w.record) end_run(w);
  set_mask(w, mask);
  w.block_mask = mask;
}
void push_lanes(Warp& w, std::uint32_t mask, std::uint32_t pc, std::uint32_t join) {
  w.stack->entries.push_back({mask, pc, join});
}
const Op* pop_lanes(Warp& w) {
  auto& stack = w.stack->entries;
  while (!stack.empty()) {
    const WaitingLanes top = stack.back();
    stack.pop_back();
    if (!w.stack->calls.empty() && stack.size() < w.stack->calls.back().depth) end_call(w);
    if ((top.mask & w.alive) == 0) continue;
    w.join = top.join;
    change_lanes(w, top.mask & w.alive);
    if (w.split && !w.pass) {
      const std::uint32_t others = top.mask & lanes_elsewhere(w);
      if (others != 0) return park_lanes(w, w.code + top.pc, LanesApart::Why::joins, others);
    }
    w.pass = false;
    return w.code + top.pc;
  }
  if (w.record) end_run(w);
  w.state = Warp::State::done;
  return w.stack->apart.empty() ? nullptr : go_on_apart(w);
}

const Op* do_nothing(Warp&, const Op* op) {
  return op + 1;
}
const Op* do_emit(Warp&, const Op* op) {
  return op + 1;
}

const Op* do_jump(Warp& w, const Op* op) {
  end_of_block(w, op);
  return go(w, w.code + op->target, op);
}

const Op* do_branch(Warp& w, const Op* op) {
  end_of_block(w, op);
  const std::uint32_t taken = guard_lanes(w, op), rest = w.mask & ~taken;
  if (taken == 0) return op + 1;
  if (rest == 0) return go(w, w.code + op->target, op);
  const auto after = static_cast<std::uint32_t>(op + 1 - w.code);
  if (op->join != w.join && op->join != no_op) push_lanes(w, w.mask, op->join, w.join);
  const std::uint32_t join = op->join;
  if (join == no_op) {  // the two sides never meet again: each runs to its end
    push_lanes(w, rest, after, w.join);
    change_lanes(w, taken);
    return go(w, w.code + op->target, op);
  }
  w.join = join;
  if (op->target == join) {
    change_lanes(w, rest);
    return go(w, op + 1, op);
  }
  if (after != join) push_lanes(w, rest, after, join);
  change_lanes(w, taken);
  return go(w, w.code + op->target, op);
}

const Op* do_indirect(Warp& w, const Op* op) {
  end_of_block(w, op);
  const auto* index = row_of<std::uint32_t>(w, op->a);
  const std::uint32_t join = op->join;
  const std::uint32_t all = w.mask;
  if (join != no_op && join != w.join) push_lanes(w, all, join, w.join);
  const std::uint32_t inner = join != no_op ? join : w.join;
  for (std::uint32_t left = all; left != 0;) {
    const int lane = __builtin_ctz(left);
    const std::uint32_t choice = index[lane];
    if (choice >= static_cast<std::uint64_t>(op->offset))
      fault(w, op, lane, "brx.idx past the end of its list: index", choice, true);
    std::uint32_t same = 0;
    for (int i = 0; i < 32; ++i)
      if ((left >> i & 1) != 0 && index[i] == choice) same |= 1u << i;
    left &= ~same;
    if (op->rows[choice] != join) push_lanes(w, same, op->rows[choice], inner);
  }
  return pop_lanes(w);
}

const Op* do_join(Warp& w, const Op* op) {
  const auto here = static_cast<std::uint32_t>(op - w.code);
  if (w.join != here) return op + 1;
  return pop_lanes(w);
}

const Op* do_exit(Warp& w, const Op* op) {
  const std::uint32_t leaving = guard_lanes(w, op);
  if (leaving != 0) note_exit(w, op, leaving);
  end_of_block(w, op);
  if (leaving == 0) return op + 1;
  w.alive &= ~leaving;
  const std::uint32_t rest = w.mask & ~leaving;
  if (rest == 0) return pop_lanes(w);
  change_lanes(w, rest);
  return op + 1;
}

const Op* do_guard(Warp& w, const Op* op) {
  const std::uint32_t lanes = guard_lanes(w, op);
  if (lanes == w.mask) return op->inner(w, op);
  if (lanes == 0) return op + 1;
  const std::uint32_t all = w.mask;
  set_mask(w, lanes);
  const Op* next = op->inner(w, op);
  set_mask(w, all);
  return next;
}

const Op* do_trap(Warp& w, const Op* op) {
  fault(w, op, __builtin_ctz(w.mask), "trap");
}

namespace {

/// Up to what is wrong there.
std::string beginning(const Warp& w, const Op* op, int lane) {
  const CtaState& cta = *w.cta;
  const Instruction& i = *cta.kernel->code[op->pc];
  const std::uint32_t thread = w.index * 32 + static_cast<std::uint32_t>(lane < 0 ? 0 : lane);
  const auto triple = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
  };
  std::string text = "kernel " + cta.kernel->function->name + ", thread block " +
                     triple(cta.index.x, cta.index.y, cta.index.z) + ", " +
                     (lane < 0 ? "warp " + std::to_string(w.index)
                               : "thread " + triple(thread % cta.block.x, thread / cta.block.x % cta.block.y,
                                                    thread / cta.block.x / cta.block.y)) +
                     ", PC " + std::to_string(op->pc * 16);
  if (i.source_line != 0) {
    const auto file = cta.kernel->module->files.find(i.source_file);
    text += ", " + (file == cta.kernel->module->files.end() ? std::string("source") : file->second) + ":" +
            std::to_string(i.source_line);
  }
  return text + ": " + i.spelling();
}

Fault described(const Warp& w, const Op* op, int lane, const char* message, std::uint64_t value,
                bool with_value) {
  const CtaState& cta = *w.cta;
  const Instruction& i = *cta.kernel->code[op->pc];
  std::string text = beginning(w, op, lane) + ": " + message;
  if (with_value) {
    static const char digits[] = "0123456789abcdef";
    std::string hex;
    for (std::uint64_t v = value; v != 0 || hex.empty(); v >>= 4) hex.insert(hex.begin(), digits[v & 15]);
    text += value < 65536 ? " " + std::to_string(value) : " 0x" + hex;
  }
  return Fault{{cta.kernel->module->path, i.line, 0}, text};
}

}  // namespace

std::string place_of(const Warp& w, const Op* op, int lane) {
  const CtaState& cta = *w.cta;
  return cta.kernel->module->path + ":" + std::to_string(cta.kernel->code[op->pc]->line) + ": " +
         beginning(w, op, lane);
}

void fault(const Warp& w, const Op* op, int lane, const char* message, std::uint64_t value, bool with_value) {
  throw TraceError(described(w, op, lane, message, value, with_value));
}

void complain(Warp& w, const Op* op, int lane, const char* message, std::uint64_t address) {
  using Memcheck = PtxOptions::Memcheck;
  if (w.cta->memcheck == Memcheck::off) return;
  if (w.cta->memcheck == Memcheck::strict) fault(w, op, lane, message, address, true);
  Machine& machine = *w.cta->machine;
  if (!machine.options_.report || !machine.reported_->insert({op - w.code, message}).second) return;
  machine.options_.report(TraceError(described(w, op, lane, message, address, true)).what());
}

}  // namespace strata::traces::ptx
