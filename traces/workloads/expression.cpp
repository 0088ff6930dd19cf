#include "traces/workloads/expression.h"

#include <cctype>
#include <limits>
#include <vector>

#include "models/common/faults.h"

namespace strata::traces {
namespace {

using Value = std::int64_t;

const std::vector<std::string> functions = {"min", "max", "ceil_div", "log2"};

/// Recursive descent that evaluates while parsing.
class Evaluator {
 public:
  Evaluator(const std::string& text, const ValueTable& values) : text_(text), values_(values) {}

  Value whole() {
    const Value value = choice();
    skip_blanks();
    if (at_ < text_.size()) fail("unexpected '" + text_.substr(at_, 1) + "'");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw ExpressionFault(message, at_); }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(const char* symbol) {
    skip_blanks();
    const std::string word = symbol;
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }
  void expect(const char* symbol) {
    if (!take(symbol)) fail(std::string("expected '") + symbol + "'");
  }

  Value choice() {
    if (++depth_ > 64) fail("nested too deeply");
    Value value = comparison();
    if (take("?")) {
      const Value yes = choice();
      expect(":");
      const Value no = choice();
      value = value != 0 ? yes : no;
    }
    --depth_;
    return value;
  }

  Value comparison() {
    const Value left = shift();
    if (take("==")) return left == shift();
    if (take("!=")) return left != shift();
    if (take("<=")) return left <= shift();
    if (take(">=")) return left >= shift();
    if (take("<")) return left < shift();
    if (take(">")) return left > shift();
    return left;
  }

  Value shift() {
    Value value = sum();
    for (;;) {
      const bool left = take("<<");
      if (!left && !take(">>")) return value;
      const Value by = sum();
      if (by < 0 || by > 62) fail("shift by " + std::to_string(by));
      value = left ? checked(value, Value{1} << by, '*') : value >> by;
    }
  }

  Value sum() {
    Value value = product();
    for (;;) {
      if (take("+"))
        value = checked(value, product(), '+');
      else if (take("-"))
        value = checked(value, product(), '-');
      else
        return value;
    }
  }

  Value product() {
    Value value = factor();
    for (;;) {
      char op = 0;
      for (const char* symbol : {"*", "/", "%"})
        if (op == 0 && take(symbol)) op = *symbol;
      if (op == 0) return value;
      value = checked(value, factor(), op);
    }
  }

  Value checked(Value a, Value b, char op) const {
    Value result = 0;
    bool bad = false;
    if (op == '+') bad = __builtin_add_overflow(a, b, &result);
    if (op == '-') bad = __builtin_sub_overflow(a, b, &result);
    if (op == '*') bad = __builtin_mul_overflow(a, b, &result);
    if (op == '/' || op == '%') {
      if (b == 0) fail("divides by zero");
      if (a == std::numeric_limits<Value>::min() && b == -1) fail("is too large for 64 bits");
      result = op == '/' ? a / b : a % b;
    }
    if (bad) fail("is too large for 64 bits");
    return result;
  }

  Value factor() {
    if (take("-")) {
      if (++depth_ > 64) fail("nested too deeply");
      const Value value = checked(0, factor(), '-');
      --depth_;
      return value;
    }
    if (take("(")) {
      const Value value = choice();
      expect(")");
      return value;
    }
    skip_blanks();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return number();
    if (at_ < text_.size() &&
        (std::isalpha(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      return name();
    fail(at_ < text_.size() ? "unexpected '" + text_.substr(at_, 1) + "'" : "a number or a name is missing");
  }

  Value number() {
    Value value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      value = checked(checked(value, 10, '*'), text_[at_] - '0', '+');
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] == '.') fail("whole numbers only here");
    return value;
  }

  Value name() {
    const std::size_t first = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string word = text_.substr(first, at_ - first);
    if (take("(")) return call(word, first);
    const auto found = values_.find(word);
    if (found != values_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& value : values_) known.push_back(value.first);
    throw ExpressionFault("no value '" + word + "'" + suggestion(word, known), first);
  }

  Value call(const std::string& function, std::size_t where) {
    std::vector<Value> arguments;
    do arguments.push_back(choice());
    while (take(","));
    expect(")");
    if (function == "log2" && arguments.size() == 1) {
      Value bits = 0;
      while (bits < 62 && (Value{1} << bits) < arguments[0]) ++bits;
      return bits;
    }
    if (arguments.size() == 2) {
      const Value a = arguments[0], b = arguments[1];
      if (function == "min") return a < b ? a : b;
      if (function == "max") return a > b ? a : b;
      if (function == "ceil_div") {
        if (b <= 0) fail("ceil_div needs a divisor above 0");
        return checked(checked(a, b - 1, '+'), b, '/');
      }
    }
    throw ExpressionFault("no function '" + function + "' of " + std::to_string(arguments.size()) +
                              " values" + suggestion(function, functions),
                          where);
  }

  const std::string& text_;
  const ValueTable& values_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::int64_t evaluate(const std::string& text, const ValueTable& values) {
  return Evaluator(text, values).whole();
}

}  // namespace strata::traces
