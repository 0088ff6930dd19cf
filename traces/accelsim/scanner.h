#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace strata::traces {

/// Blank-separated tokens of one line, with the fault found first. After a fault every read returns false.
class Scanner {
 public:
  explicit Scanner(std::string_view line) : begin_(line.data()), at_(begin_), end_(begin_ + line.size()) {}

  bool at_end() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
    return at_ == end_;
  }
  bool token(std::string_view& out, const char* expected) {
    if (at_end()) return fail(expected);
    token_ = at_;
    while (at_ != end_ && *at_ != ' ' && *at_ != '\t') ++at_;
    out = std::string_view(token_, static_cast<std::size_t>(at_ - token_));
    return true;
  }
  /// A whole token that is a number; `0x` is allowed before hexadecimal digits.
  template <class Number>
  bool number(Number& out, int base, const char* expected) {
    std::string_view text;
    if (!token(text, expected)) return false;
    if (base == 16 && text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
      text.remove_prefix(2);
    const auto result = std::from_chars(text.data(), text.data() + text.size(), out, base);
    if (result.ec == std::errc{} && result.ptr == text.data() + text.size()) return true;
    at_ = token_;
    return fail(expected);
  }
  /// Blame the last token (or the end of the line).
  bool fail(const char* expected) {
    if (expected_ == nullptr) {
      expected_ = expected;
      fault_at_ = at_ == end_ && token_ == nullptr ? end_ : at_;
    }
    return false;
  }
  bool fail_token(const char* expected) {
    at_ = token_;
    return fail(expected);
  }
  bool failed() const { return expected_ != nullptr; }
  int column() const { return static_cast<int>((failed() ? fault_at_ : at_) - begin_) + 1; }
  /// `expected X, found 'token'`.
  std::string message() const {
    const char* stop = fault_at_;
    while (stop != end_ && *stop != ' ' && *stop != '\t') ++stop;
    const std::string found(fault_at_, static_cast<std::size_t>(stop - fault_at_));
    return std::string("expected ") + expected_ +
           (found.empty() ? ", found the end of the line" : ", found '" + found + "'");
  }

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
  const char* token_ = nullptr;
  const char* fault_at_ = nullptr;
  const char* expected_ = nullptr;
};

}  // namespace strata::traces
