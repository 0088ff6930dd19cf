#pragma once

#include <cstdint>

namespace strata {

/// splitmix64 (Steele, Lea, Flood, OOPSLA 2014): one word of state, the same numbers on every machine. For
/// blocks that need many independent streams; copying one looks ahead without moving it.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed = 0) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// 0 to count - 1; by multiplication, which favours none by more than count / 2^64.
  std::uint64_t below(std::uint64_t count) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * count) >> 64);
  }
  /// A number in [0, 1) with 53 random bits.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace strata
