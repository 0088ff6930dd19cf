#include "traces/accelsim/thread_block_finish.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

#include "models/common/coalesce.h"
#include "traces/local_memory.h"

namespace strata::traces {
namespace {

constexpr std::uint16_t retried = 1U << 8, most_operand = 0xffff;
constexpr unsigned rank_shift = 24;
constexpr Address within_block = (Address{1} << rank_shift) - 1;
constexpr std::uint64_t most_announced = expect_alone - 1;  // units of 16 bytes

bool is_wait(const WarpInstruction& i) {
  return i.sync == Sync::mbarrier_wait;
}
bool is_arrival(const WarpInstruction& i) {
  return i.sync == Sync::mbarrier_arrive || i.sync == Sync::mbarrier_expect ||
         i.sync == Sync::mbarrier_copies;
}
bool is_at_address(const WarpInstruction& i) {
  return is_wait(i) || is_arrival(i) || i.sync == Sync::mbarrier_init;
}
bool ends_load(const WarpInstruction& i) {
  return i.sync == Sync::bulk_commit && i.stride == barrier_lost;
}

/// Skips instructions between two tries of a wait that belong to the loop.
bool ends_tries(const WarpInstruction& i, bool copies) {
  const bool counts = i.op != OpClass::alu && i.op != OpClass::other;
  const bool waits = i.sync != Sync::none && (i.sync != Sync::copy_wait || copies);
  const auto computes = [&](Unit unit) { return i.units[counted_place(unit)] != 0; };
  return counts || waits || i.async || i.bulk || computes(Unit::sp) || computes(Unit::dp) ||
         computes(Unit::tensor);
}

struct Barrier {
  std::uint64_t arrivals = 0;         ///< of lanes of this thread block
  std::uint64_t more_arrivals = 0;    ///< by copies, in addition to the barrier's count
  std::vector<std::uint32_t> events;  ///< by warp: instructions that arrive
  std::vector<std::uint32_t> waits;   ///< by warp
  std::vector<std::uint32_t> copies;  ///< bulk copies without an earlier arrival of their warp
  std::uint32_t count = 0;            ///< arrivals, if the trace has it
  bool made = false;
  bool remote =
      false;  ///< warps arrive at other blocks' barriers at this address, so others arrive at this block's
  bool data = false;   ///< counts bytes or copies
  bool fixed = false;  ///< `passes` is known
  bool lost = false;   ///< cannot be resolved

  std::uint64_t each = 0;    ///< arrivals per phase
  std::uint64_t phases = 0;  ///< number of phases
  unsigned passes = 0;       ///< waits at its start for a phase before the first: 0 or 1
  // In the replay:
  std::uint64_t pending = 0;  ///< missing arrivals of the current phase
  std::int64_t bytes = 0;     ///< expected and missing, in units of 16
  std::uint64_t ended = 0;    ///< ended phases

  /// PTX ISA, "mbarrier".
  void take(std::uint64_t lanes, std::int64_t units) {
    if (each == 0) return;
    bytes += units;
    pending -= std::min(pending, lanes);
    if (pending != 0 || bytes != 0) return;
    pending = each;
    ++ended;
  }
  bool lets_go(std::uint32_t nth) const { return lost || ended + passes >= std::uint64_t{nth} + 1; }
  std::uint32_t most_waits() const { return *std::max_element(waits.begin(), waits.end()); }
};

class MBarriers {
 public:
  MBarriers(CtaTrace& cta, const KernelHeader& header) : cta_(cta), header_(header) {}

  std::uint64_t resolve() {
    if (!leave_out_tries()) return 0;
    find_own_rank();
    count();
    announce_copies();
    for (auto& [address, barrier] : barriers_) find_phases(barrier);
    spread_copies();
    replay();
    rewrite();
    return elsewhere_;
  }

 private:
  /// Where an instruction that the replay stops at, or counts, is.
  struct Step {
    std::uint32_t instruction;
    std::uint32_t nth;  ///< index of a wait among its warp's waits at this barrier
  };
  struct Meeting {
    unsigned arrived = 0, generation = 0;
  };
  struct Walker {
    std::vector<Step> steps;
    std::size_t at = 0;
    bool arrived = false;  // at the barrier before it
    unsigned generation = 0, cluster_generation = 0;
    bool ended() const { return at == steps.size(); }
  };

