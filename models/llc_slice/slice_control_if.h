#pragma once

#include <systemc>

#include "models/common/access.h"
#include "models/llc_slice/llc_flush.h"
#include "models/llc_slice/llc_slice_params.h"

namespace strata {

/// Answer to SliceControlIf::begin_flush and begin_write_back. Implemented by the LLC's control.
class SliceFlushDoneIf {
 public:
  virtual ~SliceFlushDoneIf() = default;
  /// Slice `id` has done what it was told and memory has acknowledged everything it wrote; called once per
  /// order.
  virtual void slice_flushed(int id, Cycle ledger_cycle) = 0;
};

/// What the LLC's control may ask of a slice.
class SliceControlIf : public virtual sc_core::sc_interface {
 public:
  /// Finish what is under way, write back every dirty line, drop all lines, then answer. The answer never
  /// comes during this call.
  virtual void begin_flush(SliceFlushDoneIf& done, int id) = 0;
  /// The same, but the lines stay, clean. A slice that cannot keep them flushes.
  virtual void begin_write_back(SliceFlushDoneIf& done, int id) { begin_flush(done, id); }
  /// The same as begin_flush for the lines that other slices may hold as well: those that read-only loads
  /// brought to a slice which is not theirs by address. They are never dirty.
  virtual void begin_replica_flush(SliceFlushDoneIf& done, int id) { begin_flush(done, id); }
  /// The same for the lines of one application, while the others go on: its own accesses must have been
  /// answered. `what` says which of its lines are dropped. A slice that cannot tell applications apart
  /// flushes.
  virtual void begin_flush_of(int /*application*/, LlcFlush /*what*/, SliceFlushDoneIf& done, int id) {
    begin_flush(done, id);
  }
  /// Write policy from now on; only before the start, after a flush or after a write-back.
  virtual void set_write_through(bool through) = 0;
  /// The same for the accesses of one application.
  virtual void set_write_through_of(int /*application*/, bool through) { set_write_through(through); }
  /// This slice is `slice` of the LLC, and lines that read-only loads bring may have replicas in others: from
  /// now on a store to such a line is reported, since the analysis that made the loads read-only was wrong.
  virtual void expect_replicas(int slice) = 0;
  /// The same for lines of one application.
  virtual void expect_replicas_of(int /*application*/, int slice) { expect_replicas(slice); }
  /// Requests that the tags have decided so far, and those of them that neither hit nor merged.
  virtual std::uint64_t accesses() const = 0;
  virtual std::uint64_t misses() const = 0;
  /// Lines that are being fetched from memory now.
  virtual int fetches() const { return 0; }
  /// The same of one application.
  virtual std::uint64_t accesses_of(int /*application*/) const { return accesses(); }
  virtual std::uint64_t misses_of(int /*application*/) const { return misses(); }
  virtual int fetches_of(int /*application*/) const { return fetches(); }
  virtual const LlcSliceParams& params() const = 0;
};

}  // namespace strata
