#pragma once

#include "cases.h"

namespace gpu_cases {

/// d = a * b + c of registers that hold any bits.
inline Case mma(const std::string& spelling, char a, unsigned as, char b, unsigned bs, char c, unsigned cs,
                char d, unsigned ds) {
  Case made;
  made.name = "mma." + spelling;
  made.in = std::string(as, a) + std::string(bs, b) + std::string(cs, c);
  made.out = std::string(ds, d);
  made.exact = as + bs != 4 || d != 'H' || a != 'H' || cs != 4;  // not m8n8k4 with sums of f16
  made.body = "mma.sync.aligned." + spelling + " " + braces("%o", 0, ds) + ", " + braces("%i", 0, as) + ", " +
              braces("%i", as, bs) + ", " + braces("%i", as + bs, cs) + ";";
  return made;
}

inline void add_mma(std::vector<Case>& all) {
  for (const char* layout : {"row.col", "row.row", "col.row", "col.col"}) {
    const std::string m = "m8n8k4." + std::string(layout);
    all.push_back(mma(m + ".f32.f16.f16.f32", 'H', 2, 'H', 2, 'f', 8, 'f', 8));
    all.push_back(mma(m + ".f16.f16.f16.f16", 'H', 2, 'H', 2, 'H', 4, 'H', 4));
    all.push_back(mma(m + ".f32.f16.f16.f16", 'H', 2, 'H', 2, 'H', 4, 'f', 8));
  }
  for (const unsigned k : {8U, 16U}) {
    const std::string m = "m16n8k" + number(k) + ".row.col";
    all.push_back(mma(m + ".f32.f16.f16.f32", 'H', k / 4, 'H', k / 8, 'f', 4, 'f', 4));
    all.push_back(mma(m + ".f16.f16.f16.f16", 'H', k / 4, 'H', k / 8, 'H', 2, 'H', 2));
    all.push_back(mma(m + ".f32.bf16.bf16.f32", 'B', k / 4, 'B', k / 8, 'f', 4, 'f', 4));
    all.push_back(
        mma("m16n8k" + number(k / 2) + ".row.col.f32.tf32.tf32.f32", 't', k / 4, 't', k / 8, 'f', 4, 'f', 4));
  }
  all.push_back(mma("m8n8k4.row.col.f64.f64.f64.f64", 'd', 1, 'd', 1, 'd', 2, 'd', 2));
  for (const unsigned k : {4U, 8U, 16U})
    all.push_back(
        mma("m16n8k" + number(k) + ".row.col.f64.f64.f64.f64", 'd', k / 2, 'd', k / 4, 'd', 4, 'd', 4));
  for (const char* bits : {"8", "4"}) {
    const unsigned wide = *bits == '8' ? 1 : 2;
    for (const char* a : {"s", "u"})
      for (const char* b : {"s", "u"})
        for (const char* limit : {"", ".satfinite"}) {
          const std::string types = std::string(limit) + ".s32." + a + bits + "." + b + bits + ".s32";
          all.push_back(
              mma("m8n8k" + number(16 * wide) + ".row.col" + types, 'w', 1, 'w', 1, 'w', 2, 'w', 2));
          all.push_back(
              mma("m16n8k" + number(16 * wide) + ".row.col" + types, 'w', 2, 'w', 1, 'w', 4, 'w', 4));
          all.push_back(
              mma("m16n8k" + number(32 * wide) + ".row.col" + types, 'w', 4, 'w', 2, 'w', 4, 'w', 4));
        }
  }
  for (const char* op : {"xor", "and"}) {
    const std::string types = ".row.col.s32.b1.b1.s32." + std::string(op) + ".popc";
    all.push_back(mma("m8n8k128" + types, 'w', 1, 'w', 1, 'w', 2, 'w', 2));
    all.push_back(mma("m16n8k128" + types, 'w', 2, 'w', 1, 'w', 4, 'w', 4));
    all.push_back(mma("m16n8k256" + types, 'w', 4, 'w', 2, 'w', 4, 'w', 4));
  }
  for (const char* a : {"e4m3", "e5m2"})
    for (const char* b : {"e4m3", "e5m2"}) {
      const std::string types = "." + std::string(a) + "." + b + ".";
      const char la = a[1] == '4' ? '4' : '5', lb = b[1] == '4' ? '4' : '5';
      for (const unsigned k : {16U, 32U}) {
        const std::string m = "m16n8k" + number(k) + ".row.col.";
        all.push_back(mma(m + "f32" + types + "f32", la, k / 8, lb, k / 16, 'f', 4, 'f', 4));
        all.push_back(mma(m + "f16" + types + "f16", la, k / 8, lb, k / 16, 'H', 2, 'H', 2));
      }
    }
}

struct Shape {
  unsigned m, n, k;
};

/// Loads, multiplications and stores of wmma; `%pw` holds the matrices.
inline void add_wmma_type(std::vector<Case>& all, Shape s, const std::string& type, char in, unsigned as,
                          unsigned bs, const std::string& sum, char out, unsigned cs,
                          const std::string& options = "", bool fixed = false) {
  const std::string shape = "m" + number(s.m) + "n" + number(s.n) + "k" + number(s.k);
  const std::string operands_ = std::string(cs >= 8 ? 64 : 32, in);
  for (const char* layout : {"row", "col"}) {
    const bool rows = layout[0] == 'r';
    const auto load = [&](const char* which, unsigned count, const std::string& t, unsigned stride,
                          char letter) {
      Case c;
      c.name = "wmma.load." + std::string(which) + "." + layout + "." + shape + "." + t;
      c.in = letter == in ? operands_ : std::string(64, letter);
      c.out = std::string(count, letter);
      c.body = "wmma.load." + std::string(which) + ".sync.aligned." + layout + "." + shape + ".global." + t +
               " " + braces("%o", 0, count) + ", [%pw], " + number(stride) + ";";
      for (const Case& known : all)
        if (known.name == c.name) return;
      all.push_back(c);
    };
    if (!fixed || rows) load("a", as, type, rows ? s.k : s.m, in);
    if (!fixed || !rows) load("b", bs, type, rows ? s.n : s.k, in);
    load("c", cs, sum, rows ? s.n : s.m, out);
    Case store;
    store.name = "wmma.store." + std::string(layout) + "." + shape + "." + sum;
    store.in = std::string(cs, out);
    const unsigned bytes = s.m * s.n * (out == 'H' ? 2 : out == 'd' ? 8 : 4), words = bytes / 128;
    store.out = std::string(words, 'w');
    store.body = ".reg .b32 %sp; mov.u32 %sp, smem;\nwmma.store.d.sync.aligned." + std::string(layout) + "." +
                 shape + ".shared." + sum + " [%sp], " + braces("%i", 0, cs) + ", " +
                 number(rows ? s.n : s.m) + ";\nbar.sync 0;\nmad.lo.u32 %sp, %t, " + number(4 * words) +
                 ", %sp;\n";
    for (unsigned n = 0; n < words; ++n)
      store.body += "ld.shared.b32 %o" + number(n) + ", [%sp+" + number(4 * n) + "];\n";
    bool known = false;
    for (const Case& c : all) known = known || c.name == store.name;
    if (!known) all.push_back(store);
  }
  for (const char* la : {"row", "col"})
    for (const char* lb : {"row", "col"}) {
      if (fixed && (la[0] != 'r' || lb[0] != 'c')) continue;
      Case c;
      const std::string tail = options + "." + sum + "." +
                               (out == 'f' || out == 'H' ? (type == "f16" ? "" : type + "." + type + ".")
                                                         : type + "." + type + ".") +
                               sum;
      c.name = "wmma.mma." + std::string(la) + "." + lb + "." + shape + "." + type + tail;
      c.in = operands_ + std::string(cs, out);
      c.out = std::string(cs, out);
      std::string op = "mma";
      std::string tail_ptx = tail;
      if (type == "b1") {  // ".xor.popc" stands before ".sync"
        op += options;
        tail_ptx = "." + sum + "." + type + "." + type + "." + sum;
      } else if (!options.empty()) {
        tail_ptx = "." + sum + "." + type + "." + type + "." + sum + options;
      }
      c.body = ".reg .b" + number(width(in)) + " %fa<8>, %fb<8>;\n" + "wmma.load.a.sync.aligned." + la + "." +
               shape + ".global." + type + " " + braces("%fa", 0, as) + ", [%pw], " +
               number(la[0] == 'r' ? s.k : s.m) + ";\n" + "wmma.load.b.sync.aligned." + lb + "." + shape +
               ".global." + type + " " + braces("%fb", 0, bs) + ", [%pw+4096], " +
               number(lb[0] == 'r' ? s.n : s.k) + ";\n" + "wmma." + op + ".sync.aligned." + la + "." + lb +
               "." + shape + tail_ptx + " " + braces("%o", 0, cs) + ", " + braces("%fa", 0, as) + ", " +
               braces("%fb", 0, bs) + ", " + braces("%i", static_cast<unsigned>(operands_.size()), cs) + ";";
      all.push_back(c);
    }
}

inline void add_wmma(std::vector<Case>& all) {
  for (const Shape s : {Shape{16, 16, 16}, Shape{32, 8, 16}, Shape{8, 32, 16}}) {
    add_wmma_type(all, s, "f16", 'H', 8, 8, "f32", 'f', 8);
    add_wmma_type(all, s, "f16", 'H', 8, 8, "f16", 'H', 4);
    const unsigned as = s.m == 16 ? 4 : s.m / 4, bs = s.n == 16 ? 4 : s.n / 4;
    add_wmma_type(all, s, "bf16", 'B', as, bs, "f32", 'f', 8);
    const unsigned ia = s.m == 16 ? 2 : s.m / 8, ib = s.n == 16 ? 2 : s.n / 8;
    for (const char* t : {"s8", "u8"}) add_wmma_type(all, s, t, 'w', ia, ib, "s32", 'w', 8);
  }
  add_wmma_type(all, {16, 16, 16}, "s8", 'w', 2, 2, "s32", 'w', 8, ".satfinite");
  add_wmma_type(all, {16, 16, 8}, "tf32", 't', 4, 4, "f32", 'f', 8);
  add_wmma_type(all, {8, 8, 4}, "f64", 'd', 1, 1, "f64", 'd', 2);
  for (const char* t : {"s4", "u4"}) add_wmma_type(all, {8, 8, 32}, t, 'w', 1, 1, "s32", 'w', 2, "", true);
  for (const char* op : {".xor.popc", ".and.popc"})
    add_wmma_type(all, {8, 8, 128}, "b1", 'w', 1, 1, "s32", 'w', 2, op, true);
}

/// ldmatrix, stmatrix, movmatrix: lane t first writes its 8 words to rows 2 t and 2 t + 1 of shared memory.
inline void add_matrix(std::vector<Case>& all) {
  const std::string fill =
      ".reg .b32 %sp, %sr; mov.u32 %sp, smem;\nmad.lo.u32 %sr, %t, 32, %sp;\n"
      "st.shared.v4.b32 [%sr], {%i0, %i1, %i2, %i3};\nst.shared.v4.b32 [%sr+16], {%i4, %i5, %i6, %i7};\n"
      "bar.sync 0;\nand.b32 %sr, %i8, 63; mad.lo.u32 %sr, %sr, 16, %sp;\n";
  for (const unsigned n : {1U, 2U, 4U})
    for (const char* trans : {"", ".trans"}) {
      Case c;
      c.name = "ldmatrix.m8n8.x" + number(n) + trans;
      c.in = "wwwwwwwws";
      c.out = std::string(n, 'w');
      c.body = fill + "ldmatrix.sync.aligned.m8n8.x" + number(n) + trans + ".shared.b16 " +
               braces("%o", 0, n) + ", [%sr];";
      all.push_back(c);
      c.name = "stmatrix.m8n8.x" + number(n) + trans;
      c.in = "wwwwwwwwswwww";
      c.out = "wwwwwwww";
      c.body =
          fill + "mad.lo.u32 %sr, %t, 16, %sp;\nstmatrix.sync.aligned.m8n8.x" + number(n) + trans +
          ".shared.b16 [%sr], " + braces("%i", 9, n) + ";\nbar.sync 0;\nmad.lo.u32 %sr, %t, 32, %sp;\n" +
          "ld.shared.v4.b32 {%o0, %o1, %o2, %o3}, [%sr];\nld.shared.v4.b32 {%o4, %o5, %o6, %o7}, [%sr+16];";
      all.push_back(c);
    }
  all.push_back({"movmatrix", "w", "w", "movmatrix.sync.aligned.m8n8.trans.b16 %o0, %i0;"});
}

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

inline void add_warps(std::vector<Case>& all) {
  for (const char* mode : {"up", "down", "bfly", "idx"})
    all.push_back({"shfl." + std::string(mode), "wss", "ww",
                   "and.b32 %a0, %i2, 7; shl.b32 %a1, %a0, 10; or.b32 %a1, %a1, " +
                       std::string(*mode == 'u' ? "0" : "31") +
                       ";\nmov.b32 %a2, 0x1f00; and.b32 %a1, %a1, %a2; or.b32 %a1, %a1, " +
                       std::string(*mode == 'u' ? "0" : "31") + ";\nshfl.sync." + mode +
                       ".b32 %o0|%p, %i0, %i1, %a1, 0xffffffff; selp.b32 %o1, 1, 0, %p;"});
  for (const char* op :
       {"add.u32", "add.s32", "min.u32", "max.u32", "min.s32", "max.s32", "and.b32", "or.b32", "xor.b32"})
    all.push_back(
        {"redux." + std::string(op), "w", "w", "redux.sync." + std::string(op) + " %o0, %i0, 0xffffffff;"});
  all.push_back({"match.any", "s", "w", "and.b32 %a0, %i0, 7; match.any.sync.b32 %o0, %a0, 0xffffffff;"});
  all.push_back(
      {"match.all", "w", "ww", "match.all.sync.b32 %o0|%p, %i0, 0xffffffff; selp.b32 %o1, 1, 0, %p;"});
  for (const char* op : {"all", "any", "uni"})
    all.push_back({"vote." + std::string(op), "w", "w",
                   "setp.lt.s32 %p, %i0, 0; vote.sync." + std::string(op) +
                       ".pred %q, %p, 0xffffffff; selp.b32 %o0, 1, 0, %q;"});
  all.push_back(
      {"vote.ballot", "w", "w", "setp.lt.s32 %p, %i0, 0; vote.sync.ballot.b32 %o0, %p, 0xffffffff;"});
  for (const char* op :
       {"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "exch.b32", "inc.u32", "dec.u32"})
    all.push_back({"atom." + std::string(op), "www",
                   "ww",  // each lane has a word of its own: returns are certain
                   ".reg .b32 %sp; mov.u32 %sp, smem; mad.lo.u32 %sp, %t, 4, %sp;\nst.shared.b32 [%sp], "
                   "%i0;\natom.shared." +
                       std::string(op) + " %o0, [%sp], %i1;\nld.shared.b32 %o1, [%sp];"});
  for (const char* op : {"add.f32", "add.noftz.f16x2", "add.noftz.bf16x2"}) {
    const char l = op[4] == 'f' ? 'f' : std::strchr(op, 'b') != nullptr ? 'B' : 'H';
    all.push_back({"atom." + std::string(op), std::string(2, l), std::string(2, l),
                   "st.global.b32 [%x], %i0;\natom.global." + std::string(op) +
                       " %o0, [%x], %i1;\nld.global.b32 %o1, [%x];"});
  }
  all.push_back(
      {"atom.add.f64", "dd", "dd", "atom.global.add.f64 %o0, [%x], %i1;\nld.global.b64 %o1, [%x];"});
  all.push_back({"atom.cas.b32", "www", "ww",
                 "and.b32 %a0, %i0, 1; and.b32 %a1, %i1, 1; st.global.b32 [%x], %a0;\n"
                 "atom.global.cas.b32 %o0, [%x], %a1, %i2;\nld.global.b32 %o1, [%x];"});
}

inline void add_edges(std::vector<Case>& all) {
  all.push_back(mma("m16n8k16.row.col.f32.bf16.bf16.f32", 'Y', 4, 'Y', 2, 'z', 4, 'f', 4));
  all.back().name += ".tiny";
  for (const char* t : {"u64", "s64", "u16", "s16"})
    for (const char* op : {"div", "rem"}) {
      const bool wide = t[1] == '6';
      const std::string name = op + std::string(".") + t;
      all.push_back({name, wide ? "lS" : "us", wide ? "l" : "u", name + " %o0, %i0, %i1;"});
      if (!wide) {
        all.back().body = ".reg .b16 %h; cvt.u16.u32 %h, %i1; " + name + " %o0, %i0, %h;";
      }
    }
}

inline std::vector<Case> table() {
  std::vector<Case> all;
  add_mma(all);
  add_wmma(all);
  add_matrix(all);
  add_conversions(all);
  add_lanes(all);
  add_warps(all);
  add_edges(all);
  return all;
}

}  // namespace gpu_cases
