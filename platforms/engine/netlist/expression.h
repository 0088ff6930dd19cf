#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata::platforms {

/// Thrown while a short text (an expression, a binding) is read; the caller turns it into a Fault.
struct SyntaxFault {
  std::size_t offset;  ///< position in the text
  std::string message;
};

/// Reads names, numbers and signs from one line of text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool at_end();
  /// Skips blanks; consumes `token` and returns true if it comes next.
  bool take(std::string_view token);
  /// Like take(), but throws "expected ..., found ...".
  void expect(std::string_view token, std::string_view what);
  /// A name (letters, digits, _); empty if none comes next.
  std::string name();
  /// A whole number; empty if none comes next. Throws on overflow.
  std::optional<std::int64_t> number();
  std::size_t offset() const { return at_; }
  std::string_view text() const { return text_; }
  [[noreturn]] void fail(const std::string& message) const { throw SyntaxFault{at_, message}; }
  /// The next word, quoted, for messages.
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

  /// Reads the longest expression from the scanner's position. Throws SyntaxFault.
  static Expression read(Scanner& scanner);
  /// Reads a text that consists of one expression. Throws SyntaxFault.
  static Expression read_all(std::string_view text);
  static Expression constant(std::int64_t value);

  const std::vector<Name>& names() const { return names_; }
  /// The free name if the expression consists of nothing else; otherwise null.
  const std::string* lone_name() const;
  const std::string& text() const { return text_; }
  std::size_t offset() const { return offset_; }
  /// A division with a remainder.
  struct Uneven {
    std::int64_t dividend, divisor;
  };
  /// `values[n]` is the value of `names()[n]`. Empty on a division by zero or an overflow. `uneven` receives
  /// the first division with a remainder.
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
