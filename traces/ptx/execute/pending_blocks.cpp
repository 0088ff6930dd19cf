// Launches whose thread blocks wait for each other. Cooperative launches: all thread blocks run in turns.
// Clusters: their blocks run in turns, access each other's shared memory and share a barrier. Other launches:
// if a block waits for later blocks, they begin early and run in turns with it.
#include <algorithm>
#include <cstring>

#include "models/common/faults.h"
#include "traces/ptx/execute/machine.h"

namespace strata::traces::ptx {
namespace {

constexpr std::size_t begin_a_round = 4;           ///< thread blocks per round; most wait for few others
constexpr std::uint64_t instructions_a_look = 64;  ///< weight of a check for the watchdog

/// Digest of words of memory, in four independent chains.
class Digest {
 public:
  void add(const void* from, std::size_t bytes) {
    const auto* at = static_cast<const std::uint8_t*>(from);
    for (; bytes >= 32; bytes -= 32, at += 32) {
      std::uint64_t words[4];
      std::memcpy(words, at, 32);
      for (int i = 0; i < 4; ++i) chains_[i] = mixed(chains_[i], words[i]);
    }
    for (; bytes > 0; --bytes) add(*at++);
  }
  void add(std::uint64_t word) { chains_[0] = mixed(chains_[0], word); }
  std::uint64_t value() const { return mixed(mixed(chains_[0], chains_[1]), mixed(chains_[2], chains_[3])); }

 private:
  static std::uint64_t mixed(std::uint64_t value, std::uint64_t word) {
    value = (value ^ word) * 0x9e3779b97f4a7c15;
    return value ^ value >> 32;
  }
  std::uint64_t chains_[4] = {1, 2, 3, 4};
};

}  // namespace

/// Digest of registers, shared memory and program counters.
std::uint64_t Machine::digest() const {
  const std::size_t bytes = kernel_->register_bytes * warps_.size();
  Digest digest;
  digest.add(first_register_, bytes);
  digest.add(state_.shared.data(), state_.shared.size());
  for (const Warp& w : warps_) {
    digest.add(static_cast<std::uint64_t>(w.next - w.code) << 8 | static_cast<std::uint64_t>(w.state));
    digest.add(std::uint64_t{w.alive} << 32 | w.mask);
    digest.add(w.stack->entries.size() << 16 | w.stack->calls.size());
  }
  return digest.value();
}

std::uint64_t Machine::digest_of(const Warp& w) const {
  Digest digest;
  digest.add(w.base[0], kernel_->register_bytes);
  digest.add(static_cast<std::uint64_t>(w.next - w.code));
  digest.add(std::uint64_t{w.alive} << 32 | w.mask);
  return digest.value();
}

/// Checks are rare, so their time does not matter.
bool Machine::is_deadlocked(std::uint64_t round) {
  if (executed_cta_ < deadlock_watch_.next_look) return deadlock_watch_.same;
  const std::size_t bytes = kernel_->register_bytes * warps_.size();
  deadlock_watch_.next_look =
      executed_cta_ + std::max<std::uint64_t>(DeadlockWatch::first_look, 4 * (bytes + state_.shared.size()));
  const std::uint64_t now = digest();
  deadlock_watch_.same = deadlock_watch_.looks != 0 && now == deadlock_watch_.seen;
  deadlock_watch_.same_round = round;
  if (!deadlock_watch_.same &&
      (deadlock_watch_.looks & (deadlock_watch_.looks - 1)) == 0) {  // after 0, 1, 2, 4, 8 ... looks
    deadlock_watch_.seen = now;
    deadlock_watch_.seen_round = round;
  }
  ++deadlock_watch_.looks;
  return deadlock_watch_.same;
}

/// Begins a few more thread blocks and gives each one that runs a turn.
void Machine::take_turns(bool record) {
  PendingBlocks& all = pending_;
  for (std::size_t n = 0; n < begin_a_round && all.running.size() < most_resident && all.next < info_.ctas();
       ++n) {
    all.machines.push_back(start_block(all.next++, record));
    all.running.push_back(all.machines.back().get());
  }
  ++all.round;
  std::vector<Machine*> next;
  // The launch is deadlocked if all its blocks were in polling loops at one time, and still are.
  const bool all_begun = all.next == info_.ctas() || all.running.size() == most_resident;
  bool stuck = all_begun, waits = all_begun;
  std::uint64_t last_seen = 0, first_same = all.round;
  for (Machine* one : all.running) {
    if (!one->go_on()) {
      stuck = waits = false;
      continue;
    }
    waits = waits && one->idle_rounds_ >= most_idle_rounds;
    stuck = one->is_deadlocked(all.round) && stuck;
    last_seen = std::max(last_seen, one->deadlock_watch_.seen_round);
    first_same = std::min(first_same, one->deadlock_watch_.same_round);
    next.push_back(one);
  }
  all.running.swap(next);
  if (waits) {
    if (!wait_for_host(all.running)) abandoned_ = true;
    return;
  }
  if (!stuck || last_seen >= first_same) return;
  fail_deadlocked(all.running);
}

/// Nothing on the device can end the waits of these blocks.
void Machine::fail_deadlocked(const std::vector<Machine*>& all) const {
  const Warp* at = &all.front()->warps_.front();
  const auto ready = [](const Warp& w) { return w.state == Warp::State::ready; };
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    const auto found = std::find_if((*one)->warps_.begin(), (*one)->warps_.end(), ready);
    if (found != (*one)->warps_.end()) at = &*found;
  }
  const std::string text =
      "no end: " +
      std::string(all.size() == 1 ? "this loop waits for a value that is never written"
                                  : "all thread blocks of the launch wait for each other") +
      "; here warp " + std::to_string(at->index);
  fault(*at, ready(*at) ? at->next : at->code, ready(*at) ? __builtin_ctz(at->mask) : -1, text.c_str());
}

