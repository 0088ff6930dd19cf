// Detects polling: a warp, or some of its lanes, reads the same memory again and again, finds the same values
// and writes nothing. Kernels without an instruction that reads memory written by others are never watched.
// Others are watched now and then for a few iterations of their loops.
#include "traces/ptx/execute/spinning.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "traces/ptx/execute/machine.h"
#include "traces/ptx/execute/operations.h"
#include "traces/ptx/execute/path_library.h"

namespace strata::traces::ptx {
namespace {

bool reads_what_others_write(const Instruction& i) {
  if (i.opcode == "mbarrier") return i.has("test_wait") || i.has("try_wait");
  if (i.opcode != "ld") return false;
  for (const char* const how : {"volatile", "relaxed", "acquire", "mmio", "cv", "cg"})
    if (i.has(how)) return true;
  return false;
}
bool writes(const Instruction& i) {
  return i.opcode == "st" || i.opcode == "red" || i.opcode == "cp" || i.opcode == "mbarrier";
}

/// Instructions at which all named lanes must arrive.
bool is_collective(const Instruction& i) {
  if (i.has("cluster") && i.has("arrive") && !i.has("aligned"))
    return false;  // every lane arrives on its own
  if (i.opcode == "bar" || i.opcode == "barrier") return true;
  if (i.opcode == "mma" || i.opcode == "wmma" || i.opcode == "ldmatrix" || i.opcode == "stmatrix" ||
      i.opcode == "movmatrix" || i.opcode == "wgmma")
    return true;
  return i.has("sync") && (i.opcode == "shfl" || i.opcode == "vote" || i.opcode == "match" ||
                           i.opcode == "redux" || i.opcode == "elect");
}
/// The value of an operand that is a number, or a register set once to a number.
bool constant(const Module& module, const Instruction& i, const Operand& operand, std::uint64_t& value) {
  value = operand.bits;
  if (operand.kind == Operand::Kind::integer) return true;
  if (operand.kind != Operand::Kind::reg) return false;
  for (const Function& f : module.functions) {
    if (f.code.empty() || &i < &f.code.front() || &i > &f.code.back()) continue;
    const Instruction* found = nullptr;
    for (const Instruction& one : f.code) {
      const auto sets = [&](const Operand& to) {
        const auto same = [&](const Operand& part) {
          return part.kind == Operand::Kind::reg && part.index == operand.index;
        };
        return same(to) || std::any_of(to.elements.begin(), to.elements.end(), same);
      };
      const bool here = (!one.operands.empty() && sets(one.operands.front())) ||
                        std::any_of(one.results.begin(), one.results.end(), sets);
      if (!here || one.opcode == "st" || one.opcode == "red" || one.opcode == "bra") continue;
      if (found != nullptr || one.opcode != "mov" || one.guard >= 0 || one.operands.size() != 2 ||
          one.operands[1].kind != Operand::Kind::integer)
        return false;
      found = &one;
    }
    if (found == nullptr) return false;
    value = found->operands[1].bits;
    return true;
  }
  return false;
}

Collective meeting_of(const Module& module, const Instruction& i) {
  Collective m;
  const bool block = (i.opcode == "bar" || i.opcode == "barrier") && !i.has("warp");
  const bool matrices = i.opcode.find('m') != std::string::npos && i.opcode != "match";
  m.known = block || matrices;  // the whole warp
  if (m.known || i.operands.empty()) return m;
  std::uint64_t mask = 0;
  m.known = constant(module, i, i.operands.back(), mask);
  if (m.known) m.lanes = static_cast<std::uint32_t>(mask);
  return m;
}

constexpr std::uint32_t most_row_bytes = 512;  ///< of a result

/// Snapshot of a warp's records and counts.
struct WarpSnapshot {
  explicit WarpSnapshot(const Warp& w)
      : out(w.out - w.out_begin),
        block(w.block - w.out_begin),
        run(w.run),
        executed(w.executed),
        executed_threads(w.executed_threads),
        recorded(w.recorded),
        recorded_threads(w.recorded_threads),
        since_barrier(w.since_barrier),
        addresses(w.cta->addresses.size()) {
    std::copy_n(w.run_units, counted_units, units);
    if (w.record && w.out != w.out_begin) tag = w.out[-1].tag;
  }
  /// Restores records and counts.
  void restore(Warp& w) const {
    w.recorded = recorded;
    w.recorded_threads = recorded_threads;
    if (!w.record) return;
    w.out = w.out_begin + out;
    w.block = w.out_begin + block;
    w.run = run;
    std::copy_n(units, counted_units, w.run_units);
    w.cta->addresses.resize(addresses);
    if (w.out != w.out_begin) w.out[-1].tag = tag;
  }
  std::ptrdiff_t out, block;
  std::uint32_t run;
  std::uint32_t units[counted_units];
  std::uint64_t executed, executed_threads, recorded, recorded_threads, since_barrier;
  std::size_t addresses;
  std::uint32_t tag = 0;
};

bool same_cells(const PathCell* a, const PathCell* b, std::ptrdiff_t count) {
  return std::equal(a, a + count, b, [](const PathCell& one, const PathCell& other) {
    return one.value == other.value && one.extra == other.extra && one.tag == other.tag;
  });
}

}  // namespace

/// The operations to watch.
std::vector<Watched> find_watched(const DecodedKernel& kernel) {
  std::vector<Watched> found;
  std::set<Row> rows;
  // Instructions that force a compiler to read memory in every iteration instead of once before the loop.
  const bool orders = std::any_of(kernel.code.begin(), kernel.code.end(), [](const Instruction* i) {
    return i->opcode == "membar" || i->opcode == "fence" || i->opcode == "nanosleep";
  });
  for (std::size_t number = 0; number < kernel.ops.size(); ++number) {
    const Op& op = kernel.ops[number];
    if (op.fn == do_branch || op.fn == do_jump || op.fn == do_join) continue;
    const Instruction& i = *kernel.code[op.pc];
    Watched one;
    one.number = static_cast<std::uint32_t>(number);
    const bool plain = orders && i.opcode == "ld" && op.space != Space::local && op.space != Space::param &&
                       op.space != Space::constant && (op.flags & non_coherent) == 0;
    one.reads = plain || reads_what_others_write(i) || (i.opcode == "atom" && op.d != no_row);
    one.clock = i.opcode == "mov" && i.operands.size() == 2 && i.operands[1].kind == Operand::Kind::special &&
                (i.operands[1].name.compare(0, 6, "%clock") == 0 || i.operands[1].name == "%globaltimer");
    if (i.opcode == "atom") {
      one.writes = i.has("cas")    ? Watched::Writes::when_equal
                   : i.has("exch") ? Watched::Writes::exchange
                   : one.reads     ? Watched::Writes::never  // a repeated read would return its own value
                                   : Watched::Writes::always;
      one.bytes = i.has("b64") || i.has("u64") || i.has("s64") ? 8
                  : i.has("b16")                               ? 2
                  : i.has("b128")                              ? 16
                                                               : 4;
    } else if (!one.reads && writes(i) && op.space != Space::local) {
      one.writes = Watched::Writes::always;
    }
    if (!one.reads && !one.clock && one.writes == Watched::Writes::never) continue;
    if (one.reads && rows.empty()) rows.insert(kernel.register_rows.begin(), kernel.register_rows.end());
    for (std::uint32_t n = 0; one.reads && n < op.count; ++n) {
      const Row row = op.count == 1 ? op.d : op.rows[n];
      if (row == no_row || (row & 1) != 0) continue;
      const auto next = rows.upper_bound(row);
      const std::uint32_t end = next == rows.end() || (*next & 1) != 0 ? kernel.register_bytes : *next;
      one.results.push_back({row, std::min(end - row, most_row_bytes)});
    }
    found.push_back(std::move(one));
  }
  const bool any = std::any_of(found.begin(), found.end(), [](const Watched& one) { return one.reads; });
  return any ? found : std::vector<Watched>();
}

void Machine::watch(bool on) {
  const std::vector<Watched>& all = kernel_->watched;
  if (watched_of_.empty()) {
    watched_of_.assign(ops_.size(), no_op);
    watched_fn_.resize(all.size());
    for (std::size_t n = 0; n < all.size(); ++n) watched_of_[all[n].number] = static_cast<std::uint32_t>(n);
  }
  for (std::size_t n = 0; n < all.size(); ++n) {
    Op& op = ops_[all[n].number];
    if (on) {
      watched_fn_[n] = op.fn;
      op.fn = do_watched;
    } else {
      op.fn = watched_fn_[n];
    }
  }
}

/// From now on lanes may arrive at these instructions at different times.
void Machine::watch_collectives() {
  if (!collective_of_.empty()) return;
  collective_of_.assign(ops_.size(), no_op);
  const auto add = [&](std::uint32_t number, const Instruction& i) {
    if (collective_of_[number] != no_op) return;
    Collective m = meeting_of(*kernel_->module, i);
    m.fn = ops_[number].fn;
    ops_[number].fn = do_meet;
    collective_of_[number] = static_cast<std::uint32_t>(collectives_.size());
    collectives_.push_back(m);
  };
  for (const Mark& mark : kernel_->marks) {  // bar.warp.sync is marked but not executed
    const Instruction& i = *kernel_->code[mark.pc];
    if (mark.emits && i.has("warp") && is_collective(i)) add(mark.op, i);
  }
  for (Op& op : ops_) {
    const Instruction& i = *kernel_->code[op.pc];
    if (op.fn != do_jump && op.fn != do_join && op.fn != do_branch && is_collective(i)) add(op.number, i);
  }
}

const Op* do_watched(Warp& w, const Op* op) {
  const Machine& machine = *w.cta->machine;
  const Watched& one = machine.watched(op);
  const Handler fn = machine.watched_fn(op);
  std::uint32_t lanes = w.mask;
  if (op->guard != no_row) {
    const std::uint32_t p = *row_of<std::uint32_t>(w, op->guard);
    lanes &= (op->flags & negate_guard) != 0 ? ~p : p;
  }
  if (lanes == 0) return fn(w, op);
  if (one.clock) {
    ++w.clocks;
    return fn(w, op);
  }
  std::uint8_t before[4][most_row_bytes], b[256], c[256];
  const std::size_t results = std::min<std::size_t>(one.results.size(), 4);
  for (std::size_t n = 0; n < results; ++n)
    std::memcpy(before[n], row(w, one.results[n].row), one.results[n].bytes);
  const bool swaps = one.writes == Watched::Writes::when_equal || one.writes == Watched::Writes::exchange;
  if (swaps && one.bytes <= 8) {
    std::memcpy(b, row(w, op->b), std::size_t{one.bytes} * 32);
    if (op->c != no_row) std::memcpy(c, row(w, op->c), std::size_t{one.bytes} * 32);
  }
  const Op* const next = fn(w, op);
  if (one.writes == Watched::Writes::always) ++w.new_values;
  if (!one.reads) return next;
  ++w.polls;
  for (std::size_t n = 0; n < results; ++n)
    if (std::memcmp(before[n], row(w, one.results[n].row), one.results[n].bytes) != 0) ++w.new_values;
  if (!swaps) return next;
  if (one.bytes > 8) {
    ++w.new_values;
    return next;
  }
  const std::uint8_t* const found = row(w, op->d);
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const std::size_t at = static_cast<std::size_t>(__builtin_ctz(left)) * one.bytes;
    const auto same = [&](const std::uint8_t* values) {
      return std::memcmp(found + at, values + at, one.bytes) == 0;
    };
    const bool changes = one.writes == Watched::Writes::exchange ? !same(b) : same(b) && !same(c);
    if (changes) ++w.new_values;
  }
  return next;
}

