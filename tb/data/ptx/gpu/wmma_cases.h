#pragma once

#include "mma_cases.h"

namespace gpu_cases {

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

}  // namespace gpu_cases
