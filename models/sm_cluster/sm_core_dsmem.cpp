// Accesses to the shared memory of other SMs of the cluster, over a network.
#include <algorithm>
#include <utility>

#include "models/sm_cluster/sm_core_inline.h"

namespace strata {

// A result or an arrival of other CTAs is wanted: whether it can be asked for now, and how many cycles more
// than one the own shared memory is taken. False: the warp waits.
bool SmCore::reach_out(int slot, const DecodedInstruction& instruction, Cycle now, Cycle& more) {
  const SyncWord sync = instruction.sync();
  WarpState& warp = warp_at(slot);
  const auto waits = [&](Mask& for_what) {
    schedulers_[warp.scheduler].clear_ready(warp.position);
    for_what |= bit(slot);
    return false;
  };
  if (!sync.goes_to_others()) {  // a barrier in shared memory, perhaps that of another CTA
    const auto last = static_cast<std::int64_t>(sync.address()) +
                      static_cast<std::int64_t>(sync.stride()) * (std::max(instruction.lanes(), 1U) - 1);
    const auto highest = std::max<std::int64_t>(sync.address(), last);
    return highest >> SyncWord::rank_shift == 0 || queues_->has_room(number_) || waits(waits_.network);
  }
  const ResidentCta& cta = ctas_[warp.cta];
  const RemoteAccess& access = cta.code.remote(sync.remote_access());
  packets_.clear();
  Cycle here = 0;  // for CTAs that run on this SM as well, or have ended
  std::uint64_t bytes = 0;
  for (const RemotePart& part : access.parts) {
    const ClusterMeetingIf::Place other = meeting_->find(cta, part.rank);
    if (other.cta == nullptr || other.sm == number_) {
      here += part.cycles;
      continue;
    }
    add_packets(access, part, other.sm);
    bytes += part.bytes;
  }
  more += here - (here != 0 && access.own.cycles == 0 ? 1 : 0);
  if (packets_.empty()) return true;
  if (!queues_->has_room(number_)) return waits(waits_.network);
  std::uint8_t entry = no_load_slot;
  if (access.access_class != AccessClass::store) {
    const std::uint32_t free = load_entries_ & ~warp.loads_busy;
    if (free == 0) return waits(waits_.memory);
    entry = static_cast<std::uint8_t>(__builtin_ctz(free));
    warp.begin_load(entry, static_cast<unsigned>(packets_.size()), instruction.first_use());
  } else if (awaits_stores_) {
    stores_left_[static_cast<std::size_t>(slot)] += static_cast<std::uint32_t>(packets_.size());
  }
  warp.queued = static_cast<std::uint8_t>(warp.queued + packets_.size());
  for (DsmemPacket& packet : packets_) {
    packet.warp = static_cast<std::uint8_t>(slot);
    packet.slot = entry;
    packet.is_access = true;
    packet.application = cta.application;
    packet.cta = cta.index;
    packet.kernel = cta.kernel_id;
    packet.entered = now;
    ++in_flight_;
    queues_->push(number_, packet, now);
  }
  stats_->dsmem_bytes += bytes;
  ++(access.access_class == AccessClass::load    ? stats_->dsmem_loads
     : access.access_class == AccessClass::store ? stats_->dsmem_stores
                                                 : stats_->dsmem_atomics);
  return true;
}

// A packet brings at most as many words as a line has; its cycles of shared memory are its share.
void SmCore::add_packets(const RemoteAccess& access, const RemotePart& part, int target) {
  constexpr unsigned sector_words = sector_bytes / word_bytes;
  const unsigned count = (part.words + packet_words_ - 1) / packet_words_;
  for (unsigned n = 0, left = part.words; n < count; ++n) {
    const unsigned words = std::min(left, packet_words_);
    const unsigned sectors = (words + sector_words - 1) / sector_words;
    DsmemPacket packet;
    packet.target = target;
    packet.access_class = access.access_class;
    packet.sectors = static_cast<std::uint8_t>((1U << sectors) - 1);
    packet.spare_words = static_cast<std::uint8_t>(sectors * sector_words - words);
    packet.cycles = static_cast<std::uint8_t>(
        std::max<unsigned>(part.cycles / count + (n < part.cycles % count ? 1 : 0), 1));
    packets_.push_back(packet);
    left -= words;
  }
}

// An arrival, or bytes, at a barrier of a CTA on another SM: a packet without data.
void SmCore::push_report(const ResidentCta& cta, const ClusterMeetingIf::Place& other, Cycle now,
                         std::function<Mask(CtaBarriers&)> does) {
  DsmemPacket packet;
  packet.target = other.sm;
  packet.access_class = AccessClass::store;
  packet.slot = no_load_slot;
  packet.application = cta.application;
  packet.cta = cta.index;
  packet.kernel = cta.kernel_id;
  packet.entered = now;
  packet.report = {other.cta, cta.kernel, cta.cluster, other.cta->rank, std::move(does)};
  ++in_flight_;
  ++stats_->dsmem_reports;
  queues_->push(number_, packet, now);
}

void SmCore::packet_sent(const DsmemPacket& packet, Cycle now) {
  if (!packet.is_access) return;
  --warp_at(packet.warp).queued;
  if ((waits_.draining & bit(packet.warp)) != 0) end_of_stream(packet.warp, now);
}

void SmCore::packet_answered(const DsmemPacket& packet, Cycle now) {
  if (--in_flight_ == 0 && ctas_.empty()) ended_ = true;
  if (!packet.is_access) return;
  const int slot = packet.warp;
  if (packet.slot == no_load_slot) {
    if (awaits_stores_) end_store(slot, now);
    return;
  }
  WarpState& warp = warp_at(slot);
  if (--warp.loads[packet.slot].lines_left != 0) return;
  warp.end_load(packet.slot);
  if ((waits_.memory & bit(slot)) != 0) {
    waits_.memory &= ~bit(slot);
    schedule(slot, now + 1, now, now);
  } else if ((waits_.draining & bit(slot)) != 0) {
    end_of_stream(slot, now);
  }
}

void SmCore::room_in_network(Cycle now) {
  for (Mask left = std::exchange(waits_.network, 0); left != 0; left &= left - 1)
    schedule(__builtin_ctzll(left), now + 1, now, now);
}

void SmCore::take_shared(Cycle until) {
  for (WarpScheduler& each : schedulers_) each.units.set_free(Unit::shared, until);
}

}  // namespace strata
