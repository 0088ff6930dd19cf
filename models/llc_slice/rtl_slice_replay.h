#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "models/common/units.h"
#include "models/llc_slice/rtl_slice.h"

namespace strata {

/// What went into an LLC slice in RTL since its reset. Another one of the design that gets the same is in the
/// same state: so the waves of the last cycles cost nothing until somebody wants them.
class RtlSliceReplay {
 public:
  void record(const RtlSliceIn& in, Cycle cycle) {
    if (!spans_.empty() && spans_.back().end == cycle && same(spans_.back().in, in))
      ++spans_.back().end;
    else
      spans_.push_back({in, cycle, cycle + 1});
    spans_.back().in.req_bytes = spans_.back().in.mrsp_bytes = nullptr;  // no decision depends on them
  }
  /// Waves of another slice around the last cycle, at 1 ns a cycle; empty: the design has none.
  std::string waves(const RtlSlice& of) const;
  /// Says which cycles they show.
  std::string span() const;

 private:
  struct Span {
    RtlSliceIn in;
    Cycle begin, end;
  };
  static constexpr Cycle before = 200, after = 20;

  static bool same(const RtlSliceIn& a, const RtlSliceIn& b) {
    const auto wires = [](const RtlSliceIn& in) {
      return std::tie(in.req_valid, in.req_whole, in.req_op, in.req_application, in.req_set, in.req_id,
                      in.req_line, in.rsp_ready, in.mreq_ready, in.mrsp_valid, in.mrsp_id, in.flush_valid,
                      in.flush_drop);
    };
    return wires(a) == wires(b);
  }
  Cycle last() const { return spans_.back().end - 1; }
  Cycle first() const { return last() < before ? 0 : last() - before; }

  std::vector<Span> spans_;
};

}  // namespace strata
