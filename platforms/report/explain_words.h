#pragma once

#include <string_view>
#include <vector>

namespace strata::platforms {

/// A word that reports print, or the field's term for it, other than names of parameters and statistics.
struct ExplainedWord {
  std::string_view word, sentence;
};
const std::vector<ExplainedWord>& explained_words();

}  // namespace strata::platforms
