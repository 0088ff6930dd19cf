#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata {

/// Foretells waits from those that were measured: a request that comes while `load` others are under way is
/// promised what one of the last requests that came under such a load has waited.
///
/// Measured waits are handed out in turn, not averaged, so that promises have the spread of what happens,
/// and in the long run its mean. Loads up to 16 are told apart, larger ones in four steps an octave.
class WaitHistory {
 public:
  WaitHistory() : steps_(step_count) {}
  /// A wait, in cycles; negative when it went faster than it was expected to.
  void learn(std::size_t load, std::int64_t wait);
  /// Zero while nothing like it has been seen.
  std::int64_t promise(std::size_t load);

 private:
  static constexpr std::size_t exact = 16;
  static constexpr std::size_t octaves = 12;  // 64 K requests
  static constexpr std::size_t step_count = exact + 4 * octaves;
  static constexpr std::size_t remembered = 8;
  struct Step {
    std::array<std::int32_t, remembered> waits{};
    std::uint8_t known = 0;
    std::uint8_t next_in = 0;
    std::uint8_t next_out = 0;
  };
  static std::size_t step_of(std::size_t load);
  std::vector<Step> steps_;
};

}  // namespace strata
