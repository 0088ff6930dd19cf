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
inline std::uint32_t unit_bytes(const std::uint32_t* counts) {
#ifdef __SSE2__
  const __m128i words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(counts));
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

/// Record what was counted, or, where nothing is recorded, add it up.
inline void end_run(Warp& w) {
  if (w.run == 0) return;
  if (w.run > 255 && w.record) return flush_run(w);
  w.recorded += w.run;
  w.recorded_threads += std::uint64_t{w.run} * w.run_lanes;
  if (w.record) {
    WarpInstruction& r = add_record(w);
    r.active_mask = w.run_mask;
    r.pc = w.run_pc;
    r.weight = static_cast<std::uint8_t>(w.run);
    const std::uint32_t units = unit_bytes(w.run_units);
    std::memcpy(r.units.data(), &units, sizeof units);
    std::memset(w.run_units, 0, sizeof w.run_units);
  }
  w.run = 0;
}

}  // namespace
}  // namespace strata::traces::ptx
