#include "models/sm_cluster/cta_barriers.h"

#include <algorithm>
#include <utility>

namespace strata {

void CtaBarriers::clear() {
  named_ = {};
  in_memory_.clear();
}

bool CtaBarriers::idle() const {
  const auto nobody = [](const auto& barrier) { return barrier.waiting == 0; };
  return std::all_of(named_.begin(), named_.end(), nobody) &&
         std::all_of(in_memory_.begin(), in_memory_.end(), nobody);
}

CtaBarriers::Warps CtaBarriers::arrive(unsigned number, unsigned needed, Warps warp, bool waits) {
  Named& barrier = named_[number];
  ++barrier.arrived;
  if (waits) barrier.waiting |= warp;
  if (barrier.arrived < needed) return 0;
  barrier.arrived = 0;
  return std::exchange(barrier.waiting, 0);
}

CtaBarriers::InMemory& CtaBarriers::at(std::uint32_t address) {
  for (InMemory& barrier : in_memory_)
    if (barrier.address == address) return barrier;
  in_memory_.emplace_back();
  in_memory_.back().address = address;
  return in_memory_.back();
}

void CtaBarriers::init(std::uint32_t address, std::uint32_t expected) {
  InMemory& barrier = at(address);
  const std::uint32_t early = barrier.made || expected == 0 ? 0 : barrier.early;
  if (early == 0) barrier.bytes = 0;
  barrier.made = true;
  barrier.expected = barrier.pending = expected;
  barrier.phases = 0;
  if (early == 0) return;
  const bool bytes_missing = barrier.bytes != 0 && early % expected == 0;
  barrier.phases = early / expected - (bytes_missing ? 1 : 0);
  barrier.pending = bytes_missing ? 0 : expected - early % expected;
}

CtaBarriers::Warps CtaBarriers::end_of_phase(InMemory& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) return 0;
  barrier.pending = barrier.expected;
  ++barrier.phases;
  return std::exchange(barrier.waiting, 0);
}

CtaBarriers::Warps CtaBarriers::arrive_at(std::uint32_t address, std::uint32_t arrivals,
                                          std::int64_t announced_bytes) {
  InMemory& barrier = at(address);
  barrier.bytes += announced_bytes;
  if (!barrier.made) barrier.early += arrivals;
  barrier.pending -= std::min(arrivals, barrier.pending);
  return end_of_phase(barrier);
}

CtaBarriers::Warps CtaBarriers::bytes_at(std::uint32_t address, std::int64_t bytes) {
  InMemory& barrier = at(address);
  barrier.bytes -= bytes;
  return end_of_phase(barrier);
}

bool CtaBarriers::wait_at(std::uint32_t address, unsigned parity, Warps warp) {
  InMemory& barrier = at(address);
  if ((barrier.phases & 1U) != parity) return true;
  barrier.waiting |= warp;
  return false;
}

bool CtaBarriers::wait_phases(std::uint32_t address, std::uint16_t phases, Warps warp) {
  constexpr std::uint16_t half = 0x8000;
  InMemory& barrier = at(address);
  if (static_cast<std::uint16_t>(barrier.phases - phases) < half) return true;
  barrier.waiting |= warp;
  return false;
}

}  // namespace strata
