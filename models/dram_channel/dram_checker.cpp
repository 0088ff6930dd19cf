#include "models/dram_channel/dram_checker.h"

#include <algorithm>

namespace strata {
namespace {

constexpr std::size_t index(DramCommand command) {
  return static_cast<std::size_t>(command);
}

}  // namespace

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
