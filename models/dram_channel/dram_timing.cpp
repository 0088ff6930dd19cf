#include "models/dram_channel/dram_timing.h"

namespace strata {

DramTiming::DramTiming(const TimingSet& set, const std::vector<DramRule>& rules)
    : dual_bus_(set.command_bus == CommandBus::dual) {
  for (int bank = 0; bank < set.banks(); ++bank)
    group_[static_cast<std::size_t>(bank)] = static_cast<std::uint8_t>(bank / set.banks_per_group);
  for (const DramRule& rule : rules) {
    if (rule.scope == RuleScope::window) {
      window_ = static_cast<std::uint32_t>(rule.distance);
      continue;
    }
    auto& table = rule.scope == RuleScope::bank    ? in_bank_
                  : rule.scope == RuleScope::group ? in_group_
                                                   : in_channel_;
    if (rule.distance > 0)
      table[static_cast<std::size_t>(rule.previous)].add(
          {static_cast<std::uint8_t>(rule.next), static_cast<std::uint32_t>(rule.distance)});
  }
}

}  // namespace strata
