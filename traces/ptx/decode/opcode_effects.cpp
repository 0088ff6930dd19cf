#include <algorithm>

#include "traces/ptx/decode/decoded_kernel.h"

namespace strata::traces::ptx {
namespace {

using effects::fences, effects::pauses, effects::launches, effects::product_order;
using effects::ignored, effects::neither, effects::order;

constexpr std::string_view prefetches =
    "prefetches into caches: lines are fetched when they are loaded, so hit rates may be too low";
constexpr std::string_view hints =
    "hints for replacement: lines are replaced as others are, so hit rates may differ";

constexpr InstructionEffect traffic{Effect::traffic};
constexpr InstructionEffect refused{Effect::refused};

}  // namespace

const std::vector<PtxOpcode>& ptx_opcodes() {
  static const std::vector<PtxOpcode> rows = {
      {"abs", neither},
      {"activemask", neither},
      {"add", neither},
      {"addc", neither},
      {"alloca", neither},
      {"and", neither},
      {"applypriority", ignored(hints)},
      {"atom", traffic},
      {"bar", order},
      {"barrier", order},
      {"bfe", neither},
      {"bfi", neither},
      {"bfind", neither},
      {"bmsk", neither},
      {"bra", neither},
      {"brev", neither},
      {"brkpt", neither},
      {"brx", neither},
      {"call", neither},
      {"clusterlaunchcontrol", refused},
      {"clz", neither},
      {"cnot", neither},
      {"copysign", neither},
      {"cos", neither},
      {"cp", traffic},
      {"createpolicy", ignored(hints)},
      {"cvt", neither},
      {"cvta", neither},
      {"discard", ignored(hints)},
      {"div", neither},
      {"dp2a", neither},
      {"dp4a", neither},
      {"elect", neither},
      {"ex2", neither},
      {"exit", neither},
      {"fence", ignored(fences)},
      {"fma", neither},
      {"fns", neither},
      {"getctarank", neither},
      {"griddepcontrol", ignored(launches)},
      {"isspacep", neither},
      {"istypep", refused},
      {"ld", traffic},
      {"ldmatrix", traffic},
      {"ldu", traffic},
      {"lg2", neither},
      {"lop3", neither},
      {"mad", neither},
      {"mad24", neither},
      {"madc", neither},
      {"mapa", neither},
      {"match", neither},
      {"max", neither},
      {"mbarrier", order},
      {"membar", ignored(fences)},
      {"min", neither},
      {"mma", neither},
      {"mov", neither},
      {"movmatrix", neither},
      {"mul", neither},
      {"mul24", neither},
      {"multimem", refused},
      {"nanosleep", ignored(pauses)},
      {"neg", neither},
      {"not", neither},
      {"or", neither},
      {"pmevent", refused},
      {"popc", neither},
      {"prefetch", ignored(prefetches)},
      {"prefetchu", ignored(prefetches)},
      {"prmt", neither},
      {"rcp", neither},
      {"red", traffic},
      {"redux", neither},
      {"rem", neither},
      {"ret", neither},
      {"rsqrt", neither},
      {"sad", neither},
      {"selp", neither},
      {"set", neither},
      {"setmaxnreg", neither},
      {"setp", neither},
      {"shf", neither},
      {"shfl", neither},
      {"shl", neither},
      {"shr", neither},
      {"sin", neither},
      {"slct", refused},
      {"sqrt", neither},
      {"st", traffic},
      {"stackrestore", neither},
      {"stacksave", neither},
      {"stmatrix", traffic},
      {"sub", neither},
      {"subc", neither},
      {"suld", traffic},
      {"suq", neither},
      {"sured", refused},
      {"sust", traffic},
      {"szext", neither},
      {"tanh", neither},
      {"tcgen05", refused},
      {"tensormap", traffic},
      {"testp", neither},
      {"tex", traffic},
      {"tld4", traffic},
      {"trap", neither},
      {"txq", neither},
      {"vabsdiff", refused},
      {"vabsdiff2", neither},
      {"vabsdiff4", neither},
      {"vadd", refused},
      {"vadd2", refused},
      {"vadd4", refused},
      {"vavrg2", refused},
      {"vavrg4", refused},
      {"vmad", refused},
      {"vmax", refused},
      {"vmax2", refused},
      {"vmax4", refused},
      {"vmin", refused},
      {"vmin2", refused},
      {"vmin4", refused},
      {"vote", neither},
      {"vset", refused},
      {"vset2", refused},
      {"vset4", refused},
      {"vshl", refused},
      {"vshr", refused},
      {"vsub", refused},
      {"vsub2", refused},
      {"vsub4", refused},
      {"wgmma", ignored(product_order)},
      {"wmma", neither},
      {"xor", neither},
  };
  return rows;
}

std::string_view gap_of(const Instruction& instruction) {
  const std::vector<PtxOpcode>& rows = ptx_opcodes();
  const auto row =
      std::lower_bound(rows.begin(), rows.end(), instruction.opcode,
                       [](const PtxOpcode& one, std::string_view name) { return one.name < name; });
  if (row != rows.end() && row->name == instruction.opcode && row->effect.effect == Effect::ignored)
    return row->effect.reason;
  if (instruction.opcode != "ld" && instruction.opcode != "ldu" && instruction.opcode != "st") return {};
  for (const std::string& part : instruction.suffix) {
    if (part == "const") return effects::constants;
    if (part == "L2::64B" || part == "L2::128B" || part == "L2::256B") return prefetches;
    if (part.compare(0, 4, "L1::") == 0 || part.compare(0, 4, "L2::") == 0) return hints;
  }
  return {};
}

}  // namespace strata::traces::ptx
