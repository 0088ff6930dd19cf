#include <set>

#include "traces/ptx/decode/decoder.h"
#include "traces/ptx/lanes/handlers.h"

namespace strata::traces::ptx {

bool Decoder::directed() const {
  return instruction_->has("rz") || instruction_->has("rm") || instruction_->has("rp");
}

/// The key without its type: the opcode and the suffixes that handlers depend on.
std::string Decoder::key_stem(const std::string& op, const Type& t) const {
  static const std::set<std::string> dropped = {"rn", "approx", "full", "uni"};
  const auto& suffix = instruction_->suffix;
  std::string key = op;
  for (std::size_t n = 0; n + 1 < suffix.size(); ++n) {
    if (dropped.count(suffix[n]) != 0) continue;
    if (suffix[n] == "ftz" && (directed() || (t.kind == 'f' && t.bits == 64))) continue;
    key += "." + suffix[n];
  }
  return op == "mul" && suffix.size() == 1 && t.kind != 'f' && t.kind != 'h' ? key + ".lo" : key;
}

std::string Decoder::arithmetic_key(const std::string& op, const Type& t) const {
  static const std::set<std::string> bits = {"and",  "or",  "xor",  "not", "cnot", "shl", "selp",
                                             "popc", "clz", "brev", "bfi", "prmt", "shf", "lop3"};
  const auto& suffix = instruction_->suffix;
  if (op == "dp4a" && suffix.size() >= 2) return "dp4a." + suffix[0] + "." + suffix[1];
  if (op == "dp2a" && suffix.size() >= 3) return "dp2a." + suffix[0] + "." + suffix[1] + "." + suffix[2];
  if (op == "prmt" && suffix.size() == 2) return "prmt." + suffix[1];
  if (op == "vabsdiff2" || op == "vabsdiff4") return instruction_->spelling();
  if (suffix.back() == "relu")  // nvcc writes it behind the type, the PTX manual in front
    return op + "." + suffix.back() + "." + as_written(t);
  const std::string key = key_stem(op, t);
  const auto holds = [&](const char* part) { return key.find(part) != std::string::npos; };
  const bool sum = op == "add" || op == "sub", product = op == "mul" || op == "mad";
  if (t.pair) return key + "." + as_written(t);
  if (bits.count(op) != 0) return key + "." + number(t, 'b');
  if (t.kind == 'f' || t.kind == 'h') return key + "." + as_written(t);
  if ((op == "shr" && t.kind == 'b') || (sum && !holds(".sat") && !holds(".cc")) ||
      (product && holds(".lo") && !holds(".cc")))
    return key + "." + number(t, 'u');
  if (op == "neg" || op == "abs") return key + "." + number(t, 's');
  return key + "." + as_written(t);
}

void Decoder::arithmetic() {
  static const std::set<std::string> special = {"rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh"};
  std::string op = instruction_->opcode;
  const std::vector<Operand>& operands = instruction_->operands;
  if (op == "lop3" && operands.size() >= 5) return lop3();
  if (!has_type()) unsupported(instruction_->spelling());
  const Type t = last_type();
  if (t.kind == 'p') return predicate_logic();
  if (op == "mad" && (t.kind == 'f' || t.kind == 'h')) op = "fma";
  const std::string key = arithmetic_key(op, t);
  if (op == "addc" || op == "subc" || op == "madc" || key.find(".cc") != std::string::npos)
    return carry(key, operands);
  const bool flushes = directed() && instruction_->has("ftz");
  if (special.count(op) != 0 && t.bits != 64) {
    emit(OpClass::sfu);
    by_key(key, operands, 0, flushes ? 1 : 0);
    flow_[flow_.size() - 2].reads = flow_.back().reads;  // the record waits for the operands
    return;
  }
  // The machine divides and takes remainders in short programs.
  const bool divides = op == "div" || op == "rem" || ((op == "sqrt" || op == "rcp") && t.bits == 64);
  by_key(key, operands, divides ? 8 : 1, flushes && t.bits == 32 ? 1 : 0);
}

void Decoder::carry(const std::string& key, const std::vector<Operand>& operands) {
  const HandlerEntry* entry = find_handler(key);
  if (entry == nullptr) unsupported(key);
  if (carry_register_ == 0) carry_register_ = rows_.new_register('p');
  by_key(key, operands);
  Flow& f = flow_.back();
  f.op.d2 = rows_.row(carry_register_);
  f.reads.push_back(carry_register_);
  f.writes.push_back(carry_register_);
}

void Decoder::lop3() {
  std::vector<Operand> operands(instruction_->operands.begin(), instruction_->operands.begin() + 4);
  const Operand& table = operand(4);
  if (table.kind != Operand::Kind::integer || table.bits > 255) fail("expected a table from 0 to 255");
  by_key("lop3.b32", operands);
  flow_.back().op.offset = static_cast<std::int64_t>(table.bits);
}

void Decoder::predicate_logic() {
  by_key(instruction_->opcode + ".pred", instruction_->operands, instruction_->opcode == "mov" ? 0 : 1);
}

void Decoder::set_predicate() {
  static const std::map<std::string, std::string> unsigned_names = {
      {"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
  const auto& suffix = instruction_->suffix;
  if (suffix.size() < 2) fail("expected a comparison and a type");
  Type t = last_type();
  if (t.kind == 'b') t.kind = 'u';
  std::string compare = suffix[0];
  const auto renamed = unsigned_names.find(compare);
  if (renamed != unsigned_names.end() && t.kind != 'f' && t.kind != 'h') compare = renamed->second;
  const bool flushes = instruction_->has("ftz") && t.kind == 'f' && t.bits == 32 && !t.pair;
  std::uint8_t code = 0;
  if (instruction_->has("and")) code = 1;
  if (instruction_->has("or")) code = 2;
  if (instruction_->has("xor")) code = 3;
  if (instruction_->opcode == "set") {
    if (code != 0) fail("set with a boolean operation is not supported");
    Type result;
    if (suffix.size() < 3 || !parse_type(suffix[suffix.size() - 2], result)) fail("expected two types");
    if (result.kind == 'f' || result.kind == 'h') code = 1;
    const bool widens = (t.kind == 'f' || t.kind == 'h') && t.bits == 16 && result.bits == 32;
    by_key("set." + compare + "." + as_written(t) + (widens ? ".w" : ""), instruction_->operands, 1, code);
    if (flushes) flow_.back().op.offset = 1;
    return;
  }
  if ((code != 0) != (instruction_->operands.size() == 4))
    fail("expected a third operand with .and, .or and .xor only");
  by_key("setp." + compare + "." + as_written(t), instruction_->operands, 1, code);
  if (flushes) flow_.back().op.offset = 1;
}

void Decoder::move() {
  const Type t = last_type();
  if (t.kind == 'p') return predicate_logic();
  if (t.bits == 128) return move_wide();
  const Operand &d = operand(0), &s = operand(1);
  if (d.kind == Operand::Kind::vector || s.kind == Operand::Kind::vector) return pack(d, s);
  if (s.kind == Operand::Kind::special && (s.name.compare(0, 6, "%clock") == 0 || s.name == "%globaltimer")) {
    Flow f = simple(find_handler(t.bits == 64 ? "clock.l" : "clock.w")->handler);
    f.op.d = destination(f, d, letter(t));
    f.barrier = true;
    return push(f);
  }
  if (s.kind == Operand::Kind::function) {
    std::vector<Operand> operands = instruction_->operands;
    operands[1].kind = Operand::Kind::integer;
    operands[1].bits = function_address(module_.function_number(s.name));
    return by_key("mov.b64", operands, 0);
  }
  by_key("mov." + number(t, 'b'), instruction_->operands, 0);
}

/// Low and high half of an operand of 128 bits: a register of that size, or two registers of 64 bits in
/// braces.
std::vector<Operand> Decoder::halves(const Operand& o) const {
  if (o.kind == Operand::Kind::sink) return {o, o};
  if (o.kind == Operand::Kind::vector && o.elements.size() == 2) return o.elements;
  const auto found = o.kind == Operand::Kind::reg ? high_halves_.find(id(o)) : high_halves_.end();
  if (found == high_halves_.end()) fail("expected a register of 128 bits, or two of 64 bits in braces");
  Operand high = o;
  high.index = found->second - frame_->registers;
  return {o, high};
}

void Decoder::move_wide() {
  const auto to = halves(operand(0)), from = halves(operand(1));
  for (std::size_t n = 0; n < 2; ++n)
    if (to[n].kind != Operand::Kind::sink) by_key("mov.b64", {to[n], from[n]}, 0);
}

void Decoder::pack(const Operand& d, const Operand& s) {
  const bool unpack = d.kind == Operand::Kind::vector;
  const Operand& vector = unpack ? d : s;
  const Type t = last_type();
  const std::size_t n = vector.elements.size();
  const unsigned bits = n == 0 ? 0 : t.bits / static_cast<unsigned>(n);
  if (n == 0 || t.bits % n != 0 || (bits != 16 && bits != 32)) fail("this split is not supported");
  const char kind = bits == 16 ? 'h' : 'w';
  Flow f = simple(find_handler(std::string(unpack ? "unpack." : "pack.") + letter(t) + kind)->handler);
  f.op.weight = 0;
  f.op.count = static_cast<std::uint8_t>(n);
  std::vector<Row> rows;
  if (!unpack)
    for (const Operand& e : vector.elements) rows.push_back(source(f, e, kind));
  else
    f.op.a = source(f, s, letter(t));
  if (unpack)
    for (const Operand& e : vector.elements) rows.push_back(destination(f, e, kind));
  else
    f.op.d = destination(f, d, letter(t));
  f.op.rows = list(rows);
  push(f);
}

void Decoder::warp_wide() {
  std::string key = instruction_->opcode + (instruction_->has("sync") ? ".sync" : "");
  for (const std::string& s : instruction_->suffix)
    if (s != "sync")
      key += "." + s;  // assemblers accept the suffixes in any order, such as CUB's vote.ballot.sync
  const HandlerEntry* entry = find_handler(key);
  if (entry == nullptr) unsupported(key);
  if (instruction_->opcode == "shfl") {
    if (instruction_->operands.size() != 5) fail("expected 5 operands");
    emit(OpClass::sfu);
    Flow f = simple(entry->handler);
    f.op.weight = 0;
    f.op.a = source(f, operand(1), 'w');
    f.op.b = source(f, operand(2), 'w');
    f.op.c = source(f, operand(3), 'w');
    f.op.guard = no_row;
    f.op.d = destination(f, operand(0), 'w');
    if (!operand(0).elements.empty()) f.op.d2 = destination(f, operand(0).elements[0], 'p');
    push(f);
    flow_[flow_.size() - 2].reads = flow_.back().reads;
    return;
  }
  Flow f = simple(entry->handler);
  const char* signature = entry->signature.text;
  f.op.d = destination(f, operand(0), signature[0]);
  if (!operand(0).elements.empty()) f.op.d2 = destination(f, operand(0).elements[0], 'p');
  if (instruction_->opcode == "elect") f.op.b = source(f, operand(1), 'w');
  if (signature[2] != 0) {
    f.op.a = source(f, operand(1), signature[2]);
    if (operand(1).negated) f.op.flags |= negate_a;
    f.op.b = source(f, operand(2), 'w');  // the member mask
  }
  push(f);
}

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

/// `.rz.` and the like; empty for rounding to nearest.
std::string Decoder::direction() const {
  for (const char* mode : {"rz", "rm", "rp"})
    if (instruction_->has(mode)) return std::string(mode) + ".";
  return "";
}

/// Bits 0-1: rounding to an integer (see float_to_int); bit 4: subnormals are flushed.
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

/// Conversions between integers and floats.
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
  // The narrower type decides the bits; a widening uses the source's sign.
  if (from.kind == 'b') from.kind = 'u';
  if (to.kind == 'b') to.kind = 'u';
  if (operands[1].kind != Operand::Kind::reg)
    operands[1].bits &= from.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << from.bits) - 1;
  const Type& decides = to.bits < from.bits ? to : from;
  // %rs of a wider %r: the bits above the source's width are cut off first, then it is extended.
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

/// Rounding to nearest has no name in the key.
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

/// mapa and getctarank, for shared or generic addresses.
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
