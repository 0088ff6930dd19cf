#pragma once

#include "cases.h"

namespace gpu_cases {

inline void add_conversions(std::vector<Case>& all) {
  const auto unary = [&](const std::string& spelling, char in, char out, bool exact = true) {
    all.push_back({spelling, std::string(1, in), std::string(1, out), spelling + " %o0, %i0;", exact});
  };
  for (const char* to : {"e4m3x2", "e5m2x2"})
    for (const char* relu : {"", ".relu"}) {
      const std::string head = "cvt.rn.satfinite" + std::string(relu) + "." + to;
      all.push_back({head + ".f32", "ff", "u", head + ".f32 %o0, %i0, %i1;"});
      unary(head + ".f16x2", 'H', 'u');
      unary("cvt.rn" + std::string(relu) + ".f16x2." + to, 'u', 'H');
    }
  for (const char* half : {"f16", "bf16"}) {
    const char one = *half == 'f' ? 'h' : 'b', two = *half == 'f' ? 'H' : 'B';
    for (const char* mode : {"rn", "rz"})
      for (const char* relu : {"", ".relu"}) {
        const std::string head = "cvt." + std::string(mode) + relu + "." + half;
        unary(head + ".f32", 'f', one);
        all.push_back({head + "x2.f32", "ff", std::string(1, two), head + "x2.f32 %o0, %i0, %i1;"});
      }
    unary("cvt.f32." + std::string(half), one, 'f');
    for (const char* i : {"s16", "u16"}) {
      unary("cvt.rzi." + std::string(i) + "." + half, one, 'u');
      unary("cvt.rn." + std::string(half) + "." + i, 'u', one);
    }
    for (const char* mode : {"rn", "rz", "rm", "rp"})
      for (const char* i : {"s32", "u32", "s64", "u64"}) {
        const char bits = i[1] == '3' ? 'w' : 'l';
        unary("cvt." + std::string(mode) + "." + half + "." + i, bits, one);
        unary("cvt." + std::string(mode) + "i." + i + "." + half, one, bits);
      }
  }
  for (const char* mode : {"rna", "rn", "rz"})
    for (const char* relu : {"", ".relu"}) {
      if (mode[1] == 'n' && mode[2] == 'a' && relu[0] != 0) continue;
      unary("cvt." + std::string(mode) + relu + ".tf32.f32", 'f', 'f');
    }
  for (const char* mode : {"rn", "rz", "rm", "rp"}) {
    unary("cvt." + std::string(mode) + ".f16.f64", 'd', 'h');
    unary("cvt." + std::string(mode) + ".f32.f64", 'd', 'f');
    for (const char* t : {"f32", "f64"})
      for (const char* i : {"s32", "u32", "s64", "u64"}) {
        const char bits = i[1] == '3' ? 'w' : 'l', real = t[1] == '3' ? 'f' : 'd';
        unary("cvt." + std::string(mode) + "." + t + "." + i, bits, real);
        unary("cvt." + std::string(mode) + "i." + i + "." + t, real, bits);
      }
    unary("cvt." + std::string(mode) + "i.f32.f32", 'f', 'f');
    unary("cvt." + std::string(mode) + "i.ftz.f32.f32", 'f', 'f');
    unary("cvt." + std::string(mode) + "i.f64.f64", 'd', 'd');
    unary("cvt." + std::string(mode) + "i.f16.f16", 'h', 'h');
  }
  unary("cvt.rn.ftz.f16.f32", 'f', 'h');
  unary("cvt.ftz.f32.f16", 'h', 'f');
  unary("cvt.f64.f16", 'h', 'd');
  unary("cvt.f64.f32", 'f', 'd');
  unary("cvt.sat.f32.f32", 'f', 'f');
  unary("cvt.rn.sat.f16.f32", 'f', 'h');
  unary("cvt.pack.sat.u8.s32.b32", 'w', 'w');
  all.back().in = "www";
  all.back().body = "cvt.pack.sat.u8.s32.b32 %o0, %i0, %i1, %i2;";
}

}  // namespace gpu_cases
