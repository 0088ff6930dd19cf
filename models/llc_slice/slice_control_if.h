#pragma once

#include <systemc>

#include "models/common/units.h"

namespace strata {

/// Answer to SliceControlIf::begin_flush. Implemented by the LLC's control.
class SliceFlushDoneIf {
 public:
  virtual ~SliceFlushDoneIf() = default;
  /// Slice `id` is empty and memory has acknowledged everything it wrote; called once per begin_flush.
  virtual void slice_flushed(int id, Cycle ledger_cycle) = 0;
};

/// What the LLC's control may ask of a slice.
class SliceControlIf : public virtual sc_core::sc_interface {
 public:
  /// Finish what is under way, write back every dirty line, drop all lines, then answer. The answer never
  /// comes during this call.
  virtual void begin_flush(SliceFlushDoneIf& done, int id) = 0;
  /// Write policy from now on; only before the start or after a flush.
  virtual void set_write_through(bool through) = 0;
  /// Requests that the tags have decided so far.
  virtual std::uint64_t accesses() const = 0;
};

}  // namespace strata
