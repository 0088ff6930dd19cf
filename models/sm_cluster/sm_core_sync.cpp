// Asynchronous copies and barriers other than the one of all warps.
#include <algorithm>
#include <string>

#include "models/sm_cluster/sm_core_inline.h"

namespace strata {

// A line of local memory or of an asynchronous copy.
void SmCore::count_marked(InstructionWord instruction) {
  if (instruction.async()) ++stats_->async_lines;
  if (!instruction.local()) return;
  const bool store = instruction.op() == OpClass::store;
  ++(store ? stats_->local_store_lines : stats_->local_load_lines);
  if (lsu_.is_last_line()) ++(store ? stats_->local_stores : stats_->local_loads);
}

// The entry in the warp's table of loads. Copies without a line need none.
bool SmCore::begin_copy(int slot, const DecodedInstruction& instruction, std::uint8_t& entry) {
  const unsigned lines = instruction.line_count(next_of(slot).lines);
  if (lines == 0) return true;
  WarpState& warp = warp_at(slot);
  const int found = warp.begin_copy(lines, instruction.first_use(), load_entries_);
  if (found >= 0) {
    entry = static_cast<std::uint8_t>(found);
    return true;
  }
  schedulers_[warp.scheduler].clear_ready(warp.position);
  waits_.memory |= bit(slot);
  return false;
}

// A part of a bulk copy. When too many copies are under way the warp waits for the end of one.
bool SmCore::hand_to_engine(int slot, const DecodedInstruction& instruction, Cycle now) {
  WarpState& warp = warp_at(slot);
  const MemoryOp op{
      instruction.word(), next_of(slot).lines, now, static_cast<std::uint8_t>(slot), no_load_slot, warp.cta};
  if (copies_.add(op, instruction.line_count(next_of(slot).lines), now)) return true;
  schedulers_[warp.scheduler].clear_ready(warp.position);
  waits_.engine |= bit(slot);
  return false;
}

void SmCore::copy_sent(Cycle now) {
  const MemoryOp& op = copies_.queue().head();
  ++in_flight_;
  ++stats_->lines_in_flight;
  ++stats_->line_accesses;
  ++(op.instruction.op() == OpClass::store ? stats_->store_lines : stats_->load_lines);
  ++stats_->copy_lines;
  stats_->sectors += sector_count(copies_.queue().line().sectors);
  stats_->link_wait_cycles += now - std::min(now, copies_.queue().turn());
  copies_.line_sent(now);
}

// A line of a bulk copy is here.
void SmCore::copy_answered(std::uint8_t slot, Cycle now) {
  const CopyEngine::Landed landed = copies_.answered(slot);
  if (!landed.whole) return;
  for (const CopyEngine::Report& report : landed.reports)
    at_barrier(ctas_[landed.cta_place], report.address, now,
               [bytes = report.bytes](CtaBarriers& at, auto here) { return at.bytes_at(here, bytes); });
  Mask waiting = waits_.engine;
  waits_.engine = 0;
  // A warp that waits for a group looks again; if the group has not landed it comes back here.
  for (; waiting != 0; waiting &= waiting - 1) {
    const int warp = __builtin_ctzll(waiting);
    const std::int32_t groups = groups_left_[static_cast<std::size_t>(warp)];
    if (groups >= 0 && !copies_.groups_landed(warp, static_cast<unsigned>(groups))) {
      waits_.engine |= bit(warp);
      continue;
    }
    groups_left_[static_cast<std::size_t>(warp)] = -1;
    schedule(warp, now, now, now);
  }
  if ((waits_.draining & bit(landed.warp)) != 0) end_of_stream(landed.warp, now);
}

// Each bit: one of the barriers at which that warp waits lets it go.
void SmCore::release(Mask warps, Cycle now) {
  for (; warps != 0; warps &= warps - 1) {
    const int slot = __builtin_ctzll(warps);
    if (--barriers_left_[static_cast<std::size_t>(slot)] != 0) continue;
    waits_.barrier &= ~bit(slot);
    schedule(slot, now + 1, now, now);
  }
}

// The warp has issued a synchronizing instruction and does not go on for now.
void SmCore::wait_at_barriers(int slot, unsigned barriers) {
  const WarpState& warp = warp_at(slot);
  schedulers_[warp.scheduler].clear_ready(warp.position);
  barriers_left_[static_cast<std::size_t>(slot)] = static_cast<std::uint8_t>(barriers);
  waits_.barrier |= bit(slot);
}

// The barrier of the warp's thread block cluster. Alone, an SM has none.
bool SmCore::goes_on_in_cluster(int slot, bool arrives, Cycle now) {
  if (meeting_ == nullptr) return true;
  const ResidentCta& cta = ctas_[warp_at(slot).cta];
  const ClusterBarriers::Cluster cluster{cta.kernel_id, cta.cluster};
  const ClusterWarp warp{number_, slot};
  if (arrives) {
    const auto needed = static_cast<unsigned>(cta.kernel->cluster.count() * cta.kernel->warps_per_cta());
    meeting_->release(meeting_->barriers().arrive(cluster, needed, warp), now);
    return true;
  }
  if (meeting_->barriers().wait(cluster, warp)) return true;
  wait_at_barriers(slot, 1);
  return false;
}

// What happens at a barrier in shared memory, which may be that of another thread block of the cluster:
// `does` gets its CTA's barriers and the address there, and says which of its warps go on.
template <class Does>
void SmCore::at_barrier(ResidentCta& cta, std::uint32_t address, Cycle now, Does does) {
  const std::uint32_t rank = address >> SyncWord::rank_shift;
  const std::uint32_t place = address & ((1U << SyncWord::rank_shift) - 1);
  if (rank == 0 || rank - 1 == cta.rank || meeting_ == nullptr)
    return release(does(cta.barriers, place), now);
  const ClusterMeetingIf::Place other = meeting_->find(cta, rank - 1);
  if (other.cta == nullptr) return;  // it has ended
  if (queues_ == nullptr)
    ++stats_->dsmem_own_port;
  else if (other.sm != number_)
    return push_report(cta, other, now, [=](CtaBarriers& at) { return does(at, place); });
  std::vector<ClusterWarp> warps;
  for (Mask freed = does(other.cta->barriers, place); freed != 0; freed &= freed - 1)
    warps.push_back({other.sm, __builtin_ctzll(freed)});
  meeting_->release(warps, now);
}

// What a synchronizing instruction does when it issues. False: its warp waits.
bool SmCore::goes_on(int slot, SyncWord sync, unsigned lanes, Cycle now) {
  if (sync.goes_to_others()) {
    if (queues_ == nullptr) ++stats_->dsmem_own_port;
    return true;
  }
  const std::uint8_t place = warp_at(slot).cta;
  ResidentCta& cta = ctas_[place];
  CtaBarriers& barriers = cta.barriers;
  const unsigned operand = sync.operand();
  // Lanes with one barrier count together.
  const unsigned addresses = lanes == 0 ? 0 : sync.stride() == 0 ? 1 : lanes;
  const unsigned lanes_each = addresses == 0 ? 0 : lanes / addresses;
  const auto address = [&](unsigned n) {
    return sync.address() + n * static_cast<std::uint32_t>(sync.stride());
  };
  switch (sync.sync()) {
    case Sync::barrier_sync:
      wait_at_barriers(slot, 1);
      release(barriers.arrive(barrier_of(sync.operand()), barrier_warps(sync.operand()), bit(slot), true),
              now);
      return false;
    case Sync::barrier_arrive:
      release(barriers.arrive(barrier_of(sync.operand()), barrier_warps(sync.operand()), bit(slot), false),
              now);
      return true;
    case Sync::mbarrier_init:
      for (unsigned n = 0; n < addresses; ++n)
        at_barrier(cta, address(n), now, [=](CtaBarriers& at, auto here) {
          at.init(here, operand);
          return Mask{0};
        });
      return true;
    case Sync::mbarrier_arrive:
      for (unsigned n = 0; n < addresses; ++n)
        at_barrier(cta, address(n), now,
                   [=](CtaBarriers& at, auto here) { return at.arrive_at(here, operand * lanes_each, 0); });
      return true;
    case Sync::mbarrier_expect:
      for (unsigned n = 0; n < addresses; ++n)
        at_barrier(cta, address(n), now, [=](CtaBarriers& at, auto here) {
          const unsigned arrivals = (operand & expect_alone) != 0 ? 0 : lanes_each;
          return at.arrive_at(here, arrivals, std::int64_t{16} * (operand & ~expect_alone) * lanes_each);
        });
      return true;
    case Sync::mbarrier_copies:
      for (unsigned n = 0; n < addresses; ++n) {
        if (operand == 0)  // its own arrival comes on top
          at_barrier(cta, address(n), now, [=](CtaBarriers& at, auto here) {
            at.expect_more(here, lanes_each);
            return Mask{0};
          });
        copies_arrive(slot, address(n), lanes_each, now);
      }
      return true;
    case Sync::mbarrier_wait:
    case Sync::mbarrier_phase: {
      constexpr std::uint32_t here = (1U << SyncWord::rank_shift) - 1;
      unsigned waits = 0;
      for (unsigned n = 0; n < addresses; ++n)
        waits += !(sync.sync() == Sync::mbarrier_wait
                       ? barriers.wait_at(address(n) & here, operand & 1U, bit(slot))
                       : barriers.wait_phases(address(n) & here, sync.operand(), bit(slot)));
      if (waits != 0) wait_at_barriers(slot, waits);
      return waits == 0;
    }
    case Sync::bulk_arrive: {
      const unsigned lines = copies_.lines_reported(slot, warp_at(slot).left);
      const std::uint32_t rank = sync.address() >> SyncWord::rank_shift;
      if (rank != 0 && rank - 1 != cta.rank) stats_->multicast_lines += lines;
      if (copies_.close_for_barrier(slot, place, sync.address(), std::int64_t{16} * operand))
        at_barrier(cta, sync.address(), now, [=](CtaBarriers& at, auto where) {
          return at.bytes_at(where, std::int64_t{16} * operand);
        });
      return true;
    }
    case Sync::bulk_commit:
      copies_.close_for_group(slot);
      return true;
    case Sync::bulk_wait:
      if (copies_.groups_landed(slot, operand)) return true;
      schedulers_[warp_at(slot).scheduler].clear_ready(warp_at(slot).position);
      groups_left_[static_cast<std::size_t>(slot)] = static_cast<std::int32_t>(operand);
      waits_.engine |= bit(slot);
      return false;
    case Sync::none:  // what the source does not hold
      ++(operand == 1 ? stats_->unknown_copies : stats_->unknown_waits);
      return true;
    case Sync::cluster_arrive:
      return goes_on_in_cluster(slot, true, now);
    case Sync::cluster_wait:
      return goes_on_in_cluster(slot, false, now);
    case Sync::copy_commit:
    case Sync::copy_wait:
    case Sync::count_:
      return true;
  }
  return true;
}

// Its arrivals come when the warp's asynchronous copies so far have landed.
void SmCore::copies_arrive(int slot, std::uint32_t address, unsigned arrivals, Cycle now) {
  const std::uint32_t entries = warp_at(slot).close_copies();
  if (entries != 0)
    copies_arrive_.push_back({slot, entries, address, arrivals});
  else
    at_barrier(ctas_[warp_at(slot).cta], address, now,
               [=](CtaBarriers& at, auto here) { return at.arrive_at(here, arrivals, 0); });
}

// All copies of an entry that later ones do not join have landed.
void SmCore::end_copies(int slot, unsigned entry, Cycle now) {
  for (CopiesArrive& one : copies_arrive_)
    if (one.warp == slot) one.entries &= ~(1U << entry);
  for (std::size_t i = 0; i < copies_arrive_.size();) {
    const CopiesArrive one = copies_arrive_[i];
    if (one.entries != 0) {
      ++i;
      continue;
    }
    copies_arrive_.erase(copies_arrive_.begin() + static_cast<std::ptrdiff_t>(i));
    at_barrier(ctas_[warp_at(one.warp).cta], one.address, now,
               [=](CtaBarriers& at, auto here) { return at.arrive_at(here, one.arrivals, 0); });
  }
}

// Warps of the CTA that wait for others of it.
SmCore::Mask SmCore::waiting_elsewhere(const ResidentCta& cta) const {
  Mask warps = cta.arrived;
  for (unsigned n = 0; n < 16; ++n) warps |= cta.barriers.waiting(n);
  for (const CtaBarriers::InMemory& barrier : cta.barriers.in_memory()) warps |= barrier.waiting;
  return warps;
}

std::string SmCore::waiting_at_barriers() const {
  std::string text;
  const auto add = [&](std::uint64_t warps, const std::string& where) {
    for (; warps != 0; warps &= warps - 1)
      text += (text.empty() ? "" : "; ") + ("warp " + std::to_string(__builtin_ctzll(warps))) + " " + where;
  };
  std::uint64_t seen = 0;
  for (Mask left = waits_.barrier; left != 0; left &= left - 1) {
    const auto place = warps_[static_cast<std::size_t>(__builtin_ctzll(left))].cta;
    if ((seen >> place & 1U) != 0) continue;
    seen |= std::uint64_t{1} << place;
    const ResidentCta& cta = ctas_[place];
    const std::string of_cta =
        " of CTA " + std::to_string(cta.index) + " of kernel " + std::to_string(cta.kernel_id);
    add(waits_.barrier & cta.slots & ~waiting_elsewhere(cta), "for its cluster" + of_cta);
    add(cta.arrived, "at barrier 0" + of_cta + ", " + std::to_string(__builtin_popcountll(cta.arrived)) +
                         " of " + std::to_string(cta.live) + " warps have arrived");
    for (unsigned n = 0; n < 16; ++n)
      add(cta.barriers.waiting(n), "at barrier " + std::to_string(n) + of_cta + ", " +
                                       std::to_string(cta.barriers.arrived(n)) + " warps have arrived");
    for (const CtaBarriers::InMemory& barrier : cta.barriers.in_memory())
      add(barrier.waiting, "at the mbarrier at shared memory " + std::to_string(barrier.address) + of_cta +
                               ", " + std::to_string(barrier.pending) + " arrivals and " +
                               std::to_string(barrier.bytes) + " bytes are missing");
  }
  return text;
}

}  // namespace strata
