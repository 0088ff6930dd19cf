#pragma once

#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "traces/ptx/execute/operations.h"

/// What every recorded instruction passes: counting what lies between two records, and adding one. Of files
/// that are compiled once.
namespace strata::traces::ptx {
namespace {

static_assert(counted_units == 4, "the counts of units are one vector");
typedef std::uint32_t UnitCounts __attribute__((vector_size(16)));

constexpr WarpInstruction blank{};  // copied whole: one made member by member is read before it is written
inline WarpInstruction& add_record(Warp& w) {
  if (w.out == w.out_end) grow(w);
  return *w.out++ = blank;
}

/// Bits set: the builtin is a library call on plain x86-64. Sums of 2, 4 and 8 bits side by side, then of
/// all.
inline unsigned lanes_in(std::uint32_t mask) {
  mask -= mask >> 1 & 0x55555555;
  mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
  return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/// Count the instructions of the block up to and with `op`; what executes them only where it is recorded.
inline void account(Warp& w, const Op* op) {
  const std::uint32_t seq = op->seq + op->weight;
  w.run += seq - w.run_seq;
  w.run_seq = seq;
  if (!w.record) return;
  UnitCounts run, seen, now;
  std::memcpy(&run, w.run_units, sizeof run);
  std::memcpy(&seen, w.seen_units, sizeof seen);
  std::memcpy(&now, op->units_seq, sizeof now);
  run += now - seen;
  std::memcpy(w.run_units, &run, sizeof run);
  std::memcpy(w.seen_units, &now, sizeof now);
}

/// Counts of up to 255 as bytes.
inline std::uint32_t unit_bytes(const UnitCounts& counts) {
#ifdef __SSE2__
  const __m128i words = reinterpret_cast<__m128i>(counts);
  const __m128i halves = _mm_packs_epi32(words, words);
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_packus_epi16(halves, halves)));
#else
  std::uint8_t bytes[4];
  for (std::size_t k = 0; k < counted_units; ++k) bytes[k] = static_cast<std::uint8_t>(counts[k]);
  std::uint32_t all;
  std::memcpy(&all, bytes, sizeof all);
  return all;
#endif
}

/// Where records go, one after the other: room for `count` of them.
inline void make_room(Warp& w, std::ptrdiff_t count) {
  while (w.out_end - w.out < count) grow(w);
}
/// The run of up to 255 that ends here, of these counts of units, is recorded in `out`; gives what is behind.
inline WarpInstruction* put_run(const Warp& w, WarpInstruction* out, std::uint32_t run,
                                const UnitCounts& counts) {
  WarpInstruction& r = *out = blank;
  r.active_mask = w.run_mask;
  r.pc = w.run_pc;
  r.weight = static_cast<std::uint8_t>(run);
  const std::uint32_t units = unit_bytes(counts);
  std::memcpy(r.units.data(), &units, sizeof units);
  return out + 1;
}
/// A run is recorded, and one access of so many lanes or none.
inline void count_run(Warp& w, std::uint32_t run, std::uint32_t lanes = 0) {
  w.recorded += run + (lanes != 0 ? 1 : 0);
  w.recorded_threads += std::uint64_t{run} * w.run_lanes + lanes;
}

/// Record what was counted, or, where nothing is recorded, add it up.
inline void end_run(Warp& w) {
  if (w.run == 0) return;
  if (!w.record) {
    count_run(w, w.run);
  } else if (w.run > 255) {
    return flush_run(w);
  } else {
    make_room(w, 1);
    UnitCounts counts;
    std::memcpy(&counts, w.run_units, sizeof counts);
    count_run(w, w.run);
    w.out = put_run(w, w.out, w.run, counts);
    std::memset(w.run_units, 0, sizeof w.run_units);
  }
  w.run = 0;
}

/// What is counted up to and with `op`.
inline std::uint32_t run_up_to(const Warp& w, const Op* op) {
  return w.run + (op->seq + op->weight - w.run_seq);
}
/// Whether that fits one record, with room for it and another one.
inline bool fits_one_record(const Warp& w, std::uint32_t run) {
  return run <= 255 && w.out_end - w.out >= 2;
}
/// Of what is recorded: account() and end_run() at once, where it fits, but for w.out and what is counted as
/// recorded. Gives where the next record goes; calls nothing.
inline WarpInstruction* close_short_run(Warp& w, const Op* op, std::uint32_t run) {
  WarpInstruction* const out = w.out;
  UnitCounts counts, seen, now;
  std::memcpy(&counts, w.run_units, sizeof counts);
  std::memcpy(&seen, w.seen_units, sizeof seen);
  std::memcpy(&now, op->units_seq, sizeof now);
  std::memcpy(w.seen_units, &now, sizeof now);
  w.run_seq = op->seq + op->weight;
  if (run == 0) return out;
  std::memset(w.run_units, 0, sizeof w.run_units);
  w.run = 0;
  return put_run(w, out, run, counts + (now - seen));
}
/// The same of any run; then there is room for another record.
inline void close_run(Warp& w, const Op* op) {
  make_room(w, 2);
  const std::uint32_t run = run_up_to(w, op);
  if (run <= 255) {
    count_run(w, run);
    w.out = close_short_run(w, op, run);
    return;
  }
  account(w, op);
  flush_run(w);
  make_room(w, 1);
}

}  // namespace
}  // namespace strata::traces::ptx
