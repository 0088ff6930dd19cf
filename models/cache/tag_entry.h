#pragma once

#include <cassert>
#include <cstdint>

namespace strata {

/// One cached line: its number (address / line size) exactly, whose it is, and whether memory is older.
/// Addresses of real traces have 47 bits, so that a line number needs 40: tag and state share a 64-bit word.
class TagEntry {
 public:
  constexpr TagEntry() = default;
  TagEntry(std::uint64_t number, std::uint8_t owner, bool dirty)
      : word_(number << 16 | std::uint64_t{owner} << 8 | (dirty ? dirty_bit : 0)) {
    assert(number < invalid_number);
  }
  bool valid() const { return word_ != invalid_word; }
  bool is(std::uint64_t number) const { return word_ >> 16 == number; }
  std::uint64_t number() const { return word_ >> 16; }
  std::uint8_t owner() const { return static_cast<std::uint8_t>(word_ >> 8); }
  bool dirty() const { return valid() && (word_ & dirty_bit) != 0; }
  void set_dirty(bool dirty) { word_ = dirty ? word_ | dirty_bit : word_ & ~dirty_bit; }
  /// A read-only load has brought or read the line.
  bool read_only() const { return valid() && (word_ & read_only_bit) != 0; }
  void set_read_only(bool on) { word_ = on ? word_ | read_only_bit : word_ & ~read_only_bit; }
  void set_owner(std::uint8_t owner) { word_ = (word_ & ~std::uint64_t{0xff00}) | std::uint64_t{owner} << 8; }
  friend bool operator==(TagEntry a, TagEntry b) { return a.word_ == b.word_; }

 private:
  static constexpr std::uint64_t dirty_bit = 1;
  static constexpr std::uint64_t read_only_bit = 2;
  static constexpr std::uint64_t invalid_word = ~std::uint64_t{0};
  static constexpr std::uint64_t invalid_number = invalid_word >> 16;
  std::uint64_t word_ = invalid_word;
};

}  // namespace strata
