#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "models/llc_slice/llc_slice_params.h"
#include "models/tlm/rtl_design.h"

namespace strata {

/// Bytes of a line, and which of them a store or a write to memory has, or the words that an atomic adds to.
struct RtlBytes {
  std::array<std::uint8_t, 256> data{};
  std::array<std::uint32_t, 8> enables{};  ///< bit i of word k: byte 32 k + i
};

/// What an LLC slice in RTL was made for.
struct RtlSliceShape {
  int sets, ways, mshrs, merges, latency, request_queue, reply_queue, write_queue;
  int ids;                  ///< requests in it are numbered 0 to ids - 1
  bool fill_first = false;  ///< a decision sees the fill of its cycle; else the fill comes after it
  bool event_port = true;   ///< without it what only events tell is not counted
  int line_bytes = 0;       ///< it holds the bytes of lines of this size; 0: of none
};

/// Wires into an LLC slice. A channel passes something at a rising edge at which valid and ready are both
/// high.
struct RtlSliceIn {
  bool req_valid = false;
  bool req_whole = false;   ///< all bytes of the line
  std::uint8_t req_op = 0;  ///< 0 load, 1 store, 2 atomic
  std::uint8_t req_application = 0;
  std::uint16_t req_set = 0;
  std::uint16_t req_id = 0;
  std::uint64_t req_line = 0;  ///< number of the line
  bool rsp_ready = false;
  bool mreq_ready = false;
  bool mrsp_valid = false;
  std::uint16_t mrsp_id = 0;
  bool flush_valid = false;  ///< stays until flush_done; no request comes meanwhile
  bool flush_drop = false;   ///< drop all lines, else only write the dirty ones
  /// Of the request and of the fill, where `run.data` is `carried`; else null.
  const RtlBytes *req_bytes = nullptr, *mrsp_bytes = nullptr;
};

/// Wires out of it.
struct RtlSliceOut {
  bool req_ready = false;
  bool rsp_valid = false;
  std::uint16_t rsp_id = 0;
  bool mreq_valid = false;
  bool mreq_write = false;
  std::uint8_t mreq_application = 0;  ///< of a write: whose line it is
  std::uint16_t mreq_id = 0;          ///< of a fetch: comes back with the line
  std::uint16_t mreq_cause = 0;       ///< of a fetch: the request that missed; belongs to the event port
  std::uint64_t mreq_line = 0;
  bool mrsp_ready = false;
  bool flush_done = false;
  std::uint32_t flush_lines = 0;  ///< that the flush has dropped

  /// The event port, from here on. Decision in this cycle: 0 none, 1 hit, 2 miss, 3 merge, 4 store allocated
  /// without a fetch.
  std::uint8_t ev = 0;
  std::uint16_t ev_id = 0;
  /// The oldest request cannot go on: 0 it can, 1 no MSHR, 2 no more merges, 3 write queue, 4 reply queue.
  std::uint8_t ev_stall = 0;
  bool ev_evict = false, ev_dirty = false;      ///< the decision makes a line leave, a dirty one
  bool fill_evict = false, fill_dirty = false;  ///< likewise the fill that is on mrsp
  bool still = false;  ///< nothing happens until something comes in: the clock may stand
};

/// An LLC slice in RTL, as `timing: rtl` drives it: low() and high() are a cycle of its clock.
class RtlSlice : public RtlModule {
 public:
  virtual RtlSliceShape shape() const = 0;
  virtual void reset() = 0;
  /// The clock is low: what comes out for these inputs, until high().
  virtual void low(const RtlSliceIn& in, RtlSliceOut& out) = 0;
  /// The rising edge.
  virtual void high() = 0;
  /// After high(), where it holds bytes: those of the line that the reply which has passed at this edge
  /// found, and those of the write to memory that has.
  virtual void passed(RtlBytes& /*reply*/, RtlBytes& /*write*/) {}
  /// Where it holds bytes: those of a line that are newer than memory's, also on their way there.
  virtual RtlBytes peek(std::uint64_t /*line*/, std::uint16_t /*set*/) const { return {}; }
  /// Bytes of a line are changed from outside, in memory too: where it has them, they are what is given.
  virtual void poke(std::uint64_t /*line*/, std::uint16_t /*set*/, const RtlBytes& /*bytes*/) {}
  /// Another one of the design, in which what has been can be seen once more; null: there is none.
  virtual std::unique_ptr<RtlSlice> another() const { return nullptr; }
  /// From now on waves go to `file`, in FST or a format of its own; empty: they end. False: it has none.
  virtual bool waves(const std::string& /*file*/) { return false; }
  /// Of what waves show: the wires after low() or high(), at `time` in ps.
  virtual void dump(std::uint64_t /*time*/) {}
};

/// What of the parameters the RTL was not made for.
Faults check_rtl_slice(const ParamSet& params, const RtlModule& design);

}  // namespace strata
