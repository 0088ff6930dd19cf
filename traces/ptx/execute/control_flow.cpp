// Control flow and faults. A warp runs as one, with a stack of waiting lanes, until some lanes spin in a loop
// that waits. Then the lanes that wait for these run on their own (independent progress of lanes, as since
// Volta), and all reconverge where they can.
#include <algorithm>
#include <cstring>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "traces/ptx/execute/machine.h"
#include "traces/ptx/execute/operations.h"
#include "traces/ptx/execute/path_library.h"

namespace strata::traces::ptx {
namespace {

std::uint32_t guard_lanes(const Warp& w, const Op* op) {
  if (op->guard == no_row) return w.mask;
  const std::uint32_t p = *row_of<std::uint32_t>(w, op->guard);
  return ((op->flags & negate_guard) != 0 ? ~p : p) & w.mask;
}

/// Continues at `to`. A warp that has used up its turn stops at a backward branch, or anywhere if its turn
/// was a short one.
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
      const std::uint32_t others = top.mask & diverged_lanes(w);
      if (others != 0) return suspend_lanes(w, w.code + top.pc, DivergedLanes::Why::joins, others);
    }
    w.pass = false;
    return w.code + top.pc;
  }
  if (w.record) end_run(w);
  w.state = Warp::State::done;
  return w.stack->diverged.empty() ? nullptr : resume_diverged(w);
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
  if (join == no_op) {  // the two sides never reconverge: each runs to its end
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

/// Beginning of a message: where the fault is.
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
  if (with_value) text += " " + (value < 65536 ? std::to_string(value) : hex_text(value));
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

void report_error(Warp& w, const Op* op, int lane, const char* message, std::uint64_t address) {
  using Memcheck = PtxOptions::Memcheck;
  if (w.cta->memcheck == Memcheck::off) return;
  if (w.cta->memcheck == Memcheck::strict) fault(w, op, lane, message, address, true);
  Machine& machine = *w.cta->machine;
  if (!machine.options_.report || !machine.reported_->insert({op - w.code, message}).second) return;
  machine.options_.report(TraceError(described(w, op, lane, message, address, true)).what());
}

namespace {

using Why = DivergedLanes::Why;

/// True if `op` is not the first of its block.
bool inside_block(const Warp& w, const Op* op) {
  const auto& blocks = w.cta->kernel->blocks;
  return !std::binary_search(blocks.begin(), blocks.end(), static_cast<std::uint32_t>(op - w.code));
}

/// Removes stack entries of lanes that have diverged, and reconvergence points at which none of `others` will
/// arrive. With `first`, the first entry is removed in any case.
void collapse(DivergedLanes& one, std::uint32_t others, bool first) {
  if (!one.calls.empty()) return;
  auto& all = one.entries;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const WaitingLanes& entry) { return (entry.mask & one.alive) == 0; }),
            all.end());
  for (; !all.empty() && one.join == all.back().pc && (all.back().mask & one.alive) == one.lanes;
       first = false) {
    if (!first && (all.back().mask & others & ~one.alive) != 0) return;
    one.join = all.back().join;
    all.pop_back();
  }
}

/// True if both resume at the same place, and their paths are the same from there on.
bool same_place(const DivergedLanes& a, const DivergedLanes& b) {
  if (a.next != b.next || a.join != b.join || a.entries.size() != b.entries.size() ||
      a.calls.size() != b.calls.size())
    return false;
  for (std::size_t n = 0; n < a.entries.size(); ++n)
    if (a.entries[n].pc != b.entries[n].pc || a.entries[n].join != b.entries[n].join) return false;
  for (std::size_t n = 0; n < a.calls.size(); ++n)
    if (a.calls[n].depth != b.calls[n].depth || a.calls[n].body != b.calls[n].body ||
        !a.calls[n].registers.empty() || !b.calls[n].registers.empty())
      return false;
  return true;
}

/// Adds the lanes of `from` to `to`.
void merge(DivergedLanes& to, const DivergedLanes& from) {
  for (std::size_t n = 0; n < to.entries.size(); ++n) to.entries[n].mask |= from.entries[n].mask;
  for (std::size_t n = 0; n < to.calls.size(); ++n)
    for (std::uint32_t left = from.alive; left != 0; left &= left - 1) {
      const int i = __builtin_ctz(left);
      to.calls[n].frame[i] = from.calls[n].frame[i];
      to.calls[n].top[i] = from.calls[n].top[i];
    }
  to.lanes |= from.lanes;
  to.alive |= from.alive;
}

