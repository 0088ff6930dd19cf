#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// When a kernel ran, in cycles of its driver's clock.
struct KernelSpan {
  std::size_t kernel = 0;  ///< number in the source
  Cycle began = 0;
  Cycle ended = never;  ///< `never`: it runs still
  /// CTAs launched and their warp instructions, where kernels of the application may run side by side.
  std::uint64_t ctas = 0, warp_instructions = 0;
};

/// A block that has work of its own and says when it is done. A run ends when every driver of the platform
/// has finished and nothing moves any more.
class RunDriver {
 public:
  virtual ~RunDriver() = default;
  virtual bool finished() const = 0;
  /// Core cycle in which the last of its work was done; 0 before it has finished.
  virtual Cycle end_cycle() const = 0;
  /// Grows whenever a piece of the work gets done: what the watchdog looks at.
  virtual std::uint64_t work_done() const = 0;
  /// Core cycle in which it goes on by itself after a pause that is part of its work: until then nothing need
  /// get done. A past one when it does not pause.
  virtual Cycle pauses_until() const { return 0; }
  /// What work_done() will be at the end; 0 = unknown.
  virtual std::uint64_t work_total() const { return 0; }
  /// Every kernel of an application that has begun, in the order in which they did.
  virtual std::vector<KernelSpan> kernel_spans(int /*application*/) const { return {}; }
};

}  // namespace strata
