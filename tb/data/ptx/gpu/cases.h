#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

/// Instructions that were run on a GPU, and the operands that they were given: what `run_cases.cu` executes
/// there and `gpu_cases_test.cpp` on the interpreter. Both make the same PTX and the same operands from this
/// file.

namespace gpu_cases {

using std::uint32_t;
using std::uint64_t;

/// What a register of a lane holds: h, b one value of f16, bf16; H, B two of these; t tf32, f f32, d f64;
/// 4 four e4m3, 5 four e5m2; w 32 and l 64 random bits; s a number below 64; u 16 random bits.
struct Case {
  std::string name;
  std::string in, out;  ///< a letter for each register: %i0.. and %o0..
  std::string body;
  bool exact = true;  ///< the interpreter gives these bits
};

constexpr unsigned warps = 128;  ///< of a case
constexpr unsigned classes = 8;  ///< ways to draw operands; that of a warp is its number modulo 8

inline uint64_t mix(uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

inline unsigned width(char what) {
  return std::strchr("hbu", what) != nullptr ? 16 : std::strchr("dlS", what) != nullptr ? 64 : 32;
}

inline unsigned result_words(const Case& c) {
  unsigned words = 0;
  for (const char what : c.out) words += width(what) == 64 ? 2 : 1;
  return words;
}

inline std::string number(unsigned n) {
  return std::to_string(n);
}

/// "%o0, %o1" and the like.
inline std::string registers(const char* prefix, unsigned first, unsigned count) {
  std::string text;
  for (unsigned n = 0; n < count; ++n) text += (n == 0 ? "" : ", ") + std::string(prefix) + number(first + n);
  return text;
}
inline std::string braces(const char* prefix, unsigned first, unsigned count) {
  return "{" + registers(prefix, first, count) + "}";
}

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

inline bool is_nan(char what, uint64_t bits) {
  if (what == 'h') return (bits & 0x7fff) > 0x7c00;
  if (what == 'b') return (bits & 0x7fff) > 0x7f80;
  if (what == 'f' || what == 't') return (bits & 0x7fffffff) > 0x7f800000;
  return what == 'd' && (bits << 1) > (uint64_t{0x7ff} << 53);
}

/// Results of all lanes with every NaN as one, as they are compared.
inline std::vector<uint32_t> settled(const Case& c, const std::vector<uint32_t>& results) {
  std::vector<uint32_t> all = results;
  for (std::size_t at = 0; at < all.size();)
    for (const char what : c.out) {
      if (width(what) == 64) {
        if (is_nan(what, uint64_t{all[at + 1]} << 32 | all[at])) all[at] = all[at + 1] = ~0U;
        at += 2;
        continue;
      }
      if (what == 'H' || what == 'B' || what == 'Y') {
        const char half = what == 'H' ? 'h' : 'b';
        for (const unsigned shift : {0U, 16U})
          if (is_nan(half, all[at] >> shift & 0xffff)) all[at] |= 0xffffU << shift;
      } else if (is_nan(what, all[at])) {
        all[at] = ~0U;
      }
      ++at;
    }
  return all;
}

/// Of the warps of each class.
inline std::vector<uint32_t> digests(const Case& c, const std::vector<uint32_t>& results) {
  std::vector<uint64_t> all(classes, 0);
  const std::vector<uint32_t> words = settled(c, results);
  const std::size_t a_warp = words.size() / warps;
  for (std::size_t n = 0; n < words.size(); ++n) {
    uint64_t& h = all[n / a_warp % classes];
    h = mix(h ^ words[n]);
  }
  return {all.begin(), all.end()};
}

/// As it stands in the file of digests.
inline std::string line(const Case& c, const std::vector<uint32_t>& results) {
  static const char hex[] = "0123456789abcdef";
  std::string text = c.name;
  for (const uint32_t part : digests(c, results)) {
    text += ' ';
    for (int shift = 28; shift >= 0; shift -= 4) text += hex[part >> shift & 15];
  }
  return text;
}

/// The kernel `k(in, out)` of a case, a warp a thread block. `%pw`: the operands of this warp, as memory.
inline std::string ptx(const Case& c) {
  std::string text =
      ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 "
      "out)\n{\n";
  text += ".reg .b64 %in, %out, %pw, %x;\n.reg .b32 %t, %c, %y, %a0, %a1, %a2, %a3;\n.reg .pred %p, %q;\n";
  text += ".shared .align 128 .b8 smem[8192];\n";
  for (unsigned n = 0; n < c.in.size(); ++n)
    text += ".reg .b" + number(width(c.in[n])) + " %i" + number(n) + ";\n";
  for (unsigned n = 0; n < c.out.size(); ++n)
    text += ".reg .b" + number(width(c.out[n])) + " %o" + number(n) + ";\n";
  text += "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\n";
  const unsigned stride = static_cast<unsigned>(c.in.size()) * 8;
  text += "mad.wide.u32 %pw, %c, " + number(stride * 32) + ", %in;\nmad.wide.u32 %x, %t, " + number(stride) +
          ", %pw;\n";
  for (unsigned n = 0; n < c.in.size(); ++n)
    text += "ld.global.b" + number(width(c.in[n])) + " %i" + number(n) + ", [%x+" + number(8 * n) + "];\n";
  text += c.body + "\n";
  const unsigned words = result_words(c);
  text += "mad.lo.u32 %y, %c, 32, %t;\nmad.wide.u32 %x, %y, " + number(4 * words) + ", %out;\n";
  unsigned at = 0;
  for (unsigned n = 0; n < c.out.size(); ++n) {
    const std::string name = "%o" + number(n);
    if (width(c.out[n]) == 16) {
      text += "cvt.u32.u16 %y, " + name + ";\nst.global.b32 [%x+" + number(at) + "], %y;\n";
    } else if (width(c.out[n]) == 64) {  // by halves: 4 bytes of alignment are enough
      text += "{.reg .b32 %lo, %hi;\nmov.b64 {%lo, %hi}, " + name + ";\nst.global.b32 [%x+" + number(at) +
              "], %lo;\nst.global.b32 [%x+" + number(at + 4) + "], %hi;}\n";
      at += 4;
    } else {
      text += "st.global.b32 [%x+" + number(at) + "], " + name + ";\n";
    }
    at += 4;
  }
  return text + "ret;\n}\n";
}

}  // namespace gpu_cases
