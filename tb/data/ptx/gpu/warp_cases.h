#pragma once

#include "cases.h"

namespace gpu_cases {

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

}  // namespace gpu_cases
