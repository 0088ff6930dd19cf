// Control flow, recording and the slow paths of memory: compiled once.
#include <cstring>

#include "models/common/faults.h"
#include "traces/ptx/execute/lane_stack.h"
#include "traces/ptx/execute/machine.h"

namespace strata::traces::ptx {
namespace {

constexpr std::uint32_t first_records = 256;

std::uint32_t guard_lanes(const Warp& w, const Op* op) {
  if (op->guard == no_row) return w.mask;
  const std::uint32_t p = *row_of<std::uint32_t>(w, op->guard);
  return ((op->flags & negate_guard) != 0 ? ~p : p) & w.mask;
}

/// Count the instructions of the block up to and with `op`.
void account(Warp& w, const Op* op) {
  w.run += op->seq + op->weight - w.run_seq;
  w.run_seq = op->seq + op->weight;
  for (std::size_t k = 0; k < counted_units; ++k) {
    w.run_units[k] += op->units_seq[k] - w.seen_units[k];
    w.seen_units[k] = op->units_seq[k];
  }
}
/// Go on at `to`; a warp whose turn is over stops there, where the way leads back or its turn was a short
/// one.
const Op* go(Warp& w, const Op* to, const Op* from) {
  if (w.budget > 0 || (to > from && w.short_turns == 0)) return to;
  w.next = to;
  return nullptr;
}
/// Bits set: the builtin is a library call on plain x86-64. Sums of 2, 4 and 8 bits side by side, then of
/// all.
unsigned lanes_in(std::uint32_t mask) {
  mask -= mask >> 1 & 0x55555555;
  mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
  return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
constexpr WarpInstruction blank{};  // copied whole: one made member by member is read before it is written
WarpInstruction& add_record(Warp& w) {
  if (w.out == w.out_end) grow(w);
  return *w.out++ = blank;
}

OpClass class_in(OpClass op_class, Space space) {
  if (space != Space::shared || op_class == OpClass::shared_load) return op_class;
  const bool load = op_class == OpClass::load || op_class == OpClass::read_only_load;
  return load ? OpClass::shared_load : OpClass::shared_store;
}
/// Addresses of the active lanes as the memory system sees them.
int compact_addresses(const Warp& w, const std::uint64_t* address, std::uint32_t lanes, Space space,
                      std::uint32_t bytes, std::uint64_t* compact) {
  int n = 0;
  const std::uint64_t local_base = GlobalMemory::first_address - (std::uint64_t{1} << 36) +
                                   (w.cta->cta % 4096 * 32 + w.index) * w.cta->kernel->local_bytes * 32;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    std::uint64_t a = address[i];
    if (space ==
        Space::local) {  // words of threads are interleaved: neighbouring lanes touch neighbouring bytes
      if (a >= local_window) a -= local_window;
      a = local_base + a * 32 + static_cast<unsigned>(i) * bytes;
    } else if (space == Space::shared && a >= shared_window) {
      a -= shared_window;
    }
    compact[n++] = a;
  }
  return n;
}
bool strided(const std::uint64_t* address, int n, std::uint64_t stride) {
  std::uint64_t difference = 0;
  for (int i = 1; i < n; ++i) difference |= address[i] - address[i - 1] - stride;
  return difference == 0;
}
/// A stride when there is one, else a list.
void describe(Warp& w, WarpInstruction& r, const std::uint64_t* compact, int n, Form form) {
  const std::uint64_t stride = n > 1 ? compact[1] - compact[0] : 0;
  if ((form == Form::unknown ? strided(compact, n, stride) : form == Form::strided) &&
      static_cast<std::int64_t>(stride) == static_cast<std::int32_t>(stride)) {
    r.address_kind = AddressKind::stride;
    r.address = compact[0];
    r.stride = static_cast<std::int32_t>(stride);
  } else {
    r.address_kind = AddressKind::list;
    r.address = w.cta->addresses.size();
    w.cta->addresses.insert(w.cta->addresses.end(), compact, compact + n);
  }
}

}  // namespace

void set_mask(Warp& w, std::uint32_t mask) {
  w.mask = mask;
  for (int i = 0; i < 32; ++i) w.lane_mask[i] = -static_cast<std::int32_t>(mask >> i & 1);
}

void end_of_block(Warp& w, const Op* op) {
  account(w, op);
  w.run_seq = 0;
  std::memset(w.seen_units, 0, sizeof w.seen_units);
  w.executed += op->executed;
  w.executed_threads += std::uint64_t{op->executed} * lanes_in(w.mask);
  w.since_barrier += op->executed;
  w.budget = w.budget > op->executed ? w.budget - op->executed : 0;
}
/// What was counted so far is recorded for the old set of lanes.
void change_lanes(Warp& w, std::uint32_t mask) {
  flush_run(w);
  set_mask(w, mask);
  w.run_mask = mask;
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
    return w.code + top.pc;
  }
  flush_run(w);
  w.state = Warp::State::done;
  return w.stack->apart.empty() ? nullptr : go_on_apart(w);
}

void flush_run(Warp& w) {
  if (w.run == 0) return;
  const unsigned lanes = lanes_in(w.run_mask);
  w.recorded += w.run;
  w.recorded_threads += std::uint64_t{w.run} * lanes;
  while (w.record && w.run > 0) {
    WarpInstruction& r = add_record(w);
    r.active_mask = w.run_mask;
    r.pc = w.run_pc;
    r.weight = static_cast<std::uint8_t>(w.run > 255 ? 255 : w.run);
    if (r.weight == w.run) {
      for (std::size_t k = 0; k < counted_units; ++k) r.units[k] = static_cast<std::uint8_t>(w.run_units[k]);
      break;
    }
    for (std::size_t k = 0; k < counted_units; ++k) {  // of a part: its share
      r.units[k] = static_cast<std::uint8_t>(std::uint64_t{w.run_units[k]} * r.weight / w.run);
      w.run_units[k] -= r.units[k];
    }
    w.run -= r.weight;
  }
  w.run = 0;
  std::memset(w.run_units, 0, sizeof w.run_units);
}

