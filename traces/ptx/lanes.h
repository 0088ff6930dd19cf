#pragma once

#include <cstdint>

#include "traces/ptx/exec.h"

/// What all rows of operations are written with. Nothing here is a function: files that are compiled once per
/// instruction set include it.
namespace strata::traces::ptx {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

}  // namespace strata::traces::ptx

/// A loop over the 32 lanes that are independent of each other.
#ifdef __clang__
#define LANES _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < 32; ++i)
#else
#define LANES _Pragma("GCC ivdep") for (int i = 0; i < 32; ++i)
#endif
