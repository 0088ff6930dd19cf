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

}  // namespace gpu_cases