void Machine::run_ops(Warp& w) {
  w.stopped = false;
  const Op* op = w.next;
  do op = op->fn(w, op);
  while (op != nullptr);
}

/// Decides whether a warp that repeats the same reads and writes nothing polls. It does if its registers
/// repeat too, or if it reads the time. Other warps may count their iterations: they poll if this goes on for
/// long.
bool Machine::is_waiting(Warp& w, const std::uint64_t* states) {
  if (w.clocks != 0 || states[rounds_watched - 1] == states[rounds_watched - 2]) return true;
  if (w.quiet_since == 0) w.quiet_since = w.executed;
  if (w.executed - w.quiet_since < (counts_rounds_ ? first_watch : first_count)) return false;
  return counts_rounds_ = true;
}

/// Watches iterations of the warp's loop. True if all of them read the same values and change nothing. Only a
/// few of those iterations are kept in the record.
bool Machine::only_polls(Warp& w, std::uint64_t most) {
  const WarpSnapshot start(w);
  std::vector<WarpSnapshot> rounds;
  std::uint64_t states[rounds_watched] = {};
  bool round = true;
  w.clocks = 0;
  watch(true);
  try {
    w.new_values = 0;
    while (round && rounds.size() < rounds_watched) {
      w.polls = 0;
      w.budget = 1;
      run_ops(w);
      round = w.state == Warp::State::ready && w.stopped && w.new_values == 0 &&
              w.executed - start.executed < most;
      if (!round || w.polls == 0) continue;
      states[rounds.size()] = digest_of(w);
      rounds.emplace_back(w);
    }
  } catch (...) {
    watch(false);
    throw;
  }
  watch(false);
  if (!round) w.quiet_since = 0;
  if (!round || !is_waiting(w, states)) return false;
  const WarpSnapshot &last = rounds.back(), &before = rounds[rounds.size() - 2];
  const std::ptrdiff_t cells = last.out - before.out;
  std::uint64_t more = 0;
  if (w.record && cells > 0) {
    const PathCell* const sample = w.out_begin + before.out;
    for (std::ptrdiff_t at = start.out - cells; at >= 0 && same_cells(w.out_begin + at, sample, cells);
         at -= cells)
      ++more;
  }
  const std::uint64_t records = last.recorded - before.recorded,
                      threads = last.recorded_threads - before.recorded_threads;
  start.restore(w);
  stats.waiting_rounds += rounds.size();
  if (more > rounds_kept) {
    const std::uint64_t dropped = more - rounds_kept;
    w.out -= static_cast<std::ptrdiff_t>(dropped) * cells;
    w.block = w.out;
    w.recorded -= dropped * records;
    w.recorded_threads -= dropped * threads;
    stats.waiting_rounds += dropped;
  }
  ++stats.waits;
  return true;
}