/// All running blocks poll: the host or another kernel may end that. False if the launch may be abandoned.
bool Machine::wait_for_host(const std::vector<Machine*>& all) {
  PtxWaiting waiting;
  std::uint64_t digest = all.size();
  for (const Machine* const one : all) {
    digest = digest * 0x9e3779b97f4a7c15 ^ one->digest();
    waiting.executed += one->executed_;
  }
  waiting.state = digest;
  for (const Machine* const one : all)
    for (const Warp& w : one->warps_)
      if (w.state == Warp::State::ready && waiting.where.empty())
        waiting.where = place_of(w, w.next, __builtin_ctz(w.mask));
  PtxWaiting::Next next = PtxWaiting::Next::fault;
  if (options_.wait) {
    next = options_.wait(waiting);
  } else if (waiting.state != last_state_ && ++asked_ < options_.watchdog / instructions_a_look) {
    next = PtxWaiting::Next::again;  // they count iterations, or read the clock
    last_state_ = waiting.state;
  }
  if (next == PtxWaiting::Next::fault) fail_deadlocked(all);
  if (next == PtxWaiting::Next::stop) {
    abandoned_ = true;
    return false;
  }
  for (Machine* const one : all) {
    one->clear_checked_ranges();
    one->idle_rounds_ = most_idle_rounds - 2;
  }
  return true;
}

/// Called when memory may have been allocated or freed.
void Machine::clear_checked_ranges() {
  std::fill(state_.hints.begin(), state_.hints.end(), nullptr);
  std::fill(state_.checked_ranges.begin(), state_.checked_ranges.end(), CheckedRange());
  if (state_.read_only.size() != state_.memory->allocations().size()) state_.read_only.clear();
}

/// The running thread block waits: later blocks begin, and it runs to its end.
const Machine& Machine::run_with_pending(bool record) {
  const std::uint64_t turn = turn_;
  turn_ = PendingBlocks::short_turn;
  pending_ = PendingBlocks{};
  pending_.running.push_back(this);
  pending_.first = pending_.next = state_.cta + 1;
  do take_turns(record);
  while (!abandoned_ &&
         std::find(pending_.running.begin(), pending_.running.end(), this) != pending_.running.end());
  turn_ = turn;
  count();
  return *this;
}

/// Ends a block that has begun together with an earlier one.
const Machine& Machine::end_pending(std::uint64_t cta, bool record) {
  auto& one = pending_.machines[cta - pending_.first];
  while (!abandoned_ &&
         std::find(pending_.running.begin(), pending_.running.end(), one.get()) != pending_.running.end())
    take_turns(record);
  return adopt(std::move(one));
}

