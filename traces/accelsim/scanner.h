#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace strata::traces {

/// Blank-separated tokens of one line, with the fault found first. After a fault every read returns false.
class Scanner {
 public:
  static bool blank(char c) { return c == ' ' || c == '\t'; }

  /// Reads `line` from `offset` on.
  explicit Scanner(std::string_view line, std::size_t offset = 0)
      : begin_(line.data()), at_(begin_ + offset), end_(begin_ + line.size()) {}

  bool at_end() {
    while (at_ != end_ && blank(*at_)) ++at_;
    return at_ == end_;
  }
  bool token(std::string_view& out, const char* expected) {
    if (at_end()) return fail(expected);
    token_ = at_;
    while (at_ != end_ && !blank(*at_)) ++at_;
    out = std::string_view(token_, static_cast<std::size_t>(at_ - token_));
    return true;
  }
  /// A whole token that is a hexadecimal number, with or without `0x`.
  template <class Number>
  bool hexadecimal(Number& out, const char* expected) {
    if (at_end()) return fail(expected);
    token_ = at_;
    if (end_ - at_ > 2 && at_[0] == '0' && (at_[1] == 'x' || at_[1] == 'X')) at_ += 2;
    const char* const first = at_;
    const char* at = first;
    Number value = 0;
    for (unsigned digit; at != end_ && (digit = hex_digits[static_cast<unsigned char>(*at)]) <= 15; ++at)
      value = static_cast<Number>(value << 4 | digit);
    at_ = at;
    if (at == first || !token_ends() || (at - first > digits_of<Number> && !fits<Number>(first)))
      return fail_token(expected);
    out = value;
    return true;
  }
  /// A whole token that is a decimal number.
  template <class Number>
  bool decimal(Number& out, const char* expected) {
    if (at_end()) return fail(expected);
    token_ = at_;
    if (few_digits(out)) return true;
    const auto read = std::from_chars(at_, end_, out);
    at_ = read.ptr;
    return (read.ec == std::errc{} && token_ends()) || fail_token(expected);
  }
  /// A token that is a decimal number of few digits; skips nothing else.
  bool few_digits_next(std::uint64_t& number) { return !at_end() && few_digits(number); }
  /// The unread part.
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  /// Reports a fault at the last token, or at the end of the line.
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
  std::size_t token_offset() const { return static_cast<std::size_t>(token_ - begin_); }
  /// Number of characters read.
  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
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
  bool token_ends() const { return at_ == end_ || blank(*at_); }
  /// Fast path for short numbers. Reads nothing if the number is longer.
  template <class Number>
  bool few_digits(Number& out) {
    static_assert(sizeof(Number) >= 4, "nine digits fit");
    unsigned value = 0;
    const char* at = at_;
    for (unsigned digit;
         at != end_ && at - at_ < 9 && (digit = static_cast<unsigned char>(*at) - unsigned{'0'}) <= 9; ++at)
      value = value * 10 + digit;
    if (at == at_ || (at != end_ && !blank(*at))) return false;
    at_ = at;
    out = static_cast<Number>(value);
    return true;
  }
  template <class Number>
  static constexpr std::ptrdiff_t digits_of = 2 * sizeof(Number);
  /// True if the hexadecimal number from `first` to here has too many digits but only because of leading
  /// zeros.
  template <class Number>
  bool fits(const char* first) const {
    return std::all_of(first, at_ - digits_of<Number>, [](char digit) { return digit == '0'; });
  }
  static constexpr std::array<std::uint8_t, 256> hex_digits = [] {
    std::array<std::uint8_t, 256> digits{};
    for (unsigned c = 0; c < 256; ++c)
      digits[c] = static_cast<std::uint8_t>(c >= '0' && c <= '9'   ? c - '0'
                                            : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                            : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                                   : 255);
    return digits;
  }();

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* token_ = nullptr;
  const char* fault_at_ = nullptr;
  const char* expected_ = nullptr;
};

}  // namespace strata::traces