/// Merges diverged lanes at the same place into `mine`; true if there were any.
bool merge_arrived(Warp& w, DivergedLanes& mine) {
  auto& diverged = w.stack->diverged;
  bool found = false;
  for (auto one = diverged.begin(); one != diverged.end();) {
    if (one->why != mine.why || one->why == Why::barrier || !same_place(*one, mine)) {
      ++one;
      continue;
    }
    merge(mine, *one);
    mine.tried = std::min(mine.tried, one->tried);
    one = diverged.erase(one);
    found = true;
  }
  return found;
}

DivergedLanes leaving(const Warp& w, const Op* next, Why why) {
  DivergedLanes mine = current_lanes(w);
  mine.why = why;
  mine.alive = w.alive;
  mine.next = next;
  mine.tried = w.tried;
  collapse(mine, diverged_lanes(w), false);
  return mine;
}

/// Records of the block of `op` that come before it, without accesses.
std::uint64_t records_before(const Warp& w, const Op* op) {
  const DecodedKernel& kernel = *w.cta->kernel;
  const auto here = static_cast<std::uint32_t>(op - w.code);
  const std::uint32_t block = *std::prev(std::upper_bound(kernel.blocks.begin(), kernel.blocks.end(), here));
  std::uint64_t records = op[-1].seq + op[-1].weight;
  auto mark = std::lower_bound(kernel.marks.begin(), kernel.marks.end(), block,
                               [](const Mark& one, std::uint32_t number) { return one.op < number; });
  for (; mark != kernel.marks.end() && mark->op < here; ++mark) records += mark->emits ? 1 : 0;
  return records;
}

/// Counts the part of the block before `op` for these lanes,
void end_part(Warp& w, const Op* op) {
  if (!inside_block(w, op)) return;
  if (w.record) note_part(w, op - 1);
  const std::uint64_t records = records_before(w, op);
  w.recorded += records;
  w.recorded_threads += records * w.lanes;
}

/// and does not count it again at the block's end.
void begin_part(Warp& w, const Op* op) {
  if (!inside_block(w, op)) return;
  if (w.record) note_begin(w, op - 1);
  const std::uint64_t records = records_before(w, op);
  w.recorded -= records;
  w.recorded_threads -= records * w.lanes;
}

std::vector<DivergedLanes>::iterator find_apart(Warp& w,
                                                bool (*wanted)(const DivergedLanes&, std::uint64_t)) {
  auto& diverged = w.stack->diverged;
  return std::find_if(diverged.begin(), diverged.end(),
                      [&](const DivergedLanes& one) { return wanted(one, w.turn); });
}

/// True if the lanes wait for others.
bool is_suspended(const DivergedLanes& one, std::uint64_t) {
  return one.why == Why::collective || one.why == Why::joins;
}
bool is_fresh(const DivergedLanes& one, std::uint64_t turn) {
  return one.why == Why::spins && one.tried != turn;
}
bool is_spinning(const DivergedLanes& one, std::uint64_t) {
  return one.why == Why::spins;
}

const Op* resume(Warp& w, std::vector<DivergedLanes>::iterator at) {
  DivergedLanes next = std::move(*at);
  w.stack->diverged.erase(at);
  const Op* const op = next.next;
  w.spins = next.why == Why::spins;
  w.pass = next.why == Why::collective;
  w.tried = next.tried;
  w.state = Warp::State::ready;
  make_current(w, std::move(next));
  w.next = op;
  if (!w.spins) return op;
  w.stopped = true;  // the code that runs the warp finds out whether they can go on
  return nullptr;
}

}  // namespace

DivergedLanes current_lanes(const Warp& w) {
  DivergedLanes lanes;
  lanes.lanes = lanes.alive = w.mask;
  lanes.join = w.join;
  lanes.waiting = w.waiting;
  lanes.barrier = w.barrier;
  lanes.barrier_threads = w.barrier_threads;
  lanes.entries = w.stack->entries;
  lanes.calls = w.stack->calls;
  return lanes;
}