namespace {

/// Lanes that have not exited, wherever they wait.
std::uint32_t lanes_alive(const Warp& w) {
  std::uint32_t lanes = w.alive;
  for (const DivergedLanes& one : w.stack->diverged) lanes |= one.alive;
  return lanes;
}

}  // namespace

/// barrier.cluster: arrive (code 0) does not wait; wait lasts until all threads of the cluster have arrived.
const Op* do_cluster_barrier(Warp& w, const Op* op) {
  if (op->code == 0) {
    const std::uint32_t again = w.cluster_arrived & w.mask;
    if (again != 0)
      fault(w, op, __builtin_ctz(again),
            "this thread has arrived at the barrier of the cluster already; it has to wait there first");
    ++w.new_values;
    w.cluster_arrived |= w.mask;
    w.cluster_passed &= ~w.mask;
    return op + 1;
  }
  const std::uint32_t absent = w.mask & ~(w.cluster_arrived | w.cluster_passed);
  if (absent != 0)
    fault(w, op, __builtin_ctz(absent),
          "this thread waits at the barrier of the cluster, where it has not arrived");
  if ((w.mask & ~w.cluster_passed) == 0) {
    ++w.new_values;
    w.cluster_passed &= ~w.mask;
    return op + 1;
  }
  w.state = Warp::State::cluster;
  w.waiting = w.next = op;
  return nullptr;
}

/// True if the barrier of the cluster releases any warp.
bool Machine::release_cluster() {
  bool arrived = false;
  for (const CtaState* cta : state_.peers)
    for (const Warp& w : cta->machine->warps_) {
      if ((lanes_alive(w) & ~w.cluster_arrived) != 0) return false;
      arrived = arrived || w.cluster_arrived != 0;
    }
  if (!arrived) return false;
  for (const CtaState* cta : state_.peers) {
    Machine& machine = *cta->machine;
    machine.since_release_ = 0;
    for (Warp& w : machine.warps_) {
      w.cluster_passed |= w.cluster_arrived;
      w.cluster_arrived = 0;
      if (w.state != Warp::State::cluster) continue;
      w.state = Warp::State::ready;
      w.since_barrier = 0;
    }
  }
  return true;
}

/// Makes the machines of a cluster's thread blocks, in order of rank, peers of each other.
void Machine::form_cluster(const std::vector<Machine*>& machines) {
  std::vector<CtaState*> peers;
  for (Machine* one : machines) peers.push_back(&one->state_);
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    machines[rank]->state_.peers = peers;
    machines[rank]->state_.rank = static_cast<std::uint32_t>(rank);
  }
}

/// The thread blocks of the cluster of `cta`, in order of rank.
std::vector<std::uint64_t> Machine::cluster_of(std::uint64_t cta) const {
  const Dim3 &g = info_.grid, &c = info_.cluster;
  const std::uint64_t x = cta % g.x / c.x * c.x, y = cta / g.x % g.y / c.y * c.y,
                      z = cta / g.x / g.y / c.z * c.z;
  std::vector<std::uint64_t> all;
  for (std::uint64_t k = z; k < z + c.z; ++k)
    for (std::uint64_t j = y; j < y + c.y; ++j)
      for (std::uint64_t i = x; i < x + c.x; ++i) all.push_back((k * g.y + j) * g.x + i);
  return all;
}

/// Runs the machines in turns until all have ended. If all of them wait, the blocks that `more` starts run as
/// well; if it starts none, only the host or another kernel can end the waits.
void Machine::run_turns(std::vector<Machine*> running, const std::function<std::vector<Machine*>()>& more) {
  while (!running.empty() && !abandoned_) {
    std::vector<Machine*> next;
    bool stuck = true, waits = true;
    for (Machine* one : running) {
      const bool goes_on = one->go_on();
      stuck = stuck && goes_on && one->blocked_;
      waits = waits && goes_on && (one->blocked_ || one->idle_rounds_ >= most_idle_rounds);
      if (goes_on) next.push_back(one);
    }
    running.swap(next);
    if (waits && !stuck) {
      const std::vector<Machine*> started = more();
      if (started.empty()) wait_for_host(running);
      running.insert(running.end(), started.begin(), started.end());
    }
    if (!stuck) continue;
    for (const Machine* one : running)
      for (const Warp& w : one->warps_)
        if (w.state == Warp::State::cluster)
          fault(
              w, w.waiting, __builtin_ctz(w.mask),
              "not all threads of the cluster arrive at this barrier: a thread block of it waits elsewhere");
  }
}