  std::uint32_t warps() const { return static_cast<std::uint32_t>(cta_.warps()); }
  template <class Visit>
  void for_each(Visit visit) {
    for (std::uint32_t warp = 0; warp < warps(); ++warp)
      for (std::uint32_t i = cta_.warp_begin[warp]; i < cta_.warp_begin[warp + 1]; ++i)
        visit(warp, i, cta_.instructions[i]);
  }
  /// The 32 bits that addresses of shared memory have.
  Address in_window(Address address) const {
    if (header_.shared_base != 0 && address >= header_.shared_base) address -= header_.shared_base;
    return address & 0xffffffff;
  }
  bool is_own(Address address) const { return in_window(address) >> rank_shift == own_rank_; }
  static std::uint32_t lanes_each(const WarpInstruction& i) {
    return i.stride == 0 ? static_cast<std::uint32_t>(i.active_lanes()) : 1;
  }
  /// Calls visit(barrier) for each barrier that the instruction names.
  template <class Visit>
  void at_each(const WarpInstruction& i, Visit visit) {
    const int addresses = i.stride == 0 ? 1 : i.active_lanes();
    for (int n = 0; n < addresses; ++n) {
      const Address address =
          i.address + static_cast<Address>(static_cast<std::int64_t>(n) * std::int64_t{i.stride});
      visit(barrier_at(static_cast<std::uint32_t>(in_window(address) & within_block)));
    }
  }
  Barrier& barrier_at(std::uint32_t address) {
    Barrier& barrier = barriers_[address];
    if (barrier.waits.empty()) {
      barrier.waits.resize(warps());
      barrier.events.resize(warps());
    }
    return barrier;
  }

  bool leave_out_tries();
  void find_own_rank();
  void count();
  void announce_copies();
  void announce(std::uint32_t arrival, std::uint32_t copy);
  void find_phases(Barrier& barrier) const;
  void spread_copies();
  void replay();
  bool go_on(std::uint32_t warp);
  bool passes(std::uint32_t warp, const Step& step);
  bool meets(Walker& walker, unsigned number, unsigned needed, bool waits);
  void free_one();
  void rewrite();
  void rewrite_wait(std::uint32_t nth, WarpInstruction& wait);
  void rewrite_arrival(std::uint32_t index, WarpInstruction& arrival);
  static void mark_unknown(WarpInstruction& i);
  static void mark_plain(WarpInstruction& i) {
    i.sync = Sync::none;
    i.operand = 0;
  }

