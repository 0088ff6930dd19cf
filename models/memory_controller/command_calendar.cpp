#include "models/memory_controller/command_calendar.h"

#include <algorithm>

namespace strata {

CommandCalendar::CommandCalendar(const TimingSet& set)
    : short_(std::max(set.nBL, set.nCCDS)),
      long_(std::max({set.nBL, set.nCCDS, set.nCCDL})),
      spread_(static_cast<int>((long_.before / (short_.before + 1) + 1) * (short_.before + 1))),
      margin_(spread_.before + 64),
      shared_(set.command_bus == CommandBus::single ? ~std::uint64_t{0} : 0),
      stride_(first_group + static_cast<std::size_t>(set.bank_groups)),
      bits_((mask_ + 1) * stride_) {}

void CommandCalendar::advance(Cycle word) {
  const Cycle passed = std::min<Cycle>(word - base_, mask_ + 1);
  for (Cycle i = 0; i < passed; ++i) std::fill_n(at(base_ + i), stride_, std::uint64_t{0});
  base_ = word;
}

void CommandCalendar::grow() {
  std::vector<std::uint64_t> wider(2 * bits_.size());
  const std::uint64_t wider_mask = 2 * mask_ + 1;
  for (Cycle word = base_; word <= base_ + mask_; ++word)
    std::copy_n(at(word), stride_, &wider[(word & wider_mask) * stride_]);
  bits_.swap(wider);
  mask_ = wider_mask;
}

void CommandCalendar::mark(std::size_t what, Cycle cycle, const Distance& distance) {
  const Cycle from = std::max(cycle - std::min(cycle, distance.before), base_ * 64);
  const Cycle to = cycle + distance.before;
  for (Cycle word = from / 64; word <= to / 64; ++word) {
    std::uint64_t cycles = ~std::uint64_t{0};
    if (word == from / 64) cycles <<= from % 64;
    if (word == to / 64) cycles &= ~std::uint64_t{0} >> (63 - to % 64);
    at(word)[what] |= cycles;
  }
}

// Nothing is free in the word of `from`.
Cycle CommandCalendar::take_read_later(Cycle from, std::size_t group, bool spread) {
  return take_read((from / 64 + 1) * 64, group, spread);
}

Cycle CommandCalendar::next_row(Cycle from) {
  for (Cycle t = std::max(from, base_ * 64);; t = (t / 64 + 1) * 64) {
    reach(t);
    const std::uint64_t free = ~at(t / 64)[rows] >> t % 64 << t % 64;
    if (free != 0) return t / 64 * 64 + static_cast<Cycle>(__builtin_ctzll(free));
  }
}

}  // namespace strata
