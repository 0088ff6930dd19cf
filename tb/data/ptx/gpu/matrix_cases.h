#pragma once

#include "mma_cases.h"

namespace gpu_cases {

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

}  // namespace gpu_cases
