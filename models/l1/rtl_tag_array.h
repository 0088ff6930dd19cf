#pragma once

#include <cstdint>

#include "models/tlm/rtl_design.h"

namespace strata {

/// What the tags of a tag-split L1 in RTL were made for.
struct RtlTagShape {
  int sets, ways, groups, chunks;  ///< ways: chunks of a set; chunks: of a line
  int shared_from;                 ///< bits of a line's number that each chunk has for itself
};

/// Wires into them. Every cycle they say what is there of a line and where some of it could go.
struct RtlTagIn {
  enum Op : std::uint8_t { none, use, reserve, arrive, drop, clear };
  Op op = none;  ///< what changes at the rising edge
  std::uint16_t set = 0;
  std::uint64_t number = 0;  ///< of the line
  std::uint16_t asked = 0;   ///< chunks of it
  std::uint16_t fresh = 0;   ///< of these: to find room for
};

/// Wires out of them.
struct RtlTagOut {
  std::uint16_t present = 0;  ///< of the chunks that were asked for
  std::uint64_t ways = 0;     ///< that have them or are reserved for them
  std::uint64_t take = 0;     ///< ways for the fresh ones
  std::uint64_t drop = 0;     ///< ways whose chunks go for that
  bool enough = false;        ///< there is room for all of them
};

/// The tags of a tag-split L1 in RTL, as `timing: rtl` drives them: low() and high() are a cycle of their
/// clock, and one operation. Misses, stalls and time are the model's.
class RtlTagArray : public RtlModule {
 public:
  virtual RtlTagShape shape() const = 0;
  virtual void reset() = 0;
  /// The clock is low: what comes out for these inputs.
  virtual void low(const RtlTagIn& in, RtlTagOut& out) = 0;
  /// The rising edge.
  virtual void high() = 0;
};

}  // namespace strata
