#include "models/common/faults.h"

#include <algorithm>
#include <numeric>

#include "models/common/text.h"

namespace strata {
namespace {

constexpr std::size_t longest_guess =
    100;  // names are shorter, and the work grows with the product of the lengths

std::string join(const Faults& faults) {
  std::string text;
  for (const Fault& fault : faults) {
    if (!text.empty()) text += '\n';
    text += to_text(fault);
  }
  return text;
}

/// Levenshtein distance with adjacent transpositions, case-insensitive.
std::size_t distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<std::size_t> before, previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before = previous;
    previous = current;
  }
  return previous[b.size()];
}

}  // namespace

std::string to_text(const Fault& fault) {
  std::string text = fault.where.file;
  if (fault.where.line > 0) text += ':' + std::to_string(fault.where.line);
  if (fault.where.line > 0 && fault.where.column > 0) text += ':' + std::to_string(fault.where.column);
  if (!text.empty()) text += ": ";
  return printable(text + fault.message);
}

ConfigError::ConfigError(Faults faults) : std::runtime_error(join(faults)), faults_(std::move(faults)) {}
ConfigError::ConfigError(std::string message) : ConfigError(Faults{Fault{{}, std::move(message)}}) {}
TraceError::TraceError(Fault fault) : std::runtime_error(to_text(fault)), fault_(std::move(fault)) {}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  // A third of the word may differ, at least two letters: farther words were hardly meant.
  std::size_t limit = std::max<std::size_t>(2, word.size() / 3);
  for (const std::string& candidate : candidates) {
    if (std::max(word.size(), candidate.size()) > longest_guess) continue;
    const std::size_t d = distance(word, candidate);
    if (d < std::max(word.size(), candidate.size()) && (best.empty() ? d <= limit : d < limit)) {
      best = candidate;
      limit = d;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? std::string{} : " (did you mean '" + best + "'?)";
}

}  // namespace strata