/// Runs one iteration of a polling loop. True if it reads something new; if not, it leaves no record.
bool Machine::reads_new_value(Warp& w) {
  const WarpSnapshot start(w);
  watch(true);
  bool new_values = false;
  try {
    w.polls = w.new_values = 0;
    do {
      w.budget = 1;
      run_ops(w);
      new_values = w.state != Warp::State::ready || w.new_values != 0 || !w.stopped ||
                   w.executed - start.executed >= most_watched;
    } while (!new_values && w.polls == 0);
  } catch (...) {
    watch(false);
    throw;
  }
  watch(false);
  if (new_values) return true;
  w.passed += (w.executed - start.executed) << std::min<std::uint32_t>(w.idle_turns, 12);
  start.restore(w);
  w.executed = start.executed;
  w.executed_threads = start.executed_threads;
  w.since_barrier = start.since_barrier;
  ++stats.waiting_rounds;
  return false;
}

/// Runs a turn of a warp whose kernel reads memory that others write.
void Machine::run_watched(Warp& w) {
  const std::uint64_t turn = w.short_turns != 0 ? 1 : turn_, start = w.executed;
  ++w.turn;
  w.waits = false;
  for (;;) {
    if (w.spins) {
      w.spins = false;
      if (w.tried == w.turn || !reads_new_value(w)) {
        w.spins = true;
        w.tried = w.turn;
        if (switch_lanes(w)) continue;
        w.waits = w.executed == start;
        w.idle_turns = w.waits ? w.idle_turns + 1 : 0;
        return;
      }
      w.idle_turns = 0;
      w.next_watch = w.executed + short_watch;
      w.watch_interval = short_watch;
      if (w.state != Warp::State::ready || !w.stopped) return;
      if (w.spins) continue;
    }
    const std::uint64_t done = w.executed - start;
    if (done >= turn) return;
    const std::uint64_t until = w.next_watch > w.executed ? w.next_watch - w.executed : 1;
    w.budget = std::min(turn - done, until);
    run_ops(w);
    if (w.state != Warp::State::ready || !w.stopped) {
      w.waits = w.state == Warp::State::ready && w.executed - start < short_turn && w.short_turns == 0;
      yielded_ = yielded_ || w.waits;
      w.idle_turns = w.waits ? w.idle_turns + 1 : 0;
      return;
    }
    if (w.spins) continue;
    if (w.short_turns != 0) return;
    if (w.executed < w.next_watch) continue;
    // A watched turn is not longer than an unwatched one. Short turns belong to thread blocks that wait.
    const std::uint64_t most =
        turn <= short_turn ? most_watched
                           : std::min(most_watched, start + turn - std::min(start + turn, w.executed));
    if (!only_polls(w, most)) {
      if (w.state != Warp::State::ready || !w.stopped) return;
      w.watch_interval = std::min<std::uint64_t>(w.watch_interval * 2, 1 << 16);
      w.next_watch = w.executed + w.watch_interval;
      continue;
    }
    w.watch_interval = short_watch;
    w.next_watch = w.executed + short_watch;
    w.spins = true;
    w.tried = w.turn;
    if ((w.alive & ~w.mask) != 0 && may_split(w)) split_lanes(w);
  }
}

/// False in recursive functions: calls keep the registers of all lanes.
bool Machine::may_split(const Warp& w) const {
  return std::all_of(w.stack->calls.begin(), w.stack->calls.end(),
                     [](const CallFrame& call) { return call.registers.empty(); });
}

}  // namespace strata::traces::ptx