/// Starts the thread blocks of the cluster whose first block is `cta`.
std::vector<Machine*> Machine::start_cluster(std::uint64_t cta, bool record) {
  std::vector<Machine*> machines;
  for (const std::uint64_t one : cluster_of(cta)) {
    if (idle_.empty()) {
      in_cluster_[one] = start_block(one, record);
    } else {
      idle_.back()->stats = {};
      idle_.back()->start_cta(one, record);
      in_cluster_[one] = std::move(idle_.back());
      idle_.pop_back();
    }
    machines.push_back(in_cluster_[one].get());
  }
  form_cluster(machines);
  return machines;
}

/// The first request for a block of a cluster runs the whole cluster; each block keeps its record. If they
/// wait for later clusters, these run as well.
const Machine& Machine::run_cluster(std::uint64_t cta, bool record) {
  if (in_cluster_.count(cta) == 0) {
    std::uint64_t behind = cta;
    run_turns(start_cluster(cta, record), [&] {
      while (++behind < info_.ctas() && in_cluster_.size() < most_resident)
        if (in_cluster_.count(behind) == 0 && cluster_of(behind)[0] == behind)
          return start_cluster(behind, record);
      return std::vector<Machine*>();
    });
  }
  const auto found = in_cluster_.find(cta);
  if (ended_ != nullptr) idle_.push_back(std::move(ended_));
  std::unique_ptr<Machine> one = std::move(found->second);
  in_cluster_.erase(found);
  return adopt(std::move(one));
}

/// The first request runs all thread blocks; each keeps its record.
const Machine& Machine::run_cooperative(std::uint64_t cta, bool record) {
  if (cta == 0) start_cooperative(record);
  return adopt(std::move(cooperative_.at(cta)));
}

/// Takes over the results of another machine.
const Machine& Machine::adopt(std::unique_ptr<Machine> from) {
  ended_ = std::move(from);
  Machine& one = *ended_;
  one.count();
  stats.warp_instructions += one.stats.warp_instructions;
  stats.thread_instructions += one.stats.thread_instructions;
  stats.executed_instructions += one.stats.executed_instructions;
  stats.executed_thread_instructions += one.stats.executed_thread_instructions;
  stats.waits += one.stats.waits;
  stats.waiting_rounds += one.stats.waiting_rounds;
  for (const auto& [reason, count] : one.stats.gaps) stats.gaps[reason] += count;
  return one;
}

/// Starts a thread block on a machine of its own.
std::unique_ptr<Machine> Machine::start_block(std::uint64_t cta, bool record) {
  PtxOptions options = options_;
  if (options.read_only == PtxOptions::ReadOnly::oracle) options.read_only = PtxOptions::ReadOnly::none;
  options.progress = nullptr;
  auto one = std::make_unique<Machine>(launch_, *state_.memory, options);
  one->turn_ = PendingBlocks::short_turn;
  one->reported_ = reported_;
  one->state_.journal = state_.journal;
  one->state_.written = state_.written;
  one->start_cta(cta, record);
  return one;
}

void Machine::start_cooperative(bool record) {
  if (info_.ctas() > most_resident)
    throw TraceError(Fault{{program_->path(), 0, 0},
                           "cooperative launch of kernel " + info_.name + ": expected at most " +
                               std::to_string(most_resident) + " thread blocks, found " +
                               std::to_string(info_.ctas())});
  state_.memory->grid_workspace(true);
  cooperative_.clear();
  for (std::uint64_t cta = 0; cta < info_.ctas(); ++cta) cooperative_.push_back(start_block(cta, record));
  std::vector<Machine*> running;
  for (const auto& one : cooperative_) running.push_back(one.get());
  if (info_.cluster.count() > 1)
    for (std::uint64_t cta = 0; cta < info_.ctas(); ++cta) {
      const std::vector<std::uint64_t> all = cluster_of(cta);
      if (all[0] != cta) continue;
      std::vector<Machine*> machines;
      for (const std::uint64_t one : all) machines.push_back(running[one]);
      form_cluster(machines);
    }
  run_turns(running, [] { return std::vector<Machine*>(); });
}

}  // namespace strata::traces::ptx
