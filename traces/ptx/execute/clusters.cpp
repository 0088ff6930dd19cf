// Thread block clusters: their thread blocks are alive at once, take turns, reach each other's shared memory
// and meet at a barrier of their own.
#include <algorithm>

#include "models/common/faults.h"
#include "traces/ptx/execute/machine.h"

namespace strata::traces::ptx {
namespace {

/// Lanes that have not left the kernel, wherever they wait.
std::uint32_t lanes_alive(const Warp& w) {
  std::uint32_t lanes = w.alive;
  for (const LanesApart& one : w.stack->apart) lanes |= one.alive;
  return lanes;
}

}  // namespace

/// barrier.cluster: arrive (code 0) goes on; wait goes on when all threads of the cluster have arrived.
const Op* do_cluster_barrier(Warp& w, const Op* op) {
  if (op->code == 0) {
    const std::uint32_t again = w.cluster_arrived & w.mask;
    if (again != 0)
      fault(w, op, __builtin_ctz(again),
            "this thread has arrived at the barrier of the cluster already; it has to wait there first");
    ++w.news;
    w.cluster_arrived |= w.mask;
    w.cluster_passed &= ~w.mask;
    return op + 1;
  }
  const std::uint32_t absent = w.mask & ~(w.cluster_arrived | w.cluster_passed);
  if (absent != 0)
    fault(w, op, __builtin_ctz(absent),
          "this thread waits at the barrier of the cluster, where it has not arrived");
  if ((w.mask & ~w.cluster_passed) == 0) {
    ++w.news;
    w.cluster_passed &= ~w.mask;
    return op + 1;
  }
  w.state = Warp::State::cluster;
  w.waiting = w.next = op;
  return nullptr;
}

/// Whether the barrier of the cluster lets somebody go on.
bool Machine::release_cluster() {
  bool arrived = false;
  for (const CtaState* cta : state_.mates)
    for (const Warp& w : cta->machine->warps_) {
      if ((lanes_alive(w) & ~w.cluster_arrived) != 0) return false;
      arrived = arrived || w.cluster_arrived != 0;
    }
  if (!arrived) return false;
  for (const CtaState* cta : state_.mates) {
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

/// Machines of the thread blocks of one cluster, by rank, know each other.
void Machine::form_cluster(const std::vector<Machine*>& machines) {
  std::vector<CtaState*> mates;
  for (Machine* one : machines) mates.push_back(&one->state_);
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    machines[rank]->state_.mates = mates;
    machines[rank]->state_.rank = static_cast<std::uint32_t>(rank);
  }
}

/// The thread blocks of the cluster that `cta` belongs to, by rank.
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

/// In turns, to the end of all. When all of them wait, those that `more` starts run as well; when it starts
/// none, it is the host, or another kernel, that may end this.
void Machine::run_turns(std::vector<Machine*> running, const std::function<std::vector<Machine*>()>& more) {
  while (!running.empty() && !abandoned_) {
    std::vector<Machine*> next;
    bool stuck = true, waits = true;
    for (Machine* one : running) {
      const bool goes_on = one->go_on();
      stuck = stuck && goes_on && one->blocked_;
      waits = waits && goes_on && (one->blocked_ || one->rounds_in_vain_ >= rounds_still);
      if (goes_on) next.push_back(one);
    }
    running.swap(next);
    if (waits && !stuck) {
      const std::vector<Machine*> started = more();
      if (started.empty()) wait_outside(running);
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

/// The thread blocks of the cluster that `cta` is the first of.
std::vector<Machine*> Machine::start_cluster(std::uint64_t cta, bool record) {
  std::vector<Machine*> machines;
  for (const std::uint64_t one : cluster_of(cta)) {
    if (idle_.empty()) {
      in_cluster_[one] = start_other(one, record);
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

/// The first thread block of a cluster that is asked for makes all of it run; each keeps what it recorded.
/// When they wait for clusters behind theirs, these run as well.
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
  return hand_over(std::move(one));
}

}  // namespace strata::traces::ptx
