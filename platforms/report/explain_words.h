#pragma once

#include <string_view>
#include <vector>

namespace strata::platforms {

/// A word that reports print, or that the field uses for what they print, and that is no name of a parameter
/// or statistic.
struct ExplainedWord {
  std::string_view word, sentence;
};
const std::vector<ExplainedWord>& explained_words();

}  // namespace strata::platforms
