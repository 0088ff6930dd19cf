#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace strata::platforms {

/// A progress line on stderr, rewritten in place and erased at the end.
class ProgressLine {
 public:
  struct State {
    std::uint64_t thread_instructions = 0;
    std::uint64_t cycles = 0;
    double share = 0;           ///< of the whole run; 0 = unknown
    std::uint64_t answers = 0;  ///< replies, counted if there are no instructions
  };

  /// Draws something else instead, `seconds` after the start.
  using Draw = std::function<void(const State& state, double seconds)>;

  explicit ProgressLine(bool enabled, Draw draw = {})
      : enabled_(enabled), draw_(std::move(draw)), start_(Clock::now()), last_(start_) {}
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// True if the line is due for drawing: cheap, called often.
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
