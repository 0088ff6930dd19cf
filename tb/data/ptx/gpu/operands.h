#pragma once

#include "cases.h"

namespace gpu_cases {

/// A float of `exponent` and `fraction` bits by class: 0 any bits, 1 any finite ones, 2 near 1, 3 few values
/// that cancel, 4 mostly zeros, 5 the smallest, 6 near 1 with infinities, 7 small whole numbers.
inline uint64_t real_bits(unsigned exponent, unsigned fraction, unsigned kind, uint64_t h) {
  const uint64_t mask = (uint64_t{1} << fraction) - 1, top = (uint64_t{1} << exponent) - 1, bias = top >> 1;
  const uint64_t sign = (h >> 63) << (exponent + fraction);
  uint64_t e = (h >> 50) & top, f = mix(h) & mask;
  if (exponent > 12) return 0;
  const uint64_t pick = h & 63;
  switch (kind) {
    case 0:
      break;
    case 1:
      e = e == top ? bias : e;
      break;
    case 2:
      e = bias - 3 + (h >> 50) % 7;
      break;
    case 3: {
      const uint64_t steps[] = {0, 1, mask, uint64_t{1} << (fraction - 1)};
      const uint64_t wide = exponent > 5 ? 14 : exponent == 5 ? 8 : 5;
      f = steps[h >> 8 & 3];
      e = (h >> 12 & 3) == 0 ? bias + wide : (h >> 12 & 3) == 1 ? bias - wide : bias;
      break;
    }
    case 4:
      if (pick > 8) return sign;
      e = e == top ? bias : e;
      break;
    case 5:
      e = pick < 48 ? 0 : pick < 56 ? 1 : bias;
      break;
    case 6:
      if (pick == 0) return sign | top << fraction;
      e = bias - 1 + (h >> 50) % 3;
      break;
    default: {
      const uint64_t n = h >> 20 & 7;
      if (n == 0) return sign;
      const unsigned log = n >= 4 ? 2 : n >= 2 ? 1 : 0;
      e = bias + log;
      f = fraction >= log ? (n - (uint64_t{1} << log)) << (fraction - log) : 0;
    }
  }
  return sign | e << fraction | f;
}

inline uint64_t lane_value(char what, unsigned kind, uint64_t h) {
  const auto several = [&](unsigned exponent, unsigned fraction, unsigned count) {
    uint64_t all = 0;
    for (unsigned n = 0; n < count; ++n)
      all |= real_bits(exponent, fraction, kind, mix(h + 77 * n)) << (n * (1 + exponent + fraction));
    return all;
  };
  switch (what) {
    case 'h':
      return several(5, 10, 1);
    case 'H':
      return several(5, 10, 4);
    case 'b':
      return several(8, 7, 1);
    case 'B':
      return several(8, 7, 4);
    case 't':
    case 'f':
      return several(8, 23, 2);
    case 'd':
      return several(11, 52, 1);
    case '4':
      return several(4, 3, 8);
    case '5':
      return several(5, 2, 8);
    case 's':
    case 'S':
      return h & 63;
    case 'Y': {
      uint64_t all = 0;
      for (unsigned n = 0; n < 4; ++n) {
        const uint64_t x = mix(h + n);
        all |= ((x & 0x807f) | (48 + (x >> 20) % 12) << 7) << 16 * n;
      }
      return all;
    }
    case 'z':
      return ((h & 0x80000000) | (h >> 8 & 0x1ff)) | uint64_t{h >> 40 & 0x7f} << 32;
    case 'u':
      return h & 0xffff;
    default:
      return kind == 7 ? h & 0x0101010101010101 : h;
  }
}

/// Operands of all lanes, 8 bytes a register.
inline std::vector<uint64_t> operands(const Case& c, unsigned count) {
  std::vector<uint64_t> all;
  uint64_t seed = 0;
  for (const char letter : c.name) seed = mix(seed ^ static_cast<unsigned char>(letter));
  for (unsigned w = 0; w < count; ++w)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (const char what : c.in) all.push_back(lane_value(what, w % classes, mix(seed + all.size())));
  return all;
}

}  // namespace gpu_cases
