#include "platforms/engine/netlist/expression.h"

#include <cctype>

namespace strata::platforms {
namespace {

constexpr int deepest_nesting = 64;  // keeps malicious files from exhausting the stack

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

void Scanner::skip_blanks() {
  while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
}

bool Scanner::at_end() {
  skip_blanks();
  return at_ >= text_.size();
}

bool Scanner::take(std::string_view token) {
  skip_blanks();
  if (text_.substr(at_, token.size()) != token) return false;
  const std::size_t after = at_ + token.size();
  if (starts_name(token.front()) && after < text_.size() && in_name(text_[after])) return false;
  at_ = after;
  return true;
}

void Scanner::expect(std::string_view token, std::string_view what) {
  if (take(token)) return;
  fail("expected " + std::string(what) + ", found " + next_word());
}

std::string Scanner::name() {
  skip_blanks();
  if (at_ >= text_.size() || !starts_name(text_[at_])) return {};
  const std::size_t start = at_;
  while (at_ < text_.size() && in_name(text_[at_])) ++at_;
  return std::string(text_.substr(start, at_ - start));
}

std::optional<std::int64_t> Scanner::number() {
  skip_blanks();
  if (at_ >= text_.size() || !is_digit(text_[at_])) return std::nullopt;
  std::int64_t value = 0;
  while (at_ < text_.size() && is_digit(text_[at_])) {
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text_[at_] - '0', &value))
      fail("number too large");
    ++at_;
  }
  if (at_ < text_.size() && in_name(text_[at_])) fail("number followed by " + next_word());
  return value;
}

std::string Scanner::next_word() {
  skip_blanks();
  if (at_ >= text_.size()) return "the end";
  std::size_t end = at_ + 1;
  if (in_name(text_[at_]))
    while (end < text_.size() && in_name(text_[end])) ++end;
  return "'" + std::string(text_.substr(at_, end - at_)) + "'";
}

Expression Expression::read(Scanner& scanner) {
  Expression expression;
  scanner.at_end();  // skips blanks
  expression.offset_ = scanner.offset();
  expression.sum(scanner, 0);
  std::string_view text = scanner.text().substr(expression.offset_, scanner.offset() - expression.offset_);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  expression.text_ = std::string(text);
  return expression;
}

Expression Expression::read_all(std::string_view text) {
  Scanner scanner(text);
  Expression expression = read(scanner);
  if (!scanner.at_end()) scanner.fail("expected the end, found " + scanner.next_word());
  return expression;
}

Expression Expression::constant(std::int64_t value) {
  Expression expression;
  expression.text_ = std::to_string(value);
  expression.steps_.push_back({Op::constant, value});
  return expression;
}

const std::string* Expression::lone_name() const {
  if (steps_.size() != 1 || steps_[0].op != Op::name || names_[0].is_reference()) return nullptr;
  return &names_[0].text;
}

void Expression::sum(Scanner& scanner, int depth) {
  product(scanner, depth);
  for (;;) {
    const std::string_view rest = scanner.at_end() ? "" : scanner.text().substr(scanner.offset());
    if (rest.substr(0, 2) == "->") return;  // the arrow of a binding, not a minus
    if (scanner.take("+")) {
      product(scanner, depth);
      steps_.push_back({Op::add, 0});
    } else if (scanner.take("-")) {
      product(scanner, depth);
      steps_.push_back({Op::subtract, 0});
    } else {
      return;
    }
  }
}

void Expression::product(Scanner& scanner, int depth) {
  factor(scanner, depth);
  for (;;) {
    Op op = Op::multiply;
    if (scanner.take("*")) {
      op = Op::multiply;
    } else if (scanner.take("/")) {
      op = Op::divide;
    } else if (scanner.take("%")) {
      op = Op::modulo;
    } else {
      return;
    }
    factor(scanner, depth);
    steps_.push_back({op, 0});
  }
}

void Expression::factor(Scanner& scanner, int depth) {
  if (depth > deepest_nesting) scanner.fail("parentheses nested too deeply");
  if (scanner.take("(")) {
    sum(scanner, depth + 1);
    scanner.expect(")", "')'");
    return;
  }
  if (scanner.take("-")) {
    steps_.push_back({Op::constant, 0});
    factor(scanner, depth + 1);
    steps_.push_back({Op::subtract, 0});
    return;
  }
  if (const auto number = scanner.number()) {
    steps_.push_back({Op::constant, *number});
    return;
  }
  scanner.at_end();
  const std::size_t offset = scanner.offset();
  std::string name = scanner.name();
  if (name.empty()) scanner.fail("expected a number, an index name or '(', found " + scanner.next_word());
  const std::string_view rest = scanner.text().substr(scanner.offset());
  if (rest.size() > 1 && rest[0] == '.' && starts_name(rest[1])) {
    scanner.take(".");
    name += "." + scanner.name();
  }
  steps_.push_back({Op::name, static_cast<std::int64_t>(names_.size())});
  names_.push_back({std::move(name), offset});
}

std::optional<std::int64_t> Expression::evaluate(const std::vector<std::int64_t>& values,
                                                 std::optional<Uneven>* uneven) const {
  std::vector<std::int64_t> stack;
  for (const Step& step : steps_) {
    if (step.op == Op::constant || step.op == Op::name) {
      stack.push_back(step.op == Op::constant ? step.value : values.at(static_cast<std::size_t>(step.value)));
      continue;
    }
    const std::int64_t b = stack.back();
    stack.pop_back();
    std::int64_t& a = stack.back();
    if (step.op == Op::add && __builtin_add_overflow(a, b, &a)) return std::nullopt;
    if (step.op == Op::subtract && __builtin_sub_overflow(a, b, &a)) return std::nullopt;
    if (step.op == Op::multiply && __builtin_mul_overflow(a, b, &a)) return std::nullopt;
    if (step.op == Op::divide || step.op == Op::modulo) {
      if (b == 0 || b == -1) {
        if (b == 0 || a == INT64_MIN) return std::nullopt;
        a = step.op == Op::divide ? -a : 0;
      } else {
        if (uneven != nullptr && !*uneven && step.op == Op::divide && a % b != 0) *uneven = Uneven{a, b};
        a = step.op == Op::divide ? a / b : a % b;
      }
    }
  }
  return stack.back();
}

}  // namespace strata::platforms
