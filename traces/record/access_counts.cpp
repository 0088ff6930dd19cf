#include "traces/record/access_counts.h"

namespace strata::traces::record {

AccessShape AccessCounts::shape_of(const WarpInstruction& instruction) {
  AccessShape shape;
  shape.shared = touches_shared_memory(instruction.op);
  shape.global = touches_global_memory(instruction.op);
  if (!shape.global || instruction.address_kind != AddressKind::stride || instruction.active_mask == 0 ||
      instruction.width == 0 || instruction.stride < 0 || instruction.stride > static_cast<int>(line_bytes))
    return shape;
  shape.dense = true;
  shape.span = static_cast<std::uint32_t>((instruction.active_lanes() - 1) * instruction.stride +
                                          instruction.width - 1);
  return shape;
}

std::uint64_t AccessCounts::lines_of(const WarpInstruction& instruction, const Address* addresses) {
  WarpInstruction access = instruction;
  CtaTrace one;
  if (instruction.address_kind == AddressKind::list) {
    one.addresses.assign(addresses + instruction.address,
                         addresses + instruction.address + instruction.active_lanes());
    access.address = 0;
  }
  LineAccesses lines;
  coalesce(access, one, line_bytes, lines);
  return static_cast<std::uint64_t>(lines.count);
}

}  // namespace strata::traces::record
