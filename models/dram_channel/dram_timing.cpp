#include "models/dram_channel/dram_timing.h"

#include <algorithm>

#include "models/common/named.h"

namespace strata {

std::string_view to_text(DramCommand command) {
  using C = DramCommand;
  static constexpr Named<C> names[] = {{C::act, "ACT"}, {C::pre, "PRE"},     {C::rd, "RD"},
                                       {C::wr, "WR"},   {C::refab, "REFab"}, {C::refpb, "REFpb"}};
  static_assert(names_all(names, C::refpb));
  return row_of_value(names, command).name;
}

namespace {

void add_refresh_rules(const TimingSet& t, std::vector<DramRule>& rules) {
  using S = RuleScope;
  using C = DramCommand;
  if (t.nRFC > 0)
    rules.insert(rules.end(), {{S::channel, C::act, C::refab, t.nRC, "tRC"},
                               {S::channel, C::pre, C::refab, t.nRP, "tRP"},
                               {S::channel, C::refab, C::act, t.nRFC, "tRFC"},
                               {S::channel, C::refab, C::refab, t.nRFC, "tRFC"}});
  if (t.nRFCpb > 0)
    rules.insert(rules.end(), {{S::bank, C::act, C::refpb, t.nRC, "tRC"},
                               {S::bank, C::pre, C::refpb, t.nRP, "tRP"},
                               {S::bank, C::refpb, C::act, t.nRFCpb, "tRFCpb"},
                               {S::bank, C::refpb, C::refpb, t.nRFCpb, "tRFCpb"},
                               {S::group, C::act, C::refpb, t.nRRDL, "tRRDL"},
                               {S::channel, C::act, C::refpb, t.nRRDS, "tRRDS"},
                               {S::channel, C::refpb, C::act, t.nRREFD, "tRREFD"},
                               {S::channel, C::refpb, C::refpb, t.nRREFD, "tRREFD"}});
}

}  // namespace

std::vector<DramRule> dram_rules(const TimingSet& t) {
  using S = RuleScope;
  using C = DramCommand;
  const int read_to_write = t.nCL + t.nBL + t.nRTW_gap - t.nCWL;
  const int write_data = t.nCWL + t.nBL;  // WR to the end of its data
  const int cas_short = std::max(t.nBL, t.nCCDS);
  const int cas_long = std::max(t.nBL, t.nCCDL);
  std::vector<DramRule> rules{
      {S::bank, C::act, C::act, t.nRC, "tRC"},
      {S::bank, C::act, C::rd, t.nRCDRD, "tRCDRD"},
      {S::bank, C::act, C::wr, t.nRCDWR, "tRCDWR"},
      {S::bank, C::act, C::pre, t.nRAS, "tRAS"},
      {S::bank, C::pre, C::act, t.nRP, "tRP"},
      {S::bank, C::rd, C::pre, t.nRTP, "tRTP"},
      {S::bank, C::wr, C::pre, write_data + t.nWR, "tWR"},
      {S::group, C::act, C::act, t.nRRDL, "tRRDL"},
      {S::channel, C::act, C::act, t.nRRDS, "tRRDS"},
      {S::group, C::rd, C::rd, cas_long, "tCCDL"},
      {S::channel, C::rd, C::rd, cas_short, "tCCDS"},
      {S::group, C::wr, C::wr, cas_long, "tCCDL"},
      {S::channel, C::wr, C::wr, cas_short, "tCCDS"},
      {S::channel, C::rd, C::wr, read_to_write, "tRTW"},
      {S::group, C::wr, C::rd, write_data + t.nWTRL, "tWTRL"},
      {S::channel, C::wr, C::rd, write_data + t.nWTRS, "tWTRS"},
      {S::window, C::act, C::act, t.nFAW, "tFAW"},
  };
  add_refresh_rules(t, rules);
  return rules;
}

std::vector<DramRule> without_refresh(std::vector<DramRule> rules, bool all_banks, bool single_banks) {
  const auto unused = [&](const DramRule& rule) {
    return (all_banks && rule.next == DramCommand::refab) ||
           (single_banks && rule.next == DramCommand::refpb);
  };
  rules.erase(std::remove_if(rules.begin(), rules.end(), unused), rules.end());
  return rules;
}

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
