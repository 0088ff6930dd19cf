#include "platforms/studies/sweep/constraint.h"

#include <algorithm>
#include <utility>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "models/common/units.h"

namespace strata::platforms {
namespace {

using Words = std::vector<std::string>;

constexpr const char alternative[] = " or ";
// Two-character signs first: `<` is a prefix of `<=`.
const Words signs = {"==", "!=", "<=", ">=", "<", ">"};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// A whole number, or a size in bytes.
std::optional<std::int64_t> quantity(const std::string& text) {
  if (const auto number = parse_integer(text)) return number;
  if (const auto bytes = parse_bytes(text)) return static_cast<std::int64_t>(bytes->count);
  return std::nullopt;
}

std::optional<std::size_t> place_of(const std::string& key, const Words& keys) {
  const auto at = std::find(keys.begin(), keys.end(), key);
  if (at == keys.end()) return std::nullopt;
  return static_cast<std::size_t>(at - keys.begin());
}

bool is_true(const std::string& sign, std::int64_t left, std::int64_t right) {
  if (sign == "==") return left == right;
  if (sign == "!=") return left != right;
  if (sign == "<=") return left <= right;
  if (sign == ">=") return left >= right;
  return sign == "<" ? left < right : left > right;
}

}  // namespace

Constraint::Side Constraint::read_side(const std::string& text, std::size_t offset, bool may_be_text,
                                       const Words& keys) {
  Side side;
  side.text = trimmed(text);
  if (side.text.empty()) throw SyntaxFault{offset, "expected a value beside the comparison"};
  side.key = place_of(side.text, keys);
  if (side.key) return side;
  if (quantity(side.text)) return side;
  try {
    Expression formula = Expression::read_all(side.text);
    for (const Expression::Name& name : formula.names()) {
      const auto key = place_of(name.text, keys);
      if (!key)
        throw SyntaxFault{offset, "nothing varies by the name '" + name.text + "'" +
                                      suggestion(name.text, keys) + "; there are " + comma_list(keys)};
      side.names.push_back(*key);
    }
    side.formula = std::move(formula);
  } catch (const SyntaxFault&) {
    if (!may_be_text) throw;
  }
  return side;
}

Constraint::Comparison Constraint::read_comparison(const std::string& text, std::size_t offset,
                                                   const Words& keys) {
  std::size_t at = std::string::npos;
  std::string sign;
  for (const std::string& one : signs)
    if (const std::size_t found = text.find(one); found < at) {
      at = found;
      sign = one;
    }
  if (at == std::string::npos)
    throw SyntaxFault{offset,
                      "expected a comparison with one of " + comma_list(signs) + ": '" + trimmed(text) + "'"};
  const bool same = sign == "==" || sign == "!=";
  const std::string left = text.substr(0, at), right = text.substr(at + sign.size());
  const bool key_left = place_of(trimmed(left), keys).has_value();
  const bool key_right = place_of(trimmed(right), keys).has_value();
  Comparison comparison{read_side(left, offset, same && key_right, keys),
                        read_side(right, offset + at + sign.size(), same && key_left, keys), sign};
  if (!comparison.left.key && !comparison.right.key && comparison.left.names.empty() &&
      comparison.right.names.empty())
    throw SyntaxFault{offset,
                      "'" + trimmed(text) + "' names nothing that varies; there are " + comma_list(keys)};
  return comparison;
}

Constraint Constraint::read(const std::string& text, const Words& keys) {
  Constraint constraint;
  constraint.text_ = text;
  std::size_t from = 0;
  for (;;) {
    const std::size_t to = text.find(alternative, from);
    constraint.any_of_.push_back(read_comparison(text.substr(from, to - from), from, keys));
    if (to == std::string::npos) return constraint;
    from = to + sizeof alternative - 1;
  }
}

std::int64_t Constraint::number(const Side& side, const Words& values) const {
  const auto of = [&](const std::string& value) {
    if (const auto number = quantity(value)) return *number;
    throw ConfigError("only: '" + text_ + "': '" + value + "' is neither a whole number nor a size");
  };
  if (!side.formula) return of(side.key ? values[*side.key] : side.text);
  std::vector<std::int64_t> of_names;
  for (const std::size_t key : side.names) of_names.push_back(of(values[key]));
  if (const auto number = side.formula->evaluate(of_names)) return *number;
  throw ConfigError("only: '" + text_ + "': a division by zero, or a number too large");
}

bool Constraint::holds(const Comparison& comparison, const Words& values) const {
  const auto [left, right, sign] = comparison;
  if (!left.formula && !right.formula && (sign == "==" || sign == "!=")) {
    const std::string& a = left.key ? values[*left.key] : left.text;
    const std::string& b = right.key ? values[*right.key] : right.text;
    if (!quantity(a) || !quantity(b)) return (a == b) == (sign == "==");
  }
  return is_true(sign, number(left, values), number(right, values));
}

bool Constraint::holds(const Words& values) const {
  return std::any_of(any_of_.begin(), any_of_.end(),
                     [&](const Comparison& comparison) { return holds(comparison, values); });
}

}  // namespace strata::platforms
