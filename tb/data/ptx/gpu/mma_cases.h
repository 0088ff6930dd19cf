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

}  // namespace gpu_cases
