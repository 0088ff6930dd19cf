#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/engine/netlist/expression.h"

namespace strata::platforms {

/// A condition on a point of a sweep: `l1.ways * 4 <= llc.ways`, `platform == tiny or seed == 1`. A side is a
/// value of the point by its key, a text, or an expression of keys with values that are whole numbers or
/// sizes.
class Constraint {
 public:
  /// Throws SyntaxFault.
  static Constraint read(const std::string& text, const std::vector<std::string>& keys);

  /// `values` in the order of the keys. Throws ConfigError if a value must be a number and is not.
  bool holds(const std::vector<std::string>& values) const;

 private:
  struct Side {
    std::string text;
    std::optional<std::size_t> key;  // the side is just a key
    std::optional<Expression> formula;
    std::vector<std::size_t> names;  // keys in it
  };
  struct Comparison {
    Side left, right;
    std::string sign;
  };
  static Comparison read_comparison(const std::string& text, std::size_t offset,
                                    const std::vector<std::string>& keys);
  static Side read_side(const std::string& text, std::size_t offset, bool may_be_text,
                        const std::vector<std::string>& keys);
  bool holds(const Comparison& comparison, const std::vector<std::string>& values) const;
  std::int64_t number(const Side& side, const std::vector<std::string>& values) const;

  std::string text_;
  std::vector<Comparison> any_of_;
};

}  // namespace strata::platforms
