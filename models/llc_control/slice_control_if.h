#pragma once

#include <systemc>

#include "models/cache/llc_set_index.h"
#include "models/common/access.h"
#include "models/llc_control/llc_flush.h"

namespace strata {

/// Answer to SliceControlIf::begin_flush. Implemented by the LLC's control.
class SliceFlushDoneIf {
 public:
  virtual ~SliceFlushDoneIf() = default;
  /// Slice `id` has done what it was told and memory has acknowledged everything it wrote; called once per
  /// order.
  virtual void slice_flushed(int id, Cycle ledger_cycle) = 0;
};

/// What the LLC's control may ask of a slice, each time for the lines and accesses of some applications. A
/// slice that cannot tell applications apart does it for all.
class SliceControlIf : public virtual sc_core::sc_interface {
 public:
  /// Write back every dirty line, drop the lines that `what` names, then answer. The answer never comes
  /// during this call. Where every application is meant the slice finishes what is under way before;
  /// otherwise the others go on, and the accesses of those that are meant must have been answered.
  virtual void begin_flush(LlcFlush what, ApplicationSet whose, SliceFlushDoneIf& done, int id) = 0;
  /// Memory must be kept up to date from now on, or need not; only before the start, after a flush or after a
  /// write-back. A slice whose parameters ask for it writes through in any case.
  virtual void set_write_through(ApplicationSet whose, bool through) = 0;
  /// This slice is `slice` of the LLC, and lines that read-only loads bring may have replicas in others: from
  /// now on a store to such a line is reported, since the analysis that made the loads read-only was wrong.
  virtual void expect_replicas(ApplicationSet whose, int slice) = 0;
  /// A kernel has ended that left no replicas to flush: what it only read may be written by the next.
  virtual void forget_read_only(ApplicationSet /*whose*/) {}
  /// Requests that the tags have decided so far, and those of them that neither hit nor merged.
  virtual std::uint64_t accesses(ApplicationSet whose) const = 0;
  virtual std::uint64_t misses(ApplicationSet whose) const = 0;
  /// Lines that are being fetched from memory now.
  virtual int fetches(ApplicationSet /*whose*/) const { return 0; }
  virtual SliceTags tags() const = 0;
};

}  // namespace strata
