#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/dram_channel/dram_timing.h"

namespace strata {

/// Checks a stream of commands against the rules and the state of the rows, and says in words what is broken.
/// A legal command costs a comparison with the earliest-issue state; the rules are walked only to name the
/// broken one.
class DramChecker {
 public:
  explicit DramChecker(const TimingSet& set);
  /// Empty when legal, else the first rule that is broken, with its cycles; valid until the next call.
  const std::string& check(DramCommand command, int bank, std::int64_t row, Cycle now);
  const std::string& fault() const { return fault_; }

 private:
  static constexpr Cycle unseen = never;
  struct Past {
    std::array<Cycle, dram_command_count> last{unseen, unseen, unseen, unseen, unseen, unseen};
  };
  bool legal(DramCommand command, int bank, std::int64_t row, Cycle now) const;
  std::string broken_state(DramCommand command, int bank, std::int64_t row) const;
  std::string broken_rule(DramCommand command, int bank, Cycle now) const;
  std::string broken_bus(DramCommand command, Cycle now) const;

  TimingSet set_;
  std::string fault_;
  std::vector<DramRule> rules_;
  DramTiming timing_;
  std::vector<Past> banks_;
  std::vector<Past> groups_;
  Past channel_;
  std::vector<std::int64_t> open_row_;  // -1 = closed
  int open_rows_ = 0;
  std::array<Cycle, 2> lane_free_{0, 0};  // first cycle in which the row and the column command bus are free
  std::array<Cycle, 4> activates_{unseen, unseen, unseen, unseen};
  std::uint8_t oldest_activate_ = 0;
};

}  // namespace strata
