#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

/// What the docs, `stats.json` and `strata explain` say of a counter.
struct StatInfo {
  std::string_view name;
  std::string_view unit;
  std::string_view sentence;
  /// A counter of something rare: when it is 0, results and their digest leave it out.
  bool rare = false;
};

/// Power-of-two histogram of a non-negative quantity: bucket 0 counts zeros, bucket k counts [2^(k-1), 2^k).
struct Histogram {
  std::array<std::uint64_t, 33> buckets{};
  std::uint64_t samples = 0;
  std::uint64_t total = 0;
  std::uint64_t maximum = 0;

  void add(std::uint64_t value) {
    const int width = value == 0 ? 0 : 64 - __builtin_clzll(value);
    ++buckets[width > 32 ? 32 : width];
    ++samples;
    total += value;
    if (value > maximum) maximum = value;
  }
  Histogram& operator+=(const Histogram& other) {
    for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i] += other.buckets[i];
    samples += other.samples;
    total += other.total;
    if (other.maximum > maximum) maximum = other.maximum;
    return *this;
  }
};

/// Walks the statistics of a block: raw counters, histograms, ratios made of counters when reported, and the
/// laws that tie counters together. A law reads `accesses = hits + misses`: names of this block's counters
/// (or whole numbers) joined by +, on both sides of `=` or `>=`; it is checked at the end of every run.
class StatVisitor {
 public:
  virtual ~StatVisitor() = default;
  virtual void counter(const StatInfo& info, const std::uint64_t& value) = 0;
  virtual void histogram(const StatInfo& info, const Histogram& value) = 0;
  /// Reported as numerator / denominator; absent when the denominator is 0.
  virtual void ratio(const StatInfo& info, std::uint64_t numerator, std::uint64_t denominator) = 0;
  virtual void law(std::string_view text) = 0;
};

/// Statistics of one block: a plain struct of counters that derives from this.
class StatSet {
 public:
  virtual ~StatSet() = default;
  virtual void for_each_stat(StatVisitor& visitor) const = 0;
};

/// Adds every statistic of `other`, a set of the same type, to that of `sum`. A set must visit all its
/// counters.
void add_stats(StatSet& sum, const StatSet& other);

}  // namespace strata
