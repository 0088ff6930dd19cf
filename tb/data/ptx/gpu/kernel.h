#pragma once

#include "cases.h"

namespace gpu_cases {

/// The kernel `k(in, out)` of a case, a warp a thread block. `%pw`: the operands of this warp, as memory.
inline std::string ptx(const Case& c) {
  std::string text =
      ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 "
      "out)\n{\n";
  text += ".reg .b64 %in, %out, %pw, %x;\n.reg .b32 %t, %c, %y, %a0, %a1, %a2, %a3;\n.reg .pred %p, %q;\n";
  text += ".shared .align 128 .b8 smem[8192];\n";
  for (unsigned n = 0; n < c.in.size(); ++n)
    text += ".reg .b" + number(width(c.in[n])) + " %i" + number(n) + ";\n";
  for (unsigned n = 0; n < c.out.size(); ++n)
    text += ".reg .b" + number(width(c.out[n])) + " %o" + number(n) + ";\n";
  text += "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\n";
  const unsigned stride = static_cast<unsigned>(c.in.size()) * 8;
  text += "mad.wide.u32 %pw, %c, " + number(stride * 32) + ", %in;\nmad.wide.u32 %x, %t, " + number(stride) +
          ", %pw;\n";
  for (unsigned n = 0; n < c.in.size(); ++n)
    text += "ld.global.b" + number(width(c.in[n])) + " %i" + number(n) + ", [%x+" + number(8 * n) + "];\n";
  text += c.body + "\n";
  const unsigned words = result_words(c);
  text += "mad.lo.u32 %y, %c, 32, %t;\nmad.wide.u32 %x, %y, " + number(4 * words) + ", %out;\n";
  unsigned at = 0;
  for (unsigned n = 0; n < c.out.size(); ++n) {
    const std::string name = "%o" + number(n);
    if (width(c.out[n]) == 16) {
      text += "cvt.u32.u16 %y, " + name + ";\nst.global.b32 [%x+" + number(at) + "], %y;\n";
    } else if (width(c.out[n]) == 64) {  // by halves: 4 bytes of alignment are enough
      text += "{.reg .b32 %lo, %hi;\nmov.b64 {%lo, %hi}, " + name + ";\nst.global.b32 [%x+" + number(at) +
              "], %lo;\nst.global.b32 [%x+" + number(at + 4) + "], %hi;}\n";
      at += 4;
    } else {
      text += "st.global.b32 [%x+" + number(at) + "], " + name + ";\n";
    }
    at += 4;
  }
  return text + "ret;\n}\n";
}

}  // namespace gpu_cases
