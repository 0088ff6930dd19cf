#pragma once

#include "conversion_cases.h"
#include "kernel.h"
#include "lane_cases.h"
#include "matrix_cases.h"
#include "operands.h"
#include "results.h"
#include "warp_cases.h"
#include "wmma_cases.h"

namespace gpu_cases {

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
