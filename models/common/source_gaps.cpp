#include "models/common/source_gaps.h"

#include <map>

namespace strata {

std::vector<SourceGap> by_reason(const std::vector<SourceGap>& gaps) {
  std::map<std::string, std::uint64_t> counts;
  for (const SourceGap& gap : gaps) counts[gap.reason] += gap.count;
  std::vector<SourceGap> all;
  for (const auto& [reason, count] : counts) all.push_back({0, reason, count});
  return all;
}

std::vector<std::string> gap_sentences(const std::vector<SourceGap>& gaps) {
  std::vector<std::string> sentences;
  for (const SourceGap& gap : by_reason(gaps))
    sentences.push_back(std::to_string(gap.count) + " " + gap.reason);
  return sentences;
}

std::string unknown_copies_sentence(std::uint64_t copies) {
  return std::to_string(copies) +
         " bulk copies, whose shape the trace does not hold: they move nothing here, so traffic is too low, "
         "and the time of a kernel that waits for them";
}

std::string unknown_waits_sentence(std::uint64_t waits) {
  return std::to_string(waits) +
         " instructions that order warps by what the trace does not hold: nothing waits for them here, so a "
         "kernel may be too fast";
}

}  // namespace strata
