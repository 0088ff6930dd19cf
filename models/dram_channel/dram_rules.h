#pragma once

#include <string>
#include <vector>

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
/// mixed, so no rule stands between the two.
std::vector<DramRule> dram_rules(const TimingSet& set);

/// The rules without those that hold back refreshes of a kind that is never issued: they only cost time.
std::vector<DramRule> without_refresh(std::vector<DramRule> rules, bool all_banks, bool single_banks);

}  // namespace strata
