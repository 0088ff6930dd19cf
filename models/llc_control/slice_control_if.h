#pragma once

#include <systemc>

#include "models/cache/llc_set_index.h"
#include "models/common/access.h"
#include "models/llc_control/llc_flush.h"

namespace strata {

/// Receives the answer to SliceControlIf::begin_flush. The LLC's control implements it.
class SliceFlushDoneIf {
 public:
  virtual ~SliceFlushDoneIf() = default;
  /// Slice `id` has executed the order, and memory has acknowledged all its writes. Called once per order.
  virtual void slice_flushed(int id, Cycle ledger_cycle) = 0;
};

/// What the LLC's control may ask of a slice, each time for the lines and accesses of some applications. A
/// slice that cannot tell applications apart does it for all.
class SliceControlIf : public virtual sc_core::sc_interface {
 public:
  /// Write back every dirty line, drop the lines that `what` names, then answer. The answer never comes
  /// during this call. For all applications, the slice first finishes its accesses in flight. For some of
  /// them, the others go on, and all accesses of the named ones must have been answered before.
  virtual void begin_flush(LlcFlush what, ApplicationSet whose, SliceFlushDoneIf& done, int id) = 0;
  /// Memory must be kept up to date from now on, or need not; only before the start, after a flush or after a
  /// write-back. A slice whose parameters ask for it writes through in any case.
  virtual void set_write_through(ApplicationSet whose, bool through) = 0;
  /// This slice is `slice` of the LLC, and lines that read-only loads bring may have replicas in others: from
  /// now on a store to such a line is reported, since the analysis that made the loads read-only was wrong.
  virtual void expect_replicas(ApplicationSet whose, int slice) = 0;
  /// A kernel has ended without replicas to flush: the next may write the lines that it only read.
  virtual void forget_read_only(ApplicationSet /*whose*/) {}
  /// Requests that the tags have decided so far, and those of them that neither hit nor merged.
  virtual std::uint64_t accesses(ApplicationSet whose) const = 0;
  virtual std::uint64_t misses(ApplicationSet whose) const = 0;
  /// Lines that are being fetched from memory now.
  virtual int fetches(ApplicationSet /*whose*/) const { return 0; }
  virtual SliceTags tags() const = 0;
};

}  // namespace strata
