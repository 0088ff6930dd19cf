#include "models/memory_controller/command_calendar.h"

#include <algorithm>

namespace strata {

CommandCalendar::CommandCalendar(const TimingSet& set)
    : short_(std::max(set.nBL, set.nCCDS)),
      long_(std::max({set.nBL, set.nCCDS, set.nCCDL})),
      spread_(static_cast<int>((long_.before / (short_.before + 1) + 1) * (short_.before + 1))),
      margin_(spread_.before + 64),
      shared_(set.command_bus == CommandBus::single ? ~std::uint64_t{0} : 0),
      window_(16, first_group + static_cast<std::size_t>(set.bank_groups)) {}

void CommandCalendar::mark(std::size_t what, Cycle cycle, const Distance& distance) {
  const Cycle first = std::max(cycle - std::min(cycle, distance.before), window_.begin());
  window_.set(what, first, cycle + distance.before);
}

// Nothing is free in the word of `from`.
Cycle CommandCalendar::take_read_later(Cycle from, std::size_t group, bool spread) {
  return take_read((from / 64 + 1) * 64, group, spread);
}

}  // namespace strata