void make_current(Warp& w, DivergedLanes lanes) {
  change_lanes(w, lanes.lanes);
  w.alive = lanes.alive;
  w.join = lanes.join;
  if (lanes.why == Why::barrier) {
    w.waiting = lanes.waiting;
    w.barrier = lanes.barrier;
    w.barrier_threads = lanes.barrier_threads;
    w.next = lanes.waiting + 1;
    if (w.record) note_begin(w, lanes.waiting);
  } else if (lanes.why == Why::collective) {
    begin_part(w, lanes.next);
  }
  w.stack->entries = std::move(lanes.entries);
  w.stack->calls = std::move(lanes.calls);
}

std::uint32_t diverged_lanes(const Warp& w) {
  std::uint32_t lanes = 0;
  for (const DivergedLanes& one : w.stack->diverged)
    if (one.why != Why::barrier || (w.split && one.released)) lanes |= one.alive;
  return lanes;
}

void split_lanes(Warp& w) {
  w.split = true;
  w.cta->machine->watch_collectives();
  DivergedLanes mine = current_lanes(w);
  mine.why = Why::spins;
  mine.next = w.next;
  mine.tried = w.tried;
  collapse(mine, w.alive | diverged_lanes(w), true);
  merge_arrived(w, mine);
  w.alive &= ~w.mask;
  w.stack->diverged.push_back(std::move(mine));
  w.spins = false;
  w.pass = true;  // other lanes no longer wait for these at their reconvergence point
  w.next = pop_lanes(w);
  w.pass = false;
}

const Op* suspend_lanes(Warp& w, const Op* op, DivergedLanes::Why why, std::uint32_t others) {
  if (why == Why::collective) end_part(w, op);
  DivergedLanes mine = leaving(w, op, why);
  merge_arrived(w, mine);
  if ((others & diverged_lanes(w)) == 0) {
    ++w.new_values;
    make_current(w, std::move(mine));
    w.pass = why == Why::collective;
    return op;
  }
  w.stack->diverged.push_back(std::move(mine));
  return resume_lanes(w);
}

const Op* resume_lanes(Warp& w) {
  auto& diverged = w.stack->diverged;
  ++w.new_values;
  for (DivergedLanes& one : diverged)
    one.tried = 0;  // the others have run, and may have written what these wait for
  if (w.record) end_run(w);
  const auto released =
      std::find_if(diverged.begin(), diverged.end(), [](const DivergedLanes& one) { return one.released; });
  if (released != diverged.end()) {
    DivergedLanes next = std::move(*released);
    diverged.erase(released);
    make_current(w, std::move(next));
    w.spins = w.pass = false;
    w.state = Warp::State::ready;
    return w.next;
  }
  for (const auto wanted : {is_fresh, is_spinning, is_suspended}) {
    const auto found = find_apart(w, wanted);
    if (found != diverged.end()) return resume(w, found);
  }
  fault(w, w.code, -1, "no lanes are left to go on");
}

bool switch_lanes(Warp& w) {
  auto& diverged = w.stack->diverged;
  if (!w.split || diverged.empty()) return false;
  auto found =
      std::find_if(diverged.begin(), diverged.end(), [](const DivergedLanes& one) { return one.released; });
  if (found == diverged.end()) found = find_apart(w, is_fresh);
  if (found == diverged.end() && w.idle_turns >= most_idle_turns) {
    found = std::find_if(diverged.begin(), diverged.end(), [&](const DivergedLanes& one) {
      return is_suspended(one, 0) && (one.why == Why::joins || !w.cta->machine->collective(one.next).known);
    });
    w.idle_turns = 0;
  }
  if (found == diverged.end()) return false;
  DivergedLanes mine = leaving(w, w.next, Why::spins);
  DivergedLanes next = std::move(*found);
  diverged.erase(found);
  merge_arrived(w, mine);
  diverged.push_back(std::move(mine));
  if (next.why == Why::barrier) {
    make_current(w, std::move(next));
    w.spins = w.pass = false;
    return true;
  }
  diverged.push_back(std::move(next));
  if (const Op* const op = resume(w, std::prev(diverged.end()))) w.next = op;
  return true;
}

const Op* do_meet(Warp& w, const Op* op) {
  const Collective& here = w.cta->machine->collective(op);
  if (w.pass) {
    w.pass = false;
    return here.fn(w, op);
  }
  if (w.stack->diverged.empty()) return here.fn(w, op);
  const std::uint32_t others = here.lanes & diverged_lanes(w);
  return others == 0 ? here.fn(w, op) : suspend_lanes(w, op, Why::collective, others);
}

}  // namespace strata::traces::ptx
