#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strata::platforms {

/// A word that reports print, or the field's term for it, other than names of parameters and statistics.
struct ExplainedWord {
  std::string_view word, sentence;
};
const std::vector<ExplainedWord>& explained_words();

/// A term of docs/guide/glossary.md, whose text is part of the program.
struct GlossaryTerm {
  std::string term, meaning;
};
const std::vector<GlossaryTerm>& glossary();

/// In lower case, with spaces for '_' and '-': "Hit_rate" and "hit rate" are one term.
std::string spelled_alike(std::string term);

}  // namespace strata::platforms
