#include "models/memory_controller/command_calendar.h"

#include <algorithm>

namespace strata {

CommandCalendar::CommandCalendar(const TimingSet& set)
    : short_(static_cast<Cycle>(std::max(set.nBL, set.nCCDS))),
      long_(static_cast<Cycle>(std::max(set.nBL, set.nCCDL))),
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

inline void CommandCalendar::mark(std::size_t what, Cycle cycle, Cycle distance) {
  const Cycle before = distance - 1;
  if (cycle % 64 >= before && cycle % 64 + before < 64) {  // nearly always
    at(cycle / 64)[what] |= ((std::uint64_t{2} << 2 * before) - 1) << (cycle % 64 - before);
    return;
  }
  const Cycle from = std::max(cycle - std::min(cycle, before), base_ * 64);
  const Cycle to = cycle + before;
  for (Cycle word = from / 64; word <= to / 64; ++word) {
    std::uint64_t cycles = ~std::uint64_t{0};
    if (word == from / 64) cycles <<= from % 64;
    if (word == to / 64) cycles &= ~std::uint64_t{0} >> (63 - to % 64);
    at(word)[what] |= cycles;
  }
}

Cycle CommandCalendar::next_row(Cycle from) {
  for (Cycle t = std::max(from, base_ * 64);; t = (t / 64 + 1) * 64) {
    reach(t);
    const std::uint64_t free = ~at(t / 64)[rows] >> t % 64 << t % 64;
    if (free != 0) return t / 64 * 64 + static_cast<Cycle>(__builtin_ctzll(free));
  }
}

Cycle CommandCalendar::take_read(Cycle from, std::size_t group) {
  for (Cycle t = std::max(from, base_ * 64);; t = (t / 64 + 1) * 64) {
    reach(t + long_ + 64);
    std::uint64_t* taken = at(t / 64);
    const std::uint64_t free =
        ~((taken[rows] & shared_) | taken[reads] | taken[first_group + group]) >> t % 64 << t % 64;
    if (free == 0) continue;
    const Cycle found = t / 64 * 64 + static_cast<Cycle>(__builtin_ctzll(free));
    taken[rows] |= free & (~free + 1) & shared_;
    mark(reads, found, short_);
    mark(first_group + group, found, long_);
    return found;
  }
}

}  // namespace strata
