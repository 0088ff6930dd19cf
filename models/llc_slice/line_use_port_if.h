#pragma once

#include <systemc>

#include "models/cache/tag_array.h"
#include "models/llc_slice/line_use_if.h"

namespace strata {

/// What a slice asks of a tracker when elaboration ends.
class LineUsePortIf : public virtual sc_core::sc_interface {
 public:
  /// The observer of this slice's lines. The tags outlive the simulation.
  virtual LineUseIf& attach(const TagArray& tags) = 0;
};

}  // namespace strata
