#include "platforms/engine/session/progress_line.h"

#include <cstdio>

#include "models/common/text.h"

namespace strata::platforms {
namespace {

constexpr std::chrono::milliseconds first_after{2000};  // short runs show no line
constexpr std::chrono::milliseconds again_after{500};

std::string scaled(double value) {
  static const char* const units[] = {"", " k", " M", " G", " T"};
  int unit = 0;
  while (value >= 1000 && unit < 4) {
    value /= 1000;
    ++unit;
  }
  return fixed(value, unit == 0 ? 0 : 2) + units[unit];
}

std::string duration(double seconds) {
  char text[48];
  const auto whole = static_cast<unsigned long>(seconds + 0.5);
  if (whole < 60)
    std::snprintf(text, sizeof text, "%lu s", whole);
  else if (whole < 3600)
    std::snprintf(text, sizeof text, "%lu min %02lu s", whole / 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
  return text;
}

}  // namespace

bool ProgressLine::due() const {
  if (!enabled_) return false;
  const auto now = Clock::now();
  return shown_ ? now - last_ >= again_after : draw_ || now - start_ >= first_after;
}

std::string ProgressLine::text(const State& state, double seconds) {
  const bool traffic = state.answers != 0;
  const auto count = static_cast<double>(traffic ? state.answers : state.thread_instructions);
  std::string line = scaled(count) + (traffic ? " replies, " : " thread instructions, ") +
                     scaled(static_cast<double>(state.cycles)) + " cycles";
  if (seconds > 0)
    line += ", " + fixed(count / seconds / 1000, 0) + " k " + (traffic ? "replies/s" : "instructions/s");
  if (state.share > 0 && state.share < 1)
    line +=
        formatted(", %.0f %%, ETA ", 100 * state.share) + duration(seconds * (1 - state.share) / state.share);
  return line;
}

void ProgressLine::show(const State& state) {
  last_ = Clock::now();
  shown_ = true;
  const double seconds = std::chrono::duration<double>(last_ - start_).count();
  if (draw_) return draw_(state, seconds);
  std::fprintf(stderr, "\r%s\x1b[K", text(state, seconds).c_str());
  std::fflush(stderr);
}

void ProgressLine::erase() {
  if (!shown_ || draw_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace strata::platforms
