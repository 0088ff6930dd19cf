#include "traces/ptx/decode/decoder.h"
#include "traces/ptx/lanes/handlers.h"

namespace strata::traces::ptx {

void Decoder::convert() {
  const auto& suffix = instruction_->suffix;
  Type to, from;
  if (instruction_->has("pack")) return by_key(instruction_->spelling(), instruction_->operands);
  for (const std::string& s : suffix)
    if (s == "e4m3x2" || s == "e5m2x2" || s == "tf32") return by_key(small_key(), instruction_->operands);
  if (suffix.size() < 2 || !parse_type(suffix[suffix.size() - 1], from) ||
      !parse_type(suffix[suffix.size() - 2], to))
    unsupported(instruction_->spelling());
  if (instruction_->operands.size() < 2) fail("expected 2 operands");
  const auto real = [](const Type& t) { return t.kind == 'f' || t.kind == 'h'; };
  if ((real(to) && (to.bits == 16 || to.pair)) || (real(from) && from.bits == 16))
    return half_convert(to, from);
  if (real(to) && real(from)) return convert_real(to, from);
  if (real(to) || real(from)) return convert_kind(to, from);
  convert_integer(to, from);
}

/// `.rz.` and the like; nothing for the nearest.
std::string Decoder::direction() const {
  for (const char* mode : {"rz", "rm", "rp"})
    if (instruction_->has(mode)) return std::string(mode) + ".";
  return "";
}

/// Bits 0-1: rounding to an integer (docs of float_to_int); bit 4: subnormals are flushed.
std::uint8_t Decoder::rounding(bool& integral) const {
  const char* const names[] = {"rni", "rzi", "rmi", "rpi"};
  std::uint8_t code = instruction_->has("ftz") ? 16 : 0;
  for (std::uint8_t n = 0; n < 4; ++n)
    if (instruction_->has(names[n])) {
      code |= n;
      integral = true;
    }
  return code;
}

void Decoder::convert_real(const Type& to, const Type& from) {
  const std::vector<Operand>& operands = instruction_->operands;
  const bool saturate = instruction_->has("sat");
  bool integral = false;
  const std::uint8_t code = rounding(integral);
  const std::string name = as_written(to);
  if (integral)
    return by_key("cvt.ri." + name, operands, 1, static_cast<std::uint8_t>(code | (saturate ? 8 : 0)));
  if (to.bits == from.bits)
    return by_key(saturate    ? "cvt.sat." + name + "." + name
                  : code != 0 ? "ftz.f32"
                              : "mov.b" + std::to_string(to.bits),
                  operands);
  by_key("cvt." + (to.bits == 64 ? "" : direction()) + name + "." + as_written(from), operands);
}

/// Between integers and floats.
void Decoder::convert_kind(const Type& to, const Type& from) {
  std::vector<Operand> operands = instruction_->operands;
  if (from.kind == 'f' || from.kind == 'h') {
    bool integral = false;
    const std::uint8_t code = rounding(integral);
    return by_key("cvt.i." + as_written(to) + "." + as_written(from) + "." + target_kind(operands[0], to),
                  operands, 1, code);
  }
  if (source_kind(operands[1], from) != letter(from)) narrow_source(operands, from);
  by_key("cvt." + direction() + as_written(to) + "." + as_written(from), operands);
}

void Decoder::convert_integer(Type to, Type from) {
  std::vector<Operand> operands = instruction_->operands;
  const char source = source_kind(operands[1], from), target = target_kind(operands[0], to);
  if (instruction_->has("sat")) {
    if (source != letter(from)) narrow_source(operands, from);
    return by_key("cvt.sat." + as_written(to) + "." + as_written(from) + "." + target, operands);
  }
  // The narrower of both types decides the bits; of a widening the source's sign.
  if (from.kind == 'b') from.kind = 'u';
  if (to.kind == 'b') to.kind = 'u';
  if (operands[1].kind != Operand::Kind::reg)
    operands[1].bits &= from.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << from.bits) - 1;
  const Type& decides = to.bits < from.bits ? to : from;
  // %rs of a wider %r: what stands above the source's width is cut off first, then extended.
  by_key("cvt." + as_written(decides) + "." + target + source, operands, to.bits == from.bits ? 0 : 1);
}

void Decoder::narrow_source(std::vector<Operand>& operands, const Type& from) {
  const char wide = kind_of(operands[1]);
  Flow f = simple(find_handler("cvt." + number(from, 'u') + "." + letter(from) + wide)->handler);
  const std::uint32_t r = rows_.new_register(letter(from));
  f.op.weight = 0;
  f.op.a = source(f, operands[1], wide);
  f.op.d = rows_.row(r);
  f.writes.push_back(r);
  push(f);
  operands[1].index = r - frame_->registers;
}

/// The nearest is not named.
std::string Decoder::small_key() const {
  std::string key = "cvt";
  for (const std::string& s : instruction_->suffix)
    if (s != "rn" && s != "ftz") key += "." + s;
  return key;
}

void Decoder::half_convert(const Type& to, const Type& from) {
  std::string key = small_key();
  std::vector<Operand> operands = instruction_->operands;
  const bool integer = to.kind == 'u' || to.kind == 's';
  const char target = target_kind(operands[0], to);
  if (integer && (to.bits == 8 || target != letter(to))) key += std::string(".") + target;
  if (operands[1].kind == Operand::Kind::reg && kind_of(operands[1]) != letter(from))
    narrow_source(operands, from);
  by_key(key, operands);
}

void Decoder::space_test() {
  std::string space = instruction_->suffix.empty() ? "" : instruction_->suffix[0];
  if (space == "shared") space = "shared::cta";
  if (space == "shared::cluster") space = "shared";
  if (space == "param::entry") space = "param";
  by_key("isspacep." + space, instruction_->operands);
}

/// mapa and getctarank, of addresses of shared memory or of generic ones.
void Decoder::cluster_address() {
  const bool shared = instruction_->has("shared::cluster");
  const std::string type = std::to_string(last_type().bits);
  if (!shared && type != "64") fail("a generic address needs 64 bits");
  by_key(instruction_->opcode + ".u" + type, instruction_->operands);
  flow_.back().op.space = shared ? Space::shared : Space::generic;
}

void Decoder::convert_address() {
  const auto& suffix = instruction_->suffix;
  const bool to = instruction_->has("to");
  std::uint64_t window = 0;
  for (const std::string& s : suffix) {
    if (s == "shared" || s == "shared::cta" || s == "shared::cluster") window = shared_window;
    if (s == "local") window = local_window;
    if (s == "param") window = param_window;
  }
  const Type t = last_type();
  if (t.bits != 64) fail("32-bit addresses are not supported");
  std::vector<Operand> operands = instruction_->operands;
  if (operands.size() != 2) fail("expected 2 operands");
  if (window == 0) return by_key("mov.b64", operands, 0);
  Operand offset;
  offset.kind = Operand::Kind::integer;
  offset.bits = window;
  operands.push_back(offset);
  by_key(to ? "sub.u64" : "add.u64", operands, 0);
}

}  // namespace strata::traces::ptx
