#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace strata::tb {

/// The random choices of one case: a function of seed and number alone, the same with every standard library.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t number) {
    std::seed_seq mixed{low(seed), high(seed), low(number), high(number)};
    engine_.seed(mixed);
  }

  std::uint64_t below(std::uint64_t end) { return engine_() % end; }  // the bias does not matter here
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(last - first) + 1));
  }
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  bool chance(double share) { return unit() < share; }
  /// Every order of magnitude alike.
  std::int64_t log_between(std::int64_t first, std::int64_t last) {
    const double low = std::log(static_cast<double>(first) + 1),
                 high = std::log(static_cast<double>(last) + 2);
    const auto value = static_cast<std::int64_t>(std::exp(low + unit() * (high - low)) - 1);
    return value < first ? first : value > last ? last : value;
  }
  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

 private:
  static std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
  static std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
  std::mt19937_64 engine_;
};

}  // namespace strata::tb
