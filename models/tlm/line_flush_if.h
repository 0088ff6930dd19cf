#pragma once

#include <cstdint>

#include <systemc>

namespace strata {

/// Answer to LineFlushIf::begin_flush.
class LineFlushDoneIf {
 public:
  virtual ~LineFlushDoneIf() = default;
  /// `id`: as given. Once for each begin_flush, during that call or later.
  virtual void lines_flushed(int id) = 0;
};

/// Control port of whatever keeps lines for SMs: an L1, or a node that several SMs share. An SM cluster calls
/// it at the end of a kernel, when the accesses of the SM have been answered.
class LineFlushIf : public virtual sc_core::sc_interface {
 public:
  /// From now on no line may be found that is here, or is being fetched, at this moment.
  virtual void begin_flush(LineFlushDoneIf& done, int id) = 0;
  /// The same while CTAs run on the SM: what only these lines hold must be written before they go.
  virtual void begin_flush_of_some(LineFlushDoneIf& done, int id) { begin_flush(done, id); }
  /// Another kernel begins on the SM; as many of its CTAs as fit take so many bytes of shared memory.
  virtual void begin_kernel(std::uint64_t /*shared_bytes*/) {}
};

}  // namespace strata
