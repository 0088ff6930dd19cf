#include "models/tlm/wait_history.h"

#include <algorithm>

namespace strata {

std::size_t WaitHistory::step_of(std::size_t load) {
  if (load < exact) return load;
  const auto octave = static_cast<std::size_t>(63 - __builtin_clzll(load));  // 4 for 16 to 31
  const std::size_t quarter = load >> (octave - 2) & 3;
  return std::min(exact + (octave - 4) * 4 + quarter, step_count - 1);
}

void WaitHistory::learn(std::size_t load, std::int64_t wait) {
  Step& step = steps_[step_of(load)];
  step.waits[step.next_in] = static_cast<std::int32_t>(wait);
  step.next_in = static_cast<std::uint8_t>((step.next_in + 1U) % remembered);
  step.known = static_cast<std::uint8_t>(std::min<std::size_t>(step.known + 1U, remembered));
}

// A load never seen before: what the next smaller known one waits.
std::int64_t WaitHistory::promise(std::size_t load) {
  for (std::size_t i = step_of(load) + 1; i-- > 0;) {
    Step& step = steps_[i];
    if (step.known == 0) continue;
    step.next_out = static_cast<std::uint8_t>((step.next_out + 1U) % step.known);
    return step.waits[step.next_out];
  }
  return 0;
}

}  // namespace strata