void begin_record(Warp& w, const Op* op) {
  account(w, op);
  flush_run(w);
  w.run_pc = op->pc * 16;
}

void grow(Warp& w) {
  auto& records = w.cta->machine->records_[w.index];
  const std::size_t used = records.empty() ? 0 : static_cast<std::size_t>(w.out - w.out_begin);
  if (used >= (std::size_t{1} << 26))
    fault(w, w.next != nullptr ? w.next : w.code, -1, "more than 67108864 records in one warp");
  records.resize(used == 0 ? first_records : used * 2);
  w.out_begin = records.data();
  w.out = w.out_begin + used;
  w.out_end = w.out_begin + records.size();
  w.cta->record_bytes += (records.size() - used) * sizeof(WarpInstruction);
}

const Op* do_nothing(Warp&, const Op* op) {
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
  end_of_block(w, op);
  if (leaving == 0) return op + 1;
  flush_run(w);
  if (w.record) {
    WarpInstruction& r = add_record(w);
    r.op = OpClass::exit;
    r.pc = op->pc * 16;
    r.active_mask = leaving;
  }
  ++w.recorded;
  w.recorded_threads += lanes_in(leaving);
  w.run_pc = op->pc * 16 + 16;
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

const Op* do_first_use(Warp& w, const Op* op) {
  if (!w.record) return op + 1;
  bool flushed = false;
  for (std::int64_t n = 0; n < op->offset; ++n) {
    std::uint32_t& pending = w.pending[op->rows[n]];
    if (pending == 0) continue;
    if (!flushed) {
      begin_record(w, op);
      flushed = true;
    }
    const std::size_t now = static_cast<std::size_t>(w.out - w.out_begin), distance = now + 1 - pending;
    w.out_begin[pending - 1].first_use = static_cast<std::uint8_t>(distance > 255 ? 255 : distance);
    pending = 0;
  }
  return op + 1;
}

const Op* do_emit(Warp& w, const Op* op) {
  account(w, op);
  flush_run(w);
  ++w.recorded;
  w.recorded_threads += lanes_in(w.mask);
  w.run_pc = op->pc * 16 + 16;
  if (w.record) {
    WarpInstruction& r = add_record(w);
    r.op = op->op_class;
    r.pc = op->pc * 16;
    r.active_mask = w.mask;
  }
  return op + 1;
}

const Op* do_trap(Warp& w, const Op* op) {
  fault(w, op, __builtin_ctz(w.mask), "trap");
}
const Op* do_assert(Warp& w, const Op* op) {
  fault(w, op, __builtin_ctz(w.mask), "an assertion of the kernel failed");
}

void record_access(Warp& w, const Op* op, const std::uint64_t* address, std::uint32_t lanes, Space space,
                   std::uint32_t bytes, Form form) {
  if ((op->flags & no_record) != 0 || space == Space::constant || space == Space::param) return;
  account(w, op);
  flush_run(w);
  ++w.recorded;
  w.recorded_threads += lanes_in(lanes);
  w.run_pc = op->pc * 16 + 16;
  if (!w.record) return;
  WarpInstruction& r = add_record(w);
  r.pc = op->pc * 16;
  r.active_mask = lanes;
  r.width = static_cast<std::uint8_t>(bytes);
  r.op = class_in(op->op_class, space);
  if (r.op == OpClass::load || r.op == OpClass::read_only_load)
    r.non_coherent = (op->flags & non_coherent) != 0;
  r.bypass_l1 = (op->flags & bypass) != 0;
  if (op->count > 1 && op->width < 4) r.element = op->width;
  std::uint64_t compacted[32];
  const bool as_they_are =  // unless lanes are left out, or they lie in a window
      lanes == all_lanes &&
      (space == Space::global || (space == Space::shared && (form == Form::strided || op->space == space)));
  const std::uint64_t* const compact = as_they_are ? address : compacted;
  const int n = as_they_are ? 32 : compact_addresses(w, address, lanes, space, bytes, compacted);
  if (w.cta->written != nullptr && r.op == OpClass::load && space == Space::global &&
      w.cta->written->untouched(compact, n))
    r.op = OpClass::read_only_load;
  describe(w, r, compact, n, as_they_are ? form : Form::unknown);
  if (as_they_are && space == Space::shared && r.address >= shared_window) r.address -= shared_window;
  if (op->slot >= 0 && op->op_class != OpClass::store)
    w.pending[op->slot] = static_cast<std::uint32_t>(w.out - w.out_begin);
}

namespace {

Fault described(const Warp& w, const Op* op, int lane, const char* message, std::uint64_t value,
                bool with_value) {
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
  text += ": " + i.spelling() + ": " + message;
  if (with_value) {
    static const char digits[] = "0123456789abcdef";
    std::string hex;
    for (std::uint64_t v = value; v != 0 || hex.empty(); v >>= 4) hex.insert(hex.begin(), digits[v & 15]);
    text += value < 65536 ? " " + std::to_string(value) : " 0x" + hex;
  }
  return Fault{{cta.kernel->module->path, i.line, 0}, text};
}

}  // namespace

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
