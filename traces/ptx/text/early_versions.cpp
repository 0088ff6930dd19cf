#include "traces/ptx/text/early_versions.h"

#include <algorithm>

namespace strata::traces::ptx {
namespace {

bool reads_place(const Instruction& i) {
  if (i.operands.size() != 2 || i.operands[1].kind != Operand::Kind::special) return false;
  const std::string base = i.operands[1].name.substr(0, i.operands[1].name.find('.'));
  return base == "%tid" || base == "%ntid" || base == "%ctaid" || base == "%nctaid";
}

bool computes(const std::string& opcode) {
  for (const char* one : {"add", "sub", "mul", "mad", "div", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin",
                          "cos", "min", "max", "abs", "neg", "set", "setp", "cvt"})
    if (opcode == one) return true;
  return false;
}

}  // namespace

void modernize(Instruction& i, bool flushes) {
  if (i.suffix.empty()) return;
  std::string& type = i.suffix.back();
  if (reads_place(i) && (type == "u16" || type == "s16" || type == "b16")) {
    if (i.opcode == "mov") {
      i.opcode = "cvt";
      i.suffix = {"u16", "u32"};
    } else if (i.opcode == "cvt") {
      type = "u32";
    }
  }
  if (!flushes || i.suffix.back() != "f32" || !computes(i.opcode)) return;
  if (i.opcode == "mad") i.suffix.insert(i.suffix.begin(), "rn");
  if (i.has("ftz")) return;
  const std::size_t types = i.opcode == "cvt" || i.opcode == "set" ? 2 : 1;
  i.suffix.insert(i.suffix.end() - static_cast<std::ptrdiff_t>(std::min(types, i.suffix.size())), "ftz");
}

}  // namespace strata::traces::ptx
