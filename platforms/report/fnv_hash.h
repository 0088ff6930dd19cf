#pragma once

#include <cstdint>
#include <string_view>

#include "models/common/stats.h"

namespace strata::platforms {

/// FNV-1a, 64 bits: offset basis and prime of its specification (draft-eastlake-fnv).
class FnvHash {
 public:
  void bytes(std::string_view text) {
    for (const char c : text) byte(static_cast<unsigned char>(c));
  }
  /// A text with a terminator: "ab", "c" differs from "a", "bc".
  void add(std::string_view text) {
    bytes(text);
    byte(0);
  }
  void add(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) byte(static_cast<unsigned char>(value >> (8 * i)));
  }
  void add(const Histogram& histogram) {
    for (const std::uint64_t count : histogram.buckets) add(count);
    add(histogram.total);
    add(histogram.maximum);
  }
  std::uint64_t value() const { return value_; }

 private:
  void byte(unsigned char b) { value_ = (value_ ^ b) * 0x100000001b3ULL; }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace strata::platforms