  CtaTrace& cta_;
  const KernelHeader& header_;
  Address own_rank_ = 0;
  bool rank_known_ = false;
  std::map<std::uint32_t, Barrier> barriers_;
  std::map<std::uint32_t, std::uint64_t> announced_;  ///< by arrival: units of 16 bytes
  std::uint64_t elsewhere_ = 0;
  std::vector<Walker> walkers_;
  std::map<unsigned, Meeting> meetings_;
};

constexpr unsigned cluster_meeting = 16;

/// Of consecutive tries at one barrier only the last is kept, which succeeds. False: there is nothing to
/// resolve.
bool MBarriers::leave_out_tries() {
  bool any = false;
  for (const WarpInstruction& i : cta_.instructions)
    any = any || is_at_address(i) || ends_load(i) || i.sync == Sync::bulk_arrive;
  if (!any) return false;
  std::vector<WarpInstruction> kept;
  std::vector<std::uint32_t> begin = {0};
  kept.reserve(cta_.instructions.size());
  for (std::uint32_t warp = 0; warp < warps(); ++warp) {
    constexpr std::size_t none = ~std::size_t{0};
    std::size_t wait = none;
    bool copies = false;
    for (std::uint32_t n = cta_.warp_begin[warp]; n < cta_.warp_begin[warp + 1]; ++n) {
      WarpInstruction i = cta_.instructions[n];
      copies = copies || (i.async && !i.bulk && i.op == OpClass::load);
      if (is_wait(i) && i.address_kind == AddressKind::stride) {
        if (wait != none && kept[wait].address == i.address && kept[wait].stride == i.stride) {
          if (i.stride == 0) i.active_mask |= kept[wait].active_mask;
          i.operand |= retried;
          kept.resize(wait);
        }
        wait = kept.size();
      } else if (ends_tries(i, copies)) {
        wait = none;
      }
      kept.push_back(i);
    }
    begin.push_back(static_cast<std::uint32_t>(kept.size()));
  }
  cta_.instructions = std::move(kept);
  cta_.warp_begin = std::move(begin);
  return true;
}

/// Compilers put the rank in the cluster above a barrier's address. A warp that inits a barrier or waits at
/// it is in the barrier's own thread block.
void MBarriers::find_own_rank() {
  for_each([&](std::uint32_t, std::uint32_t, const WarpInstruction& i) {
    if (rank_known_ || (!is_wait(i) && i.sync != Sync::mbarrier_init)) return;
    if (i.address_kind != AddressKind::stride) return;
    own_rank_ = in_window(i.address) >> rank_shift;
    rank_known_ = true;
  });
}

/// Irregular addresses and barriers of other thread blocks are not analysed.
void MBarriers::count() {
  for_each([&](std::uint32_t warp, std::uint32_t, WarpInstruction& i) {
    if (!is_at_address(i)) return;
    if (i.address_kind != AddressKind::stride) return mark_unknown(i);
    if (is_arrival(i) && !is_own(i.address)) {
      at_each(i, [](Barrier& barrier) { barrier.remote = true; });
      return mark_unknown(i);
    }
    at_each(i, [&](Barrier& barrier) {
      if (is_wait(i)) {
        const bool first =
            std::all_of(barrier.waits.begin(), barrier.waits.end(), [](auto n) { return n == 0; });
        if (const unsigned parity = i.operand & ~retried; first && parity != 0) {
          barrier.passes = parity - known_parity;
          barrier.fixed = true;
        }
        ++barrier.waits[warp];
      } else if (i.sync == Sync::mbarrier_init) {
        if (!barrier.made) barrier.count = i.operand;
        barrier.made = true;
      } else {
        ++barrier.events[warp];
        barrier.data = barrier.data || i.sync != Sync::mbarrier_arrive;
        if (i.sync == Sync::mbarrier_arrive)
          barrier.arrivals += std::uint64_t{i.operand} * lanes_each(i);
        else if (i.sync == Sync::mbarrier_copies && i.operand == 0)
          barrier.more_arrivals += lanes_each(i);
        else if (i.operand != expect_alone)
          barrier.arrivals += lanes_each(i);
      }
    });
  });
}

void MBarriers::announce(std::uint32_t arrival, std::uint32_t copy) {
  announced_[arrival] += cta_.instructions[copy].operand;
}

/// The bytes of a bulk copy belong to the phase of its warp's arrival before it, else of the next one. A copy
/// without a barrier belongs to the one at which its warp last expected bytes.
void MBarriers::announce_copies() {
  for (std::uint32_t warp = 0; warp < warps(); ++warp) {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    std::map<std::uint32_t, std::uint32_t> last;  // arrivals, by address
    std::map<std::uint32_t, std::vector<std::uint32_t>> early;
    std::uint32_t expected = none;
    for (std::uint32_t n = cta_.warp_begin[warp]; n < cta_.warp_begin[warp + 1]; ++n) {
      WarpInstruction& i = cta_.instructions[n];
      if (ends_load(i)) {
        i.stride = 0;
        if (expected == none) {
          i.operand = 0;
          continue;
        }
        i.op = OpClass::shared_store;
        i.sync = Sync::bulk_arrive;
        i.active_mask = 1;
        i.width = 8;
        i.address_kind = AddressKind::stride;
        i.address = cta_.instructions[expected].address;
      }
      const auto address = static_cast<std::uint32_t>(in_window(i.address) & within_block);
      if (i.sync == Sync::bulk_arrive) {
        if (rank_known_ && in_window(i.address) >> rank_shift != 0 && !is_own(i.address)) {
          ++elsewhere_;
          i.op = OpClass::other;
          i.sync = Sync::bulk_commit;
          i.operand = 0;
          i.address_kind = AddressKind::none;
          continue;
        }
        i.address = address;
        barrier_at(address).data = true;
        if (const auto found = last.find(address); found != last.end())
          announce(found->second, n);
        else
          early[address].push_back(n);
      } else if (is_arrival(i) && i.stride == 0) {
        last[address] = n;
        if (i.sync == Sync::mbarrier_expect) expected = n;
        for (const std::uint32_t copy : early[address]) announce(n, copy);
        early[address].clear();
      }
    }
    for (const auto& [address, copies] : early) {
      Barrier& barrier = barrier_at(address);
      barrier.copies.insert(barrier.copies.end(), copies.begin(), copies.end());
    }
  }
}

/// Number of phases: the most waits of a warp, or the arrivals of a warp if that fits better. Barriers that
/// signal free buffers have one more arrival, or one more wait, which passes before the first phase.
void MBarriers::find_phases(Barrier& barrier) const {
  const std::uint64_t waits = barrier.most_waits();
  if (waits == 0) return;
  if (barrier.arrivals == 0) std::swap(barrier.arrivals, barrier.more_arrivals);
  const std::uint64_t all = barrier.arrivals;
  if (all == 0) {
    barrier.lost = true;
    return;
  }
  if (barrier.count != 0 && !barrier.remote) {
    barrier.each = barrier.count;
    barrier.phases = all / barrier.count;
  } else {
    std::uint64_t of_a_warp = 0;
    for (const std::uint32_t events : barrier.events) of_a_warp = std::gcd(of_a_warp, std::uint64_t{events});
    const auto fits = [&](std::uint64_t phases) { return phases != 0 && all % phases == 0; };
    const auto near = [&](std::uint64_t phases) { return phases + 1 >= waits && phases <= waits + 1; };
    for (const std::uint64_t phases : {barrier.data ? waits : 0, near(of_a_warp) ? of_a_warp : 0, waits,
                                       waits + 1, waits - 1, of_a_warp >= waits ? of_a_warp : 0}) {
      if (!fits(phases)) continue;
      barrier.phases = phases;
      barrier.each = all / phases;
      break;
    }
  }
  barrier.lost = barrier.phases == 0 || barrier.phases + 1 < waits || barrier.each > most_operand ||
                 (barrier.each != 1 && !barrier.made);
  if (!barrier.lost && barrier.phases < waits) {
    barrier.lost = barrier.fixed && barrier.passes == 0;
    barrier.passes = 1;
    barrier.fixed = true;
  }
}

/// Copies of warps that do not arrive at their barrier: the same number in each phase, announced by an
/// arrival of the phase.
void MBarriers::spread_copies() {
  std::map<std::uint32_t, std::vector<std::uint32_t>>
      arrivals;  // of the warp with the most arrivals, by address
  for (auto& [address, barrier] : barriers_) {
    if (barrier.copies.empty() || barrier.phases == 0) continue;
    const auto most = std::max_element(barrier.events.begin(), barrier.events.end());
    const auto warp = static_cast<std::size_t>(most - barrier.events.begin());
    if (*most % barrier.phases != 0 || barrier.copies.size() % barrier.phases != 0) {
      barrier.lost = true;
      continue;
    }
    std::vector<std::uint32_t> of_warp;
    for (std::uint32_t n = cta_.warp_begin[warp]; n < cta_.warp_begin[warp + 1]; ++n) {
      const WarpInstruction& i = cta_.instructions[n];
      if (is_arrival(i) && i.stride == 0 && (in_window(i.address) & within_block) == address)
        of_warp.push_back(n);
    }
    if (of_warp.size() != *most) {
      barrier.lost = true;
      continue;
    }
    const std::size_t copies = barrier.copies.size() / barrier.phases,
                      events = of_warp.size() / barrier.phases;
    for (std::size_t c = 0; c < barrier.copies.size(); ++c)
      announce(of_warp[c / copies * events], barrier.copies[c]);
  }
}

/// `waits`: released when `needed` warps have arrived. True if it is released now.
bool MBarriers::meets(Walker& walker, unsigned number, unsigned needed, bool waits) {
  Meeting& meeting = meetings_[number];
  if (!walker.arrived) {
    walker.generation = meeting.generation;
    walker.arrived = true;
    ++meeting.arrived;
  }
  if (meeting.arrived >= needed) {
    meeting.arrived = 0;
    ++meeting.generation;
  }
  if (waits && meeting.generation == walker.generation) return false;
  walker.arrived = false;
  return true;
}

bool MBarriers::passes(std::uint32_t warp, const Step& step) {
  Walker& walker = walkers_[warp];
  const WarpInstruction& i = cta_.instructions[step.instruction];
  if (is_wait(i)) {
    bool all = true;
    at_each(i, [&](const Barrier& b) { all = all && b.lets_go(step.nth); });
    return all;
  }
  if (is_arrival(i)) {
    const bool none = i.operand == expect_alone && i.sync == Sync::mbarrier_expect;
    const std::uint64_t count = none ? 0 : i.sync == Sync::mbarrier_arrive ? i.operand : 1;
    const auto announced = announced_.find(step.instruction);
    const auto units = announced == announced_.end() ? 0 : static_cast<std::int64_t>(announced->second);
    at_each(i, [&](Barrier& b) {
      const bool more = i.sync == Sync::mbarrier_copies && i.operand == 0 && b.more_arrivals != 0;
      b.take(more ? 0 : count * lanes_each(i), units);
    });
    return true;
  }
  if (i.sync == Sync::bulk_arrive) {
    at_each(i, [&](Barrier& b) { b.take(0, -std::int64_t{i.operand}); });
    return true;
  }
  if (i.sync == Sync::cluster_arrive) {
    walker.cluster_generation = meetings_[cluster_meeting].generation;
    return meets(walker, cluster_meeting, warps(), false);
  }
  if (i.sync == Sync::cluster_wait) return meetings_[cluster_meeting].generation != walker.cluster_generation;
  if (i.sync == Sync::none) {
    const auto live =
        std::count_if(walkers_.begin(), walkers_.end(), [](const Walker& w) { return !w.ended(); });
    return meets(walker, 0, static_cast<unsigned>(live), true);
  }
  const unsigned needed = barrier_warps(i.operand) != 0 ? barrier_warps(i.operand) : warps();
  return meets(walker, barrier_of(i.operand) + 32, needed, i.sync == Sync::barrier_sync);
}

/// True if the warp made progress.
bool MBarriers::go_on(std::uint32_t warp) {
  Walker& walker = walkers_[warp];
  const std::size_t before = walker.at;
  while (!walker.ended() && passes(warp, walker.steps[walker.at])) ++walker.at;
  return walker.at != before;
}

/// Deadlock: a barrier at which a warp waits for the first time may signal free buffers, which exist at the
/// start; bytes and failed tries exclude that. If there is no such barrier, the waits are marked as unknown.
void MBarriers::free_one() {
  Barrier* found = nullptr;
  std::vector<Barrier*> blocked;
  for (const Walker& walker : walkers_) {
    if (walker.ended()) continue;
    const Step& step = walker.steps[walker.at];
    const WarpInstruction& i = cta_.instructions[step.instruction];
    if (!is_wait(i)) continue;
    at_each(i, [&](Barrier& b) {
      if (b.lets_go(step.nth)) return;
      blocked.push_back(&b);
      if (found == nullptr && step.nth == 0 && !b.fixed && !b.data && (i.operand & retried) == 0) found = &b;
    });
  }
  if (found != nullptr) {
    found->passes = 1;
    found->fixed = true;
    return;
  }
  for (Barrier* barrier : blocked) barrier->lost = true;
  if (!blocked.empty()) return;
  for (Walker& walker : walkers_)  // they wait for warps that have ended
    if (!walker.ended()) {
      ++walker.at;
      walker.arrived = false;
    }
}

/// Replays all synchronization without time: the resolved waits must not deadlock.
void MBarriers::replay() {
  for (auto& [address, barrier] : barriers_) barrier.pending = barrier.each;
  walkers_.resize(warps());
  std::map<std::pair<std::uint32_t, Address>, std::uint32_t> waits;
  for_each([&](std::uint32_t warp, std::uint32_t n, const WarpInstruction& i) {
    if (is_wait(i)) {
      const auto address = static_cast<std::uint32_t>(in_window(i.address) & within_block);
      walkers_[warp].steps.push_back({n, waits[{warp, address}]++});
    } else if (is_arrival(i) || i.sync == Sync::bulk_arrive || i.op == OpClass::barrier ||
               i.sync == Sync::cluster_arrive || i.sync == Sync::cluster_wait) {
      walkers_[warp].steps.push_back({n, 0});
    }
  });
  for (;;) {
    bool further = false, left = false;
    for (std::uint32_t warp = 0; warp < warps(); ++warp) {
      further = go_on(warp) || further;
      left = left || !walkers_[warp].ended();
    }
    if (!left) return;
    if (!further) free_one();
  }
}

void MBarriers::mark_unknown(WarpInstruction& i) {
  i.op = OpClass::other;
  i.sync = Sync::none;
  i.async = true;
  i.operand = 0;
  i.width = 0;
  i.address_kind = AddressKind::none;
  i.address = 0;
  i.stride = 0;
}

void MBarriers::rewrite_wait(std::uint32_t nth, WarpInstruction& wait) {
  bool lost = false;
  unsigned passes = 2;
  at_each(wait, [&](const Barrier& b) {
    lost = lost || b.lost || (passes != 2 && passes != b.passes);
    passes = b.passes;
  });
  if (lost) return mark_unknown(wait);
  wait.sync = Sync::mbarrier_phase;
  wait.operand = static_cast<std::uint16_t>(nth + 1 - passes);
  if (wait.operand == 0) mark_plain(wait);
}

void MBarriers::rewrite_arrival(std::uint32_t index, WarpInstruction& arrival) {
  bool ends = false, more = false;
  at_each(arrival, [&](const Barrier& b) {
    ends = ends || (!b.lost && b.each != 0);
    more = more || b.more_arrivals != 0;
  });
  if (!ends) return mark_plain(arrival);
  if (arrival.sync == Sync::mbarrier_copies && !more) arrival.operand = 1;
  const auto found = announced_.find(index);
  if (found == announced_.end()) return;
  arrival.operand = static_cast<std::uint16_t>((arrival.operand == expect_alone ? expect_alone : 0) |
                                               found->second / lanes_each(arrival));
  arrival.sync = Sync::mbarrier_expect;
}

void MBarriers::rewrite() {
  // An arrival with an unknown number of bytes makes its barrier's waits unknown.
  for (const auto& [index, units] : announced_) {
    const WarpInstruction& i = cta_.instructions[index];
    const std::uint32_t lanes = lanes_each(i);
    const bool sayable = i.sync != Sync::mbarrier_copies &&
                         (i.sync == Sync::mbarrier_expect || i.operand == 1) && units % lanes == 0 &&
                         units / lanes <= most_announced;
    if (!sayable) at_each(i, [](Barrier& b) { b.lost = true; });
  }
  std::map<std::pair<std::uint32_t, Address>, std::uint32_t> waits;
  for_each([&](std::uint32_t warp, std::uint32_t n, WarpInstruction& i) {
    if (!is_at_address(i)) return;
    i.address = in_window(i.address) & within_block;
    if (is_wait(i)) return rewrite_wait(waits[{warp, i.address}]++, i);
    if (is_arrival(i)) return rewrite_arrival(n, i);
    std::uint64_t each = 0;
    bool same = true;
    at_each(i, [&](Barrier& b) {
      const std::uint64_t here = b.lost || !b.made ? 0 : b.each;
      same = same && (each == 0 || each == here);
      each = here;
      b.made = false;  // warps that init it again do not take part
    });
    if (each == 0 || !same) return mark_plain(i);
    i.operand = static_cast<std::uint16_t>(each);
  });
}

/// The barrier of a cluster is for all warps: if some never arrive, it does not wait.
void check_clusters(CtaTrace& cta) {
  std::vector<unsigned> arrivals(cta.warps());
  bool any = false, paired = true;
  for (std::uint32_t warp = 0; warp < cta.warps(); ++warp)
    for (std::uint32_t n = cta.warp_begin[warp]; n < cta.warp_begin[warp + 1]; ++n) {
      const Sync sync = cta.instructions[n].sync;
      any = any || sync == Sync::cluster_arrive || sync == Sync::cluster_wait;
      arrivals[warp] += sync == Sync::cluster_arrive ? 1 : 0;
      paired = paired && (sync != Sync::cluster_wait || arrivals[warp] != 0);
    }
  const auto other = [&](unsigned n) { return n != arrivals.front(); };
  if (!any || (paired && std::none_of(arrivals.begin(), arrivals.end(), other))) return;
  for (WarpInstruction& i : cta.instructions)
    if (i.sync == Sync::cluster_arrive || i.sync == Sync::cluster_wait) {
      i.sync = Sync::none;
      i.operand = 0;
      i.async = true;
    }
}

}  // namespace

std::uint64_t resolve_mbarriers(CtaTrace& cta, const KernelHeader& header) {
  check_clusters(cta);
  return MBarriers(cta, header).resolve();
}

namespace {

/// Calls visit(warp, instruction) for every instruction.
template <class Cta, class Visit>
void for_each_instruction(Cta& cta, Visit visit) {
  for (std::uint32_t warp = 0; warp < cta.warps(); ++warp)
    for (std::uint32_t i = cta.warp_begin[warp]; i < cta.warp_begin[warp + 1]; ++i)
      visit(warp, cta.instructions[i]);
}

bool is_barrier(const WarpInstruction& instruction) {
  return instruction.sync == Sync::barrier_sync || instruction.sync == Sync::barrier_arrive;
}

}  // namespace

std::uint64_t ThreadBlockFinish::finish(CtaTrace& cta) const {
  resolve_barriers(cta);
  const std::uint64_t elsewhere = resolve_mbarriers(cta, header_);
  place_local(cta);
  return elsewhere;
}

/// A barrier without a number of threads is for the warps that name it. If the tracer has lost the barrier's
/// number, those with one number of threads are one barrier if a warp arrives there without waiting; else
/// consecutive warps form groups.
void ThreadBlockFinish::resolve_barriers(CtaTrace& cta) const {
  constexpr unsigned last_barrier = 15;
  const auto all = static_cast<unsigned>(cta.warps());
  std::array<std::uint32_t, last_barrier + 1> naming{};  // bit w: warp w
  struct Lost {
    std::uint32_t warps = 0;
    bool arrivals = false;
  };
  std::map<unsigned, Lost> lost;  // by the number of warps
  for_each_instruction(cta, [&](std::uint32_t warp, const WarpInstruction& instruction) {
    if (!is_barrier(instruction)) return;
    if (instruction.stride != number_lost) {
      naming[barrier_of(instruction.operand)] |= 1U << warp;
      return;
    }
    Lost& of = lost[barrier_warps(instruction.operand)];
    of.warps |= 1U << warp;
    of.arrivals = of.arrivals || instruction.sync == Sync::barrier_arrive;
  });
  for_each_instruction(cta, [&](std::uint32_t warp, WarpInstruction& instruction) {
    if (!is_barrier(instruction)) return;
    unsigned barrier = barrier_of(instruction.operand), meet = barrier_warps(instruction.operand);
    if (instruction.stride == number_lost) {
      const auto kind = lost.find(meet);
      const auto before = static_cast<unsigned>(__builtin_popcount(kind->second.warps & ((1U << warp) - 1)));
      const auto kinds = static_cast<unsigned>(std::distance(lost.begin(), kind));
      barrier = last_barrier - (kinds + (kind->second.arrivals ? 0 : before / meet)) % last_barrier;
      instruction.stride = 0;
    } else if (meet == 0) {
      meet = barrier == 0 ? all : static_cast<unsigned>(__builtin_popcount(naming[barrier]));
    }
    const bool usual = barrier == 0 && meet == all && instruction.sync == Sync::barrier_sync;
    if (usual) instruction.sync = Sync::none;
    instruction.operand = usual ? std::uint16_t{0} : barrier_operand(barrier, meet);
  });
}

void ThreadBlockFinish::place_local(CtaTrace& cta) const {
  const LocalRows rows(header_.info.ctas(), header_.info.warps_per_cta());
  for_each_instruction(cta, [&](std::uint32_t warp, WarpInstruction& instruction) {
    if (!instruction.local || instruction.address_kind == AddressKind::none) return;
    instruction.operand = rows.warps();
    if (header_.local_is_interleaved) return;
    std::array<Address, 32> lanes;
    const int count = lane_addresses(instruction, cta, lanes);
    std::uint32_t left = instruction.active_mask;
    bool regular = true;
    for (int n = 0; n < count; ++n, left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      Address& address = lanes[static_cast<std::size_t>(n)];
      address = rows.address(cta.index, warp, lane, offset_of(address));
      if (n > 1) regular = regular && address - lanes[static_cast<std::size_t>(n) - 1] == lanes[1] - lanes[0];
    }
    const std::int64_t step = count > 1 ? static_cast<std::int64_t>(lanes[1] - lanes[0]) : 0;
    if (regular && step == static_cast<std::int32_t>(step)) {
      instruction.address_kind = AddressKind::stride;
      instruction.address = lanes[0];
      instruction.stride = static_cast<std::int32_t>(step);
      return;
    }
    if (instruction.address_kind != AddressKind::list) {
      instruction.address_kind = AddressKind::list;
      instruction.address = cta.addresses.size();
      instruction.stride = 0;
      cta.addresses.resize(cta.addresses.size() + static_cast<std::size_t>(count));
    }
    std::copy_n(lanes.begin(), count,
                cta.addresses.begin() + static_cast<std::ptrdiff_t>(instruction.address));
  });
}

}  // namespace strata::traces
