#include "platforms/report/laws.h"

#include <cctype>

namespace strata::platforms {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

/// One side of a law: its value, and on request its text with values in place of names.
struct Side {
  unsigned __int128 value = 0;  // sums of 64-bit counters do not overflow
  std::string values;
  std::string problem;
};

Side evaluate(std::string_view text, const CounterLookup& lookup, bool spelled_out = false) {
  Side side;
  std::size_t begin = 0;
  while (side.problem.empty()) {
    const std::size_t plus = text.find('+', begin);
    const std::string_view term =
        trimmed(text.substr(begin, plus == std::string_view::npos ? plus : plus - begin));
    std::optional<std::uint64_t> value;
    if (!term.empty() && std::isdigit(static_cast<unsigned char>(term.front())) != 0) {
      const auto number = parse_integer(term);
      if (number) value = static_cast<std::uint64_t>(*number);
    } else if (!term.empty()) {
      value = lookup(term);
    }
    if (!value) {
      side.problem = term.empty() ? "a term is missing" : "no counter '" + std::string(term) + "'";
      break;
    }
    side.value += *value;
    if (spelled_out) side.values += (side.values.empty() ? "" : " + ") + std::to_string(*value);
    if (plus == std::string_view::npos) break;
    begin = plus + 1;
  }
  return side;
}

}  // namespace

std::string check_law(std::string_view law, const CounterLookup& lookup) {
  const std::size_t equal = law.find('=');
  if (equal == std::string_view::npos || equal == 0 || law.find('=', equal + 1) != std::string_view::npos)
    return "law '" + std::string(law) + "' needs exactly one = or >=";
  const bool at_least = law[equal - 1] == '>';
  const std::string_view one = law.substr(0, equal - (at_least ? 1 : 0)), other = law.substr(equal + 1);
  const Side left = evaluate(one, lookup), right = evaluate(other, lookup);
  for (const Side* side : {&left, &right})
    if (!side->problem.empty()) return "law '" + std::string(law) + "': " + side->problem;
  if (at_least ? left.value >= right.value : left.value == right.value) return {};
  return "law '" + std::string(law) + "' does not hold: " + evaluate(one, lookup, true).values +
         (at_least ? " < " : " is not ") + evaluate(other, lookup, true).values;
}

Faults check_laws(const std::vector<InstanceStats>& tables) {
  Faults faults;
  for (const InstanceStats& table : tables) {
    const CounterLookup lookup = [&](std::string_view name) -> std::optional<std::uint64_t> {
      const CounterRow* row = table.counter(name);
      if (row == nullptr) return std::nullopt;
      return row->value;
    };
    for (const std::string& law : table.laws) {
      const std::string problem = check_law(law, lookup);
      if (!problem.empty()) faults.push_back({{}, table.instance + ": " + problem});
    }
  }
  return faults;
}

}  // namespace strata::platforms
