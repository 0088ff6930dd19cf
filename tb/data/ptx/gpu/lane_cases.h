#pragma once

#include "cases.h"

namespace gpu_cases {

inline void add_lanes(std::vector<Case>& all) {
  const auto take = [&](const std::string& spelling, const std::string& in, char out, bool exact = true) {
    all.push_back({spelling, in, std::string(1, out),
                   spelling + " %o0, " + registers("%i", 0, static_cast<unsigned>(in.size())) + ";", exact});
  };
  for (const char* t : {"f16", "f16x2", "bf16", "bf16x2"}) {
    const bool pair = t[std::strlen(t) - 2] == 'x';
    const char l = *t == 'f' ? (pair ? 'H' : 'h') : (pair ? 'B' : 'b');
    const std::string type = "." + std::string(t), two(2, l), three(3, l), one(1, l);
    take("fma.rn" + type, three, l);
    take("fma.rn.relu" + type, three, l);
    for (const char* op : {"add", "sub", "mul"}) {
      take(op + type, two, l);
      if (*t == 'f') {
        take(op + std::string(".ftz") + type, two, l);
        take(op + std::string(".sat") + type, two, l);
        take(op + std::string(".ftz.sat") + type, two, l);
      }
    }
    if (*t == 'f') {
      take("fma.rn.sat" + type, three, l);
      take("fma.rn.ftz" + type, three, l);
    }
    for (const char* op : {"min", "max"}) {
      take(op + type, two, l);
      take(op + std::string(".NaN") + type, two, l);
      take(op + std::string(".xorsign.abs") + type, two, l);
      take(op + std::string(".NaN.xorsign.abs") + type, two, l);
      if (*t == 'f') take(op + std::string(".ftz") + type, two, l);
    }
    take("neg" + type, one, l);
    take("abs" + type, one, l);
    take("tanh.approx" + type, one, l, false);
    take((*t == 'f' ? "ex2.approx" : "ex2.approx.ftz") + type, one, l, false);
  }
  for (const char* mode : {"rn", "rz", "rm", "rp"})
    for (const char* ftz : {"", ".ftz"}) {
      const std::string tail = "." + std::string(mode) + ftz + ".f32";
      for (const char* op : {"add", "sub", "mul", "div"}) take(op + tail, "ff", 'f');
      take("fma" + tail, "fff", 'f');
      take("rcp" + tail, "f", 'f');
      take("sqrt" + tail, "f", 'f');
      if (*ftz != 0) continue;
      const std::string wide = "." + std::string(mode) + ".f64";
      for (const char* op : {"add", "sub", "mul", "div"}) take(op + wide, "dd", 'd');
      take("fma" + wide, "ddd", 'd');
      take("rcp" + wide, "d", 'd');
      take("sqrt" + wide, "d", 'd');
    }
  for (const char* op : {"min", "max"})
    for (const char* more : {"", ".ftz", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
      take(op + std::string(more) + ".f32", "ff", 'f');
  for (const char* op :
       {"ex2.approx", "lg2.approx", "rcp.approx", "rsqrt.approx", "sqrt.approx", "sin.approx", "cos.approx",
        "tanh.approx", "ex2.approx.ftz", "lg2.approx.ftz", "rcp.approx.ftz", "rsqrt.approx.ftz",
        "sqrt.approx.ftz", "sin.approx.ftz", "cos.approx.ftz"})
    take(op + std::string(".f32"), "f", 'f', false);
  take("rcp.approx.ftz.f64", "d", 'd', false);
  take("rsqrt.approx.f64", "d", 'd', false);
  take("rsqrt.approx.ftz.f64", "d", 'd', false);
  take("div.approx.f32", "ff", 'f', false);
  take("div.full.f32", "ff", 'f', false);
  take("copysign.f32", "ff", 'f');
  for (const char* t : {"u32", "s32"}) {
    for (const char* u : {"u32", "s32"}) {
      take("dp4a." + std::string(t) + "." + u, "www", 'w');
      take("dp2a.lo." + std::string(t) + "." + u, "www", 'w');
      take("dp2a.hi." + std::string(t) + "." + u, "www", 'w');
    }
    take("bfe." + std::string(t), "wss", 'w');
    take("bfind." + std::string(t), "w", 'w');
    take("bfind.shiftamt." + std::string(t), "w", 'w');
    take("sad." + std::string(t), "www", 'w');
    take("mul.hi." + std::string(t), "ww", 'w');
    take("mul24.hi." + std::string(t), "ww", 'w');
    take("mul24.lo." + std::string(t), "ww", 'w');
    take("div." + std::string(t), "ww", 'w');
    take("rem." + std::string(t), "ws", 'w');
  }
  for (const char* mode : {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"})
    take("prmt.b32" + std::string(mode), "www", 'w');
  for (const char* mode : {"l.clamp", "l.wrap", "r.clamp", "r.wrap"})
    take("shf." + std::string(mode) + ".b32", "wws", 'w');
  take("bfi.b32", "wwss", 'w');
  take("fns.b32", "wss", 'w');
  take("min.s16x2", "ww", 'w');
  take("max.u16x2", "ww", 'w');
  take("add.u16x2", "ww", 'w');
  take("testp.finite.f32", "f", 'w');
  all.back().body = "testp.finite.f32 %p, %i0; selp.b32 %o0, 1, 0, %p;";
  take("testp.subnormal.f32", "f", 'w');
  all.back().body = "testp.subnormal.f32 %p, %i0; selp.b32 %o0, 1, 0, %p;";
  take("lop3.b32", "www", 'w');
  all.back().body = "lop3.b32 %o0, %i0, %i1, %i2, 0x6a;";
}

}  // namespace gpu_cases
