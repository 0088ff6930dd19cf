#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "models/common/units.h"
#include "models/dram_channel/dram_command.h"
#include "models/dram_channel/timing_set.h"

namespace strata {

enum class RuleScope : std::uint8_t {
  bank,
  group,
  channel,
  window,  ///< the fourth `previous` back, on the channel (four-activate window)
};

/// `next` may issue no earlier than `distance` cycles after the last `previous` of its scope.
struct DramRule {
  RuleScope scope;
  DramCommand previous;
  DramCommand next;
  int distance;
  std::string name;  ///< as the data sheet calls it
};

/// The rules of a timing set. This table is all that scheduling and checking know of DRAM timing. Rules of
/// refresh are there when the set gives its durations; refreshes of all banks and of single banks are not
/// mixed, so there are no rules between the two.
std::vector<DramRule> dram_rules(const TimingSet& set);

/// The rules without those that hold back refreshes of a kind that is never issued: they only cost time.
std::vector<DramRule> without_refresh(std::vector<DramRule> rules, bool all_banks, bool single_banks);

/// Earliest-issue state of one channel. It does not track open rows.
class DramTiming {
 public:
  explicit DramTiming(const TimingSet& set) : DramTiming(set, dram_rules(set)) {}
  DramTiming(const TimingSet& set, const std::vector<DramRule>& rules);

  /// First cycle in which no rule forbids `command` at `bank` (numbered group * banks_per_group + bank of
  /// group).
  Cycle earliest(DramCommand command, int bank) const {
    return std::max(earliest_on_channel(command), earliest_in_bank(command, bank));
  }
  /// The two halves of earliest(): what the whole channel allows, and what the bank and its group allow.
  Cycle earliest_on_channel(DramCommand command) const { return channel_[static_cast<std::size_t>(command)]; }
  Cycle earliest_in_bank(DramCommand command, int bank) const {
    const auto c = static_cast<std::size_t>(command);
    const auto b = static_cast<std::size_t>(bank);
    return std::max(banks_[c][b], groups_[c][group_[b]]);
  }
  void issue(DramCommand command, int bank, Cycle now) {
    const auto c = static_cast<std::size_t>(command);
    const auto b = static_cast<std::size_t>(bank);
    for (const Step& step : in_bank_[c]) raise(banks_[step.next][b], now + step.distance);
    for (const Step& step : in_group_[c]) raise(groups_[step.next][group_[b]], now + step.distance);
    for (const Step& step : in_channel_[c]) raise(channel_[step.next], now + step.distance);
    if (command != DramCommand::act) return;
    activates_[oldest_activate_] = now + window_;
    oldest_activate_ = (oldest_activate_ + 1) % 4;
    raise(channel_[c], activates_[oldest_activate_]);
  }

  std::size_t group_of(int bank) const { return group_[static_cast<std::size_t>(bank)]; }
  bool dual_bus() const { return dual_bus_; }

 private:
  struct Step {
    std::uint8_t next;
    std::uint32_t distance;
  };
  class Steps {  // rules of one scope after one command
   public:
    void add(Step step) {  // the longest of several distances to one command holds
      for (std::size_t i = 0; i < count_; ++i) {
        if (steps_[i].next != step.next) continue;
        steps_[i].distance = std::max(steps_[i].distance, step.distance);
        return;
      }
      steps_[count_++] = step;
    }
    const Step* begin() const { return steps_.data(); }
    const Step* end() const { return steps_.data() + count_; }

   private:
    std::array<Step, dram_command_count> steps_{};
    std::size_t count_ = 0;
  };
  using PerBank = std::array<std::array<Cycle, max_banks>, dram_command_count>;
  static void raise(Cycle& next, Cycle at) { next = std::max(next, at); }

  PerBank banks_{};                                  // [command][bank]
  PerBank groups_{};                                 // [command][group]
  std::array<Cycle, dram_command_count> channel_{};  // [command]
  std::array<std::uint8_t, max_banks> group_{};      // of a bank
  std::array<Steps, dram_command_count> in_bank_;    // by the command issued
  std::array<Steps, dram_command_count> in_group_;
  std::array<Steps, dram_command_count> in_channel_;
  std::uint32_t window_ = 0;
  std::array<Cycle, 4> activates_{};  // cycle + window of the last four ACT
  std::uint8_t oldest_activate_ = 0;
  bool dual_bus_ = false;
};

}  // namespace strata
