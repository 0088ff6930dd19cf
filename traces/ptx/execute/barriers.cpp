// Barriers of a thread block. Lanes of one warp may arrive at different times.
#include <algorithm>

#include "traces/ptx/execute/machine.h"
#include "traces/ptx/execute/operations.h"
#include "traces/ptx/execute/path_library.h"

namespace strata::traces::ptx {
namespace {

constexpr std::uint64_t instructions_a_barrier = 64;  ///< weight of a barrier for the watchdog
constexpr const char* divergent = "barrier in divergent code: this thread does not arrive";

}  // namespace

const Op* do_barrier(Warp& w, const Op* op) {
  const std::uint32_t id = row_of<std::uint32_t>(w, op->a)[__builtin_ctz(w.mask)];
  const std::uint32_t absent = w.alive & ~w.mask;
  if (absent != 0 && (op->code != 0 || w.cta->memcheck == PtxOptions::Memcheck::strict))
    fault(w, op, __builtin_ctz(absent), divergent);
  if (op->code != 0 && !w.stack->diverged.empty())
    fault(w, op, __builtin_ctz(w.stack->diverged.front().lanes), divergent);
  if (id > 15) fault(w, op, -1, "expected a barrier from 0 to 15, found", id, true);
  w.barrier = id;
  w.barrier_threads = op->b == no_row ? 0 : row_of<std::uint32_t>(w, op->b)[__builtin_ctz(w.mask)];
  if (w.barrier_threads % 32 != 0)
    fault(w, op, -1, "expected a number of threads that is a multiple of 32, found", w.barrier_threads, true);
  if (op->op_class == OpClass::barrier)
    note_barrier(w, op, op->b == no_row ? id : barrier_operand(id, w.barrier_threads / 32));
  if (op->code == 1) {  // bar.arrive does not wait; it counts when the other warps arrive
    ++w.cta->arrived[id];
    return op + 1;
  }
  w.waiting = op;
  if (absent != 0) {  // since Volta a barrier counts threads: lanes that ended or arrive later are no fault
    report_error(w, op, __builtin_ctz(absent),
                 "barrier in divergent code: this thread does not arrive at barrier", id);
    return diverge_at_barrier(w);
  }
  w.state = Warp::State::barrier;
  w.next = op + 1;
  return w.stack->diverged.empty() ? nullptr : resume_diverged(w);
}

const Op* diverge_at_barrier(Warp& w) {
  if (w.record) note_cut(w, w.waiting);
  w.stack->diverged.push_back(current_lanes(w));
  w.alive &= ~w.mask;
  return pop_lanes(w);
}

const Op* resume_diverged(Warp& w) {
  auto& diverged = w.stack->diverged;
  if (w.split && diverged_lanes(w) != 0) {
    if (w.state == Warp::State::barrier) {
      if (w.record) note_cut(w, w.waiting);
      diverged.push_back(current_lanes(w));
    }
    return resume_lanes(w);
  }
  auto next =
      std::find_if(diverged.begin(), diverged.end(), [](const DivergedLanes& one) { return one.released; });
  const bool released = next != diverged.end();
  if (!released && w.state == Warp::State::barrier) return nullptr;
  if (!released) --next;
  DivergedLanes lanes = std::move(*next);
  diverged.erase(next);
  if (w.state == Warp::State::barrier) {
    if (w.record) note_cut(w, w.waiting);
    diverged.push_back(current_lanes(w));
  }
  make_current(w, std::move(lanes));
  w.state = released ? Warp::State::ready : Warp::State::barrier;
  return released ? w.next : nullptr;
}

bool Machine::release_barriers() {
  bool released = false;
  std::uint32_t there = 0;
  for (const Warp& w : warps_)
    if (w.state == Warp::State::barrier) there |= 1u << w.barrier;
  for (; there != 0; there &= there - 1) {
    const auto id = static_cast<std::uint32_t>(__builtin_ctz(there));
    std::uint32_t arrived = state_.arrived[id], wanted = 0, alive = 0, waiting = 0;
    for (const Warp& w : warps_) {
      if (w.state == Warp::State::done) continue;
      ++alive;
      if (w.state != Warp::State::barrier || w.barrier != id) continue;
      ++arrived;
      ++waiting;
      wanted = std::max(wanted, w.barrier_threads / 32);
    }
    if (waiting == 0 || arrived < (wanted == 0 ? alive : wanted)) continue;
    if (wanted > waiting) state_.arrived[id] -= std::min(state_.arrived[id], wanted - waiting);
    std::uint32_t count = 0, threads = 0;
    for (const Warp& w : warps_)
      if (w.state == Warp::State::barrier && w.barrier == id && w.waiting->code >= 2) {
        const std::uint32_t p =
            *row_of<std::uint32_t>(w, w.waiting->c) ^ ((w.waiting->flags & negate_c) != 0 ? all_lanes : 0);
        count += static_cast<std::uint32_t>(__builtin_popcount(p & w.alive));
        threads += static_cast<std::uint32_t>(__builtin_popcount(w.alive));
      }
    since_release_ = 0;
    if (++barriers_ > options_.watchdog / instructions_a_barrier)
      for (const Warp& w : warps_)
        if (w.state == Warp::State::barrier)
          fault(w, w.waiting, -1,
                "no end after this many barriers of a thread block: a loop that never ends?", barriers_,
                true);
    for (Warp& w : warps_) {
      if (w.state != Warp::State::barrier || w.barrier != id) continue;
      const Op* op = w.waiting;
      if (op->code == 2) {
        auto* d = row_of<std::uint32_t>(w, op->d);
        for (int i = 0; i < 32; ++i)
          if (w.lane_mask[i] != 0) d[i] = count;
      } else if (op->code > 2) {
        const bool yes = op->code == 3 ? count == threads : count > 0;
        auto& d = *row_of<std::uint32_t>(w, op->d);
        d = (d & ~w.alive) | (yes ? w.alive : 0);
      }
      for (DivergedLanes& others : w.stack->diverged)
        others.released = others.released || others.barrier == id;
      w.state = Warp::State::ready;
      w.since_barrier = 0;
      if (options_.turns_after_barrier != 0) w.short_turns = options_.turns_after_barrier + 1;
      released = true;
    }
  }
  return released;
}

}  // namespace strata::traces::ptx
