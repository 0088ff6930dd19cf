#include "traces/ptx/text/lexer.h"

#include <cstdlib>
#include <cstring>

#include "models/common/faults.h"

namespace strata::traces::ptx {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool starts_word(char c) {
  return is_letter(c) || c == '_' || c == '$' || c == '%';
}
bool in_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

std::uint64_t hex_value(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char c : digits)
    value = value << 4 | static_cast<std::uint64_t>(is_digit(c) ? c - '0' : (c | 32) - 'a' + 10);
  return value;
}

std::uint64_t to_bits(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

}  // namespace

void Lexer::fail(const std::string& message) const {
  throw TraceError(Fault{{file_, line_, static_cast<int>(at_ - line_start_) + 1}, message});
}

std::vector<Token> Lexer::run() {
  std::vector<Token> tokens;
  do tokens.push_back(next());
  while (tokens.back().kind != TokenKind::end);
  return tokens;
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      line_start_ = ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (c == '/' && at(1) == '/') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (c == '/' && at(1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) fail("expected '*/' at the end of a comment");
      for (; at_ < end; ++at_)
        if (text_[at_] == '\n') {
          ++line_;
          line_start_ = at_ + 1;
        }
      at_ += 2;
    } else {
      return;
    }
  }
}

Token Lexer::finish(TokenKind kind, std::size_t length) {
  Token token;
  token.kind = kind;
  token.line = line_;
  token.column = static_cast<int>(at_ - line_start_) + 1;
  token.text = text_.substr(at_, length);
  at_ += length;
  return token;
}

Token Lexer::next() {
  skip_blanks();
  if (at_ >= text_.size()) return finish(TokenKind::end, 0);
  const char c = text_[at_];
  std::size_t length = 1;
  if (starts_word(c)) {
    while (in_word(at(length))) ++length;
    return finish(TokenKind::word, length);
  }
  if (c == '.' && (in_word(at(1)) || at(1) == '%')) {
    while (in_word(at(length)) || (at(length) == ':' && at(length + 1) == ':' && in_word(at(length + 2))) ||
           (at(length) == ':' && at(length - 1) == ':'))
      ++length;
    Token token = finish(TokenKind::dotted, length);
    token.text.remove_prefix(1);
    return token;
  }
  if (is_digit(c)) return number();
  if (c == '"') {
    while (at(length) != '"') {
      if (at(length) == '\0' || at(length) == '\n') fail("expected '\"' at the end of a string");
      ++length;
    }
    Token token = finish(TokenKind::string, length + 1);
    token.text = token.text.substr(1, length - 1);
    return token;
  }
  if (c == '\0' || std::strchr(",;:[](){}<>=+-*/!@|&^~?", c) == nullptr) fail("unexpected character");
  return finish(TokenKind::mark, 1);
}

Token Lexer::hexadecimal_real(bool single) {
  const std::size_t digits = single ? 8 : 16;
  std::size_t length = 2;
  while (is_hex(at(length))) ++length;
  if (length != digits + 2)
    fail("expected " + std::to_string(digits) + " hexadecimal digits behind '" + (single ? "0f" : "0d") +
         "'");
  Token token = finish(TokenKind::real, length);
  token.single = single;
  token.bits = hex_value(token.text.substr(2));
  return token;
}

Token Lexer::number() {
  const char second = static_cast<char>(at(1) | 32);
  if (at(0) == '0' && (second == 'f' || second == 'd')) return hexadecimal_real(second == 'f');
  std::size_t length = 1;
  if (at(0) == '0' && (second == 'x' || second == 'b')) {
    length = 2;
    while (is_hex(at(length))) ++length;
    const std::size_t most = second == 'x' ? 18 : 66;
    if (length == 2 || length > most) fail("expected a number of at most 64 bits");
    const bool wide = second == 'x';
    Token token = finish(TokenKind::integer, length);
    for (const char c : token.text.substr(2)) {
      if (!wide && c != '0' && c != '1') fail("expected binary digits");
      token.bits = wide ? token.bits : token.bits << 1 | static_cast<std::uint64_t>(c - '0');
    }
    if (wide) token.bits = hex_value(token.text.substr(2));
    if (at(0) == 'U') ++at_;
    return token;
  }
  while (is_digit(at(length))) ++length;
  const bool fraction = at(length) == '.' && is_digit(at(length + 1));
  const auto exponent = [&](std::size_t n) {
    if ((at(n) | 32) != 'e') return false;
    return is_digit(at(n + 1)) || ((at(n + 1) == '-' || at(n + 1) == '+') && is_digit(at(n + 2)));
  };
  if (fraction || exponent(length)) {
    while (is_digit(at(length)) || at(length) == '.') ++length;
    if (exponent(length)) {
      length += 2;
      while (is_digit(at(length))) ++length;
    }
    Token token = finish(TokenKind::real, length);
    token.bits = to_bits(std::strtod(std::string(token.text).c_str(), nullptr));
    return token;
  }
  Token token = finish(TokenKind::integer, length);
  const std::uint64_t radix = token.text[0] == '0' ? 8 : 10;
  for (const char c : token.text) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (digit >= radix || token.bits > (~std::uint64_t{0} - digit) / radix)
      fail("expected a number of at most 64 bits");
    token.bits = token.bits * radix + digit;
  }
  if (at(0) == 'U') ++at_;
  return token;
}

}  // namespace strata::traces::ptx
