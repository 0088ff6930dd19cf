#include "traces/accelsim/instruction_parser.h"

#include <limits>

#include "models/common/faults.h"

namespace strata::traces {
namespace {

std::size_t hash(std::string_view text) {
  std::uint32_t value = 2166136261u;  // FNV-1a
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 16777619u;
  return (value ^ value >> 13) & 255;
}

bool read_register(Scanner& in, const char* expected, std::uint8_t& out) {
  std::string_view text;
  if (!in.token(text, expected)) return false;
  if (text.size() < 2 || text.size() > 4 || text[0] != 'R') return in.fail_token(expected);
  unsigned value = 0;
  const auto result = std::from_chars(text.data() + 1, text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || value > 255)
    return in.fail_token(expected);
  out = static_cast<std::uint8_t>(value);  // R255 is the zero register: no dependency, our no_register
  return true;
}

}  // namespace

bool InstructionParser::read_prefix(Scanner& in) {
  if (header_.position_prefix) {
    std::uint32_t position = 0;
    for (int i = 0; i < 4; ++i)
      if (!in.number(position, 10, "thread block x, y, z and warp (decimal; trace versions below 3)"))
        return false;
  }
  std::uint64_t source_line = 0;
  return !header_.line_info ||
         in.number(source_line, 10, "a source line number (decimal; line info is enabled)");
}

bool InstructionParser::read_opcode(Scanner& in) {
  std::string_view text;
  if (!in.token(text, "an opcode")) return false;
  Known& known = known_[hash(text)];
  if (known.text != text) {
    Opcode decoded;
    if (!header_.opcodes->decode(text, decoded)) {
      unknown_opcode_ = text;
      return in.fail_token("an opcode");
    }
    known.text = text;
    known.opcode = decoded;
  }
  opcode_ = &known.opcode;
  return true;
}

bool InstructionParser::read_registers(Scanner& in, WarpInstruction& out) {
  unsigned count = 0;
  if (!in.number(count, 10, "the number of destination registers, 0 or 1")) return false;
  if (count > 1) return in.fail_token("the number of destination registers, 0 or 1");
  if (count == 1 && !read_register(in, "a destination register R0 to R255", out.destination)) return false;
  if (!read_opcode(in)) return false;
  if (!in.number(count, 10, "the number of source registers, 0 to 5")) return false;
  if (count > out.sources.size()) return in.fail_token("the number of source registers, 0 to 5");
  for (unsigned i = 0; i < count; ++i)
    if (!read_register(in, "a source register R0 to R255", out.sources[i])) return false;
  return true;
}

bool InstructionParser::read_addresses(Scanner& in, WarpInstruction& out) {
  int mode = 0;
  if (!in.number(mode, 10, "an address mode: 0 (list), 1 (stride) or 2 (deltas)")) return false;
  const auto lanes = static_cast<std::size_t>(out.active_lanes());
  if (mode == 0) {
    for (std::size_t i = 0; i < lanes; ++i)
      if (!in.number(lanes_[i], 16, "an address (hexadecimal) for each active lane")) return false;
    return true;
  }
  if (mode != 1 && mode != 2) return in.fail_token("an address mode: 0 (list), 1 (stride) or 2 (deltas)");
  Address address = 0;
  if (!in.number(address, 16, "a base address (hexadecimal)")) return false;
  std::int64_t step = 0;
  if (mode == 1 && !in.number(step, 10, "a stride (signed decimal)")) return false;
  for (std::size_t i = 0; i < lanes; ++i) {
    if (i > 0) {
      if (mode == 2 &&
          !in.number(step, 10, "an address delta (signed decimal) for each active lane but the first"))
        return false;
      address += static_cast<Address>(step);
    }
    lanes_[i] = address;
  }
  return true;
}

/// Generic accesses take the memory that the first active lane's address lies in (TRACEG_FORMAT 6); regular
/// addresses become a stride, others go to the CTA's pool.
void InstructionParser::classify(WarpInstruction& out, CtaTrace& cta) {
  const auto lanes = static_cast<std::size_t>(out.active_lanes());
  if (opcode_->generic) {
    const Address first = lanes > 0 ? lanes_[0] : 0;
    const bool windows = header_.shared_base != 0 && header_.local_base != 0;
    const bool shared = !windows || (first >= header_.shared_base && first < header_.local_base);
    if (shared) out.op = out.op == OpClass::store ? OpClass::shared_store : OpClass::shared_load;
  }
  if (lanes == 0) return;
  const Address step = lanes > 1 ? lanes_[1] - lanes_[0] : 0;
  const auto signed_step = static_cast<std::int64_t>(step);
  bool regular = signed_step >= std::numeric_limits<std::int32_t>::min() &&
                 signed_step <= std::numeric_limits<std::int32_t>::max();
  for (std::size_t i = 2; regular && i < lanes; ++i) regular = lanes_[i] - lanes_[i - 1] == step;
  if (regular) {
    out.address_kind = AddressKind::stride;
    out.address = lanes_[0];
    out.stride = static_cast<std::int32_t>(signed_step);
    return;
  }
  out.address_kind = AddressKind::list;
  out.address = cta.addresses.size();
  cta.addresses.insert(cta.addresses.end(), lanes_.begin(),
                       lanes_.begin() + static_cast<std::ptrdiff_t>(lanes));
}

bool InstructionParser::read_memory(Scanner& in, WarpInstruction& out, CtaTrace& cta) {
  unsigned width = 0;
  if (!in.number(width, 10, "a memory width (decimal)")) return false;
  const bool memory = touches_global_memory(out.op) || touches_shared_memory(out.op);
  if (width == 0) {
    // A fully predicated-off access may lack its operand; one with active lanes must have addresses.
    if (memory && out.active_mask != 0)
      return in.fail_token("a memory width above 0, as the opcode accesses memory");
    return true;
  }
  if (!read_addresses(in, out)) return false;
  if (memory) classify(out, cta);
  return true;
}

bool InstructionParser::read_line(Scanner& in, CtaTrace& cta) {
  WarpInstruction out;
  std::string_view text;
  if (!read_prefix(in)) return false;
  if (!in.number(out.pc, 16, "a PC (hexadecimal)")) return false;
  if (!in.number(out.active_mask, 16, "an active mask (hexadecimal, 8 digits)")) return false;
  if (!read_registers(in, out)) return false;
  out.op = opcode_->op;
  out.width = opcode_->width;
  out.non_coherent = opcode_->non_coherent;
  out.bypass_l1 = opcode_->bypass_l1;
  if (out.destination != no_register) out.destination_count = opcode_->destination_count;
  if (!read_memory(in, out, cta)) return false;
  // Tracers since 2023-09 write an immediate at the end, without a new version number.
  if (!in.at_end()) {
    std::uint64_t immediate = 0;
    std::int64_t negative = 0;
    if (!in.token(text, "an immediate")) return false;
    const char* last = text.data() + text.size();
    const auto as_unsigned = std::from_chars(text.data(), last, immediate);
    const auto as_signed = std::from_chars(text.data(), last, negative);
    if ((as_unsigned.ec != std::errc{} || as_unsigned.ptr != last) &&
        (as_signed.ec != std::errc{} || as_signed.ptr != last))
      return in.fail_token("an immediate (decimal) or the end of the line");
    if (!in.at_end()) return in.fail("the end of the line");
  }
  cta.instructions.push_back(out);
  return true;
}

void InstructionParser::explain(const Scanner& in, Failure& failure) const {
  failure.column = in.column();
  failure.message = in.message();
  if (unknown_opcode_.empty()) return;
  const std::string base = unknown_opcode_.substr(0, unknown_opcode_.find('.'));
  failure.message = "expected an opcode of binary version " + std::to_string(header_.opcodes->version()) +
                    ", found '" + unknown_opcode_ + "'" + suggestion(base, header_.opcodes->names());
}

}  // namespace strata::traces
