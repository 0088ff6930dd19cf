#include "models/dram_channel/dram_timing.h"

#include <algorithm>

namespace strata {
namespace {

constexpr std::size_t index(DramCommand command) {
  return static_cast<std::size_t>(command);
}

}  // namespace

std::string_view to_text(DramCommand command) {
  constexpr std::array<std::string_view, dram_command_count> names{"ACT", "PRE",   "RD",
                                                                   "WR",  "REFab", "REFpb"};
  return names[index(command)];
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
      table[index(rule.previous)].add(
          {static_cast<std::uint8_t>(rule.next), static_cast<std::uint32_t>(rule.distance)});
  }
}

DramChecker::DramChecker(const TimingSet& set)
    : set_(set),
      rules_(dram_rules(set)),
      timing_(set, without_refresh(rules_, true, true)),
      banks_(static_cast<std::size_t>(set.banks())),
      groups_(static_cast<std::size_t>(set.bank_groups)),
      open_row_(static_cast<std::size_t>(set.banks()), -1) {}

bool DramChecker::legal(DramCommand command, int bank, std::int64_t row, Cycle now) const {
  const std::int64_t open = open_row_[static_cast<std::size_t>(bank)];
  const bool state = is_column(command)              ? open == row
                     : command == DramCommand::pre   ? open >= 0
                     : command == DramCommand::refab ? open_rows_ == 0
                                                     : open < 0;
  const std::size_t lane = timing_.dual_bus() && is_column(command) ? 1 : 0;
  // What precedes a refresh is looked up in the rules: refreshes are rare, and other commands need not keep
  // their earliest cycle.
  return state && now >= lane_free_[lane] && !is_refresh(command) && now >= timing_.earliest(command, bank);
}

std::string DramChecker::broken_state(DramCommand command, int bank, std::int64_t row) const {
  const std::int64_t open = open_row_[static_cast<std::size_t>(bank)];
  if (command == DramCommand::act)
    return open < 0 ? "" : "ACT while row " + std::to_string(open) + " is open";
  if (command == DramCommand::pre) return open >= 0 ? "" : "PRE while no row is open";
  if (open == row) return "";
  return std::string(to_text(command)) + " of row " + std::to_string(row) +
         (open < 0 ? " while no row is open" : " while row " + std::to_string(open) + " is open");
}

std::string DramChecker::broken_rule(DramCommand command, int bank, Cycle now) const {
  const auto group = timing_.group_of(bank);
  for (const DramRule& rule : rules_) {
    if (rule.next != command) continue;
    const Past& past = rule.scope == RuleScope::bank    ? banks_[static_cast<std::size_t>(bank)]
                       : rule.scope == RuleScope::group ? groups_[group]
                                                        : channel_;
    const Cycle last =
        rule.scope == RuleScope::window ? activates_[oldest_activate_] : past.last[index(rule.previous)];
    if (last == unseen || now >= last + static_cast<Cycle>(rule.distance)) continue;
    return rule.name + ": " + std::string(to_text(command)) + " " + std::to_string(now - last) +
           " cycles after " + std::string(to_text(rule.previous)) + ", at least " +
           std::to_string(rule.distance);
  }
  return "";
}

std::string DramChecker::broken_bus(DramCommand command, Cycle now) const {
  for (int i = 0; i < dram_command_count; ++i) {
    const auto other = static_cast<DramCommand>(i);
    if (channel_.last[index(other)] == unseen || channel_.last[index(other)] < now) continue;
    if (channel_.last[index(other)] > now) return "commands out of order";
    if (set_.command_bus == CommandBus::single || is_column(other) == is_column(command))
      return "command bus: " + std::string(to_text(command)) + " in the cycle of another command";
  }
  return "";
}

const std::string& DramChecker::check(DramCommand command, int bank, std::int64_t row, Cycle now) {
  if (bank < 0 || bank >= set_.banks()) return fault_ = "bank " + std::to_string(bank) + " does not exist";
  if (!fault_.empty()) fault_.clear();
  if (!legal(command, bank, row, now)) {
    fault_ = broken_state(command, bank, row);
    if (fault_.empty()) fault_ = broken_bus(command, now);
    if (fault_.empty()) fault_ = broken_rule(command, bank, now);
  }
  timing_.issue(command, bank, now);
  lane_free_[timing_.dual_bus() && is_column(command) ? 1 : 0] = now + 1;

  const auto b = static_cast<std::size_t>(bank);
  const std::size_t c = index(command);
  banks_[b].last[c] = groups_[timing_.group_of(bank)].last[c] = channel_.last[c] = now;
  if (command == DramCommand::act) {
    open_rows_ += open_row_[b] < 0 ? 1 : 0;
    open_row_[b] = row;
    activates_[oldest_activate_] = now;
    oldest_activate_ = (oldest_activate_ + 1) % 4;
  }
  if (command == DramCommand::pre) {
    open_rows_ -= open_row_[b] < 0 ? 0 : 1;
    open_row_[b] = -1;
  }
  return fault_;
}

}  // namespace strata
