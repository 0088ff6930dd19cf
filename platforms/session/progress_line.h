#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace strata::platforms {

/// One line on stderr that says how far a run has come, rewritten in place and erased at the end.
class ProgressLine {
 public:
  struct State {
    std::uint64_t thread_instructions = 0;
    std::uint64_t cycles = 0;
    double share = 0;           ///< of the whole run; 0 = unknown
    std::uint64_t answers = 0;  ///< counted in place of instructions where there are none
  };

  /// Shows something else in its place, `seconds` after the start.
  using Draw = std::function<void(const State& state, double seconds)>;

  explicit ProgressLine(bool enabled, Draw draw = {})
      : enabled_(enabled), draw_(std::move(draw)), start_(Clock::now()), last_(start_) {}
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// True when the line should be drawn again: cheap, asked often.
  bool due() const;
  void show(const State& state);
  void erase();

  /// The text of the line `seconds` after the start.
  static std::string text(const State& state, double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  Draw draw_;
  bool shown_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

}  // namespace strata::platforms
