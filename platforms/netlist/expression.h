#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata::platforms {

/// Thrown inside the engine while a short text (an expression, a binding) is read; turned into a Fault there.
struct SyntaxFault {
  std::size_t offset;  ///< where in the text
  std::string message;
};

/// Reads names, numbers and signs from one line of text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool at_end();
  /// Skips blanks; true and consumed when `token` comes next.
  bool take(std::string_view token);
  /// Like take(), but throws "expected ..., found ...".
  void expect(std::string_view token, std::string_view what);
  /// A name (letters, digits, _), or empty.
  std::string name();
  /// A whole number; empty when none comes next. Throws on overflow.
  std::optional<std::int64_t> number();
  std::size_t offset() const { return at_; }
  std::string_view text() const { return text_; }
  [[noreturn]] void fail(const std::string& message) const { throw SyntaxFault{at_, message}; }
  /// What comes next, quoted, for messages.
  std::string next_word();

 private:
  void skip_blanks();
  std::string_view text_;
  std::size_t at_ = 0;
};

/// An integer expression of + - * / % and parentheses over whole numbers, free names (`i`) and references to
/// the netlist (`sm.sms`, `llc.count`). Division rounds towards zero, as in C.
class Expression {
 public:
  struct Name {
    std::string text;
    std::size_t offset;
    bool is_reference() const { return text.find('.') != std::string::npos; }
  };

  /// Reads the longest expression at the scanner's place. Throws SyntaxFault.
  static Expression read(Scanner& scanner);
  /// Reads a text that is one expression and nothing else. Throws SyntaxFault.
  static Expression read_all(std::string_view text);
  static Expression constant(std::int64_t value);

  const std::vector<Name>& names() const { return names_; }
  /// The free name when the expression is nothing but one, else null.
  const std::string* lone_name() const;
  const std::string& text() const { return text_; }
  std::size_t offset() const { return offset_; }
  /// A division that leaves something.
  struct Uneven {
    std::int64_t dividend, divisor;
  };
  /// `values[n]` is the value of `names()[n]`. Empty on a division by zero or an overflow. `uneven`: takes
  /// the first division of it that leaves something.
  std::optional<std::int64_t> evaluate(const std::vector<std::int64_t>& values,
                                       std::optional<Uneven>* uneven = nullptr) const;

 private:
  enum class Op : char {
    constant,
    name,
    add = '+',
    subtract = '-',
    multiply = '*',
    divide = '/',
    modulo = '%'
  };
  struct Step {
    Op op;
    std::int64_t value;  // constant or index into names_
  };
  void sum(Scanner& scanner, int depth);
  void product(Scanner& scanner, int depth);
  void factor(Scanner& scanner, int depth);

  std::string text_;
  std::size_t offset_ = 0;
  std::vector<Name> names_;
  std::vector<Step> steps_;  // postfix
};

}  // namespace strata::platforms
