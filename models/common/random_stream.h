#pragma once

#include <cstdint>
#include <string_view>

namespace strata {

/// splitmix64 (Steele, Lea, Flood, OOPSLA 2014): one word of state, the same numbers on every machine. For
/// blocks that need many independent streams; copying one looks ahead without moving it.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed = 0) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += step;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// Skips one number: later numbers are as after next().
  void skip() { state_ += step; }
  /// 0 to count - 1; by multiplication, which favours none by more than count / 2^64.
  std::uint64_t below(std::uint64_t count) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * count) >> 64);
  }
  /// 53 random bits: what a double holds exactly.
  std::uint64_t next53() { return next() >> 11; }
  /// next53() lies below it with that chance.
  static std::uint64_t threshold(double chance) { return static_cast<std::uint64_t>(chance * 0x1p53); }

 private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15ULL;
  std::uint64_t state_;
};

/// The seed for this name, from the seed of the run; independent of what else is built.
inline std::uint64_t seed_of(std::uint64_t run_seed, std::string_view name) {
  for (const char c : name) run_seed = RandomStream(run_seed ^ static_cast<unsigned char>(c)).next();
  return run_seed;
}

}  // namespace strata
