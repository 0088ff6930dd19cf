#include "platforms/studies/probe/probe_kernel.h"

#include <utility>

namespace strata::platforms {

WarpInstruction line_access(OpClass op, Address address, std::uint8_t destination) {
  WarpInstruction access;
  access.op = op;
  access.address = address;
  access.address_kind = AddressKind::stride;
  access.stride = 4;
  access.width = 4;
  access.active_mask = ~0U;
  access.pc = 0x100;
  if (op == OpClass::store)
    access.sources[0] = destination;
  else
    access.destination = destination;
  return access;
}

WarpInstruction chase_access(Address address) {
  WarpInstruction access = line_access(OpClass::load, address, 2);
  access.active_mask = 1;
  access.sources[0] = 2;
  return access;
}

WarpInstruction shared_access(int stride) {
  WarpInstruction access = line_access(OpClass::shared_load, 0, no_register);
  access.stride = stride;
  access.destination = 4;
  return access;
}

WarpInstruction arithmetic(Unit unit, std::uint8_t destination, std::uint8_t source) {
  WarpInstruction instruction;
  instruction.op = unit == Unit::sfu ? OpClass::sfu : unit == Unit::branch ? OpClass::other : OpClass::alu;
  if (is_counted(unit)) instruction.units[counted_place(unit)] = 1;
  instruction.active_mask = ~0U;
  instruction.destination = unit == Unit::branch ? no_register : destination;
  instruction.sources[0] = source;
  return instruction;
}

ProbeSource::ProbeSource(ProbeKernel kernel) : kernel_(std::move(kernel)) {
  KernelInfo info;
  info.name = "probe";
  info.grid.x = static_cast<std::uint32_t>(kernel_.ctas);
  info.block.x = static_cast<std::uint32_t>(kernel_.warps) * 32;
  info.shared_bytes = kernel_.shared_bytes;
  kernels_.push_back(info);
}

std::shared_ptr<const CtaTrace> ProbeSource::fetch(std::uint32_t, std::uint64_t cta) {
  auto trace = std::make_shared<CtaTrace>();
  trace->index = cta;
  for (int w = 0; w < kernel_.warps; ++w) {
    trace->warp_begin.push_back(static_cast<std::uint32_t>(trace->instructions.size()));
    kernel_.write(cta * static_cast<std::uint64_t>(kernel_.warps) + static_cast<std::uint64_t>(w),
                  trace->instructions);
    WarpInstruction exit;
    exit.op = OpClass::exit;
    exit.active_mask = ~0U;
    trace->instructions.push_back(exit);
  }
  trace->warp_begin.push_back(static_cast<std::uint32_t>(trace->instructions.size()));
  return trace;
}

}  // namespace strata::platforms
