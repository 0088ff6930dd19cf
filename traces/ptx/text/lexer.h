#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strata::traces::ptx {

enum class TokenKind : std::uint8_t {
  end,
  word,     // add, %r1, $L__BB0_1
  dotted,   // .s32, .shared::cta, .L2::128B: text without the dot
  integer,  // value in `bits`
  real,     // 0f.., 0d.. or decimal: bits of a double in `bits`; single precision when `single`
  string,   // text without the quotes
  mark,     // one character of punctuation
};

struct Token {
  TokenKind kind = TokenKind::end;
  bool single = false;
  int line = 1;
  int column = 1;
  std::string_view text;
  std::uint64_t bits = 0;

  bool is(char c) const { return kind == TokenKind::mark && text[0] == c; }
  bool is_dotted(std::string_view name) const { return kind == TokenKind::dotted && text == name; }
};

/// Splits PTX text into tokens and drops comments. The tokens point into `text`, which must outlive them.
class Lexer {
 public:
  Lexer(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}
  std::vector<Token> run();

 private:
  void skip_blanks();
  Token next();
  Token number();
  Token hexadecimal_real(bool single);
  Token finish(TokenKind kind, std::size_t length);
  char at(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  [[noreturn]] void fail(const std::string& message) const;

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace strata::traces::ptx
