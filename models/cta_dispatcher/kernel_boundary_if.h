#pragma once

#include <systemc>

#include "models/common/units.h"

namespace strata {

/// Answer to KernelBoundaryIf::kernel_ended. Implemented by the CTA dispatcher.
class KernelBoundaryDoneIf {
 public:
  virtual ~KernelBoundaryDoneIf() = default;
  /// The work of the boundary is over in core cycle `at` (now or later); called exactly once per
  /// kernel_ended.
  virtual void kernel_boundary_done(Cycle at) = 0;
};

/// Whoever has work to do between two kernels, e.g. flushing a private LLC. The dispatcher calls it when all
/// CTAs of the kernel are done, all its stores are acknowledged and the L1s are flushed; the next kernel
/// starts, and the last one ends, only after the answer.
class KernelBoundaryIf : public virtual sc_core::sc_interface {
 public:
  /// `now`: core cycle. The answer may come during this call.
  virtual void kernel_ended(KernelBoundaryDoneIf& done, Cycle now) = 0;
};

}  // namespace strata
