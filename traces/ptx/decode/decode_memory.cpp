#include <algorithm>

#include "traces/ptx/decode/decoder.h"
#include "traces/ptx/lanes/handlers.h"

namespace strata::traces::ptx {

Space Decoder::space_of(bool& bypasses) const {
  Space space = Space::generic;
  for (const std::string& s : instruction_->suffix) {
    if (s == "global") space = Space::global;
    if (s == "shared" || s == "shared::cta" || s == "shared::cluster") space = Space::shared;
    if (s == "local") space = Space::local;
    if (s == "const") space = Space::constant;
    if (s == "param" || s == "param::entry" || s == "param::func") space = Space::param;
    if (s == "volatile" || s == "relaxed" || s == "acquire" || s == "release" || s == "cg" || s == "cv")
      bypasses = true;
  }
  return space;
}

void Decoder::address(Flow& f, const Operand& o) {
  if (!o.address) fail("expected an address in brackets");
  if (o.kind == Operand::Kind::variable) {
    f.op.a = frame_address(f, o, 'l');
    f.op.address_bytes = 8;
  } else if (o.kind == Operand::Kind::reg) {
    const char kind = kind_of(o);
    if (kind != 'w' && kind != 'l') fail("an address needs 32 or 64 bits");
    f.op.a = source(f, o, kind);
    f.op.address_bytes = kind == 'w' ? 4 : 8;
    f.op.offset = static_cast<std::int64_t>(o.bits);
  } else if (o.kind == Operand::Kind::integer) {
    f.op.a = rows_.constant('l', o.bits);
  } else {
    fail("expected an address");
  }
}

void Decoder::classify(Flow& f, bool bypasses, bool is_store) {
  Op& op = f.op;
  if (op.space == Space::param) {  // arguments and results of calls are in local memory
    const bool register_address = operand(is_store ? 0 : 1).kind == Operand::Kind::reg;
    if (frame_->function != &kernel_function_ || !register_address) op.space = Space::local;
    op.flags |= no_record;
    op.weight = 0;
  }
  if (op.space == Space::constant) op.flags |= no_record;
  op.op_class = is_store ? OpClass::store : OpClass::load;
  if (op.space == Space::shared) op.op_class = is_store ? OpClass::shared_store : OpClass::shared_load;
  if (bypasses) op.flags |= bypass;
  f.memory = is_store ? Flow::Memory::store : Flow::Memory::load;
  if (instruction_->has("volatile") || instruction_->has("acquire") || instruction_->has("release") ||
      instruction_->has("relaxed"))
    f.barrier = true;
}

void Decoder::load() {
  Type t = last_type();
  bool bypasses = false;
  const Space space = space_of(bypasses);
  const Operand& from = operand(1);
  if (instruction_->operands.size() > 3) fail("expected 2 operands");
  std::uint32_t parameter = 0;
  std::uint8_t count = elements();
  const Operand& d = operand(0);
  std::vector<Operand> all = d.kind == Operand::Kind::vector ? d.elements : std::vector<Operand>{d};
  if (t.bits == 128) {
    if (count != 1) unsupported(instruction_->spelling());
    all = halves(d);
    t.bits = 64;
    count = 2;
  }
  if (space == Space::param && from.kind == Operand::Kind::variable && kernel_parameter(from, parameter))
    return load_parameter(t, parameter + from.bits, variable(from).bytes - from.bits);
  Flow f;
  Type m = t;
  if (m.kind != 's') m.kind = 'u';
  char kind = letter(t);
  for (const Operand& e : all)
    if (kind_of(e) != 0) kind = kind_of(e);
  const std::string key = "ld." + number(m, m.kind) + "." + kind;
  const HandlerEntry* entry = find_handler(key);
  if (entry == nullptr) unsupported(key);
  if (all.size() != count) fail("expected " + std::to_string(count) + " destinations");
  f = simple(entry->handler);
  f.op.space = space;
  f.op.count = count;
  f.op.width = static_cast<std::uint8_t>(t.bytes());
  if (count * t.bytes() > 16) fail("expected at most 16 B per lane");
  address(f, from);
  classify(f, bypasses, false);
  if (instruction_->has("nc") || instruction_->opcode == "ldu") f.op.flags |= non_coherent;
  if (instruction_->has("ro")) {
    if (space != Space::global) fail("'.ro' belongs to ld.global");
    f.op.flags |= never_written;
  }
  f.hoistable = (f.op.flags & no_record) == 0;
  std::vector<Row> rows;
  for (const Operand& e : all)
    rows.push_back(e.kind == Operand::Kind::sink ? no_row : destination(f, e, kind));
  f.op.d = rows[0];
  f.op.rows = list(rows);
  if (count == 1 && rows[0] == no_row) f.op.d = scratch(kind);
  push(std::move(f));
}

void Decoder::load_parameter(const Type& t, std::uint64_t offset, std::uint64_t left) {
  const Operand& d = operand(0);
  const auto all = d.kind == Operand::Kind::vector ? d.elements : std::vector<Operand>{d};
  if (all.size() != elements() || left > 32764 || all.size() * t.bytes() > left)
    fail("past the end of the parameter");
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (all[n].kind == Operand::Kind::sink) continue;
    const char kind = kind_of(all[n]);
    Type m = t;
    if (m.kind != 's') m.kind = 'u';
    if (find_handler("ld." + number(m, m.kind) + "." + std::string(1, kind == 0 ? '?' : kind)) == nullptr)
      fail("expected a register of the type's size");
    // The row holds the value in the type's size; a move or conversion copies it to the register.
    const char own = letter(t);
    Flow f = simple(find_handler("cvt." + number(m, m.kind) + "." + kind + own)->handler);
    f.op.a = rows_.patched(own, {Patch::Kind::parameter, offset + n * t.bytes(), t.bytes()});
    f.op.d = destination(f, all[n], kind);
    f.op.weight = 0;
    push(std::move(f));
  }
}

void Decoder::store() {
  Type t = last_type();
  bool bypasses = false;
  const Operand& v = operand(1);
  std::uint8_t count = elements();
  std::vector<Operand> all = v.kind == Operand::Kind::vector ? v.elements : std::vector<Operand>{v};
  if (t.bits == 128) {
    if (count != 1) unsupported(instruction_->spelling());
    all = halves(v);
    t.bits = 64;
    count = 2;
  }
  char kind = letter(t);
  for (const Operand& e : all)
    if (kind_of(e) != 0) kind = kind_of(e);
  const std::string key = "st." + std::to_string(t.bits) + "." + kind;
  const HandlerEntry* entry = find_handler(key);
  if (entry == nullptr) unsupported(key);
  if (all.size() != count) fail("expected " + std::to_string(count) + " values");
  if (count * t.bytes() > 16) fail("expected at most 16 B per lane");
  Flow f = simple(entry->handler);
  f.op.space = space_of(bypasses);
  std::uint32_t parameter = 0;
  if (f.op.space == Space::constant) fail("constant memory cannot be written");
  if (f.op.space == Space::param && operand(0).kind == Operand::Kind::variable &&
      kernel_parameter(operand(0), parameter))
    fail("parameters of the kernel cannot be written");
  if (f.op.space == Space::param) {  // arguments and results of calls are in local memory
    f.op.space = Space::local;
    f.op.flags |= no_record;
    f.op.weight = 0;
  }
  f.op.count = count;
  f.op.width = static_cast<std::uint8_t>(t.bytes());
  address(f, operand(0));
  classify(f, bypasses, true);
  std::vector<Row> rows;
  for (const Operand& e : all) rows.push_back(source(f, e, kind));
  f.op.b = rows[0];
  f.op.rows = list(rows);
  push(std::move(f));
  if (instruction_->has("async")) completes(2, std::uint64_t{count} * t.bytes());
}

void Decoder::atomic() {
  const bool returns = instruction_->opcode == "atom";
  const Type t = last_type();
  bool bypasses = false;
  static const std::vector<std::string> kinds = {"add", "min",  "max", "and", "or",
                                                 "xor", "exch", "cas", "inc", "dec"};
  std::string kind_text;
  for (const std::string& s : instruction_->suffix)
    if (std::find(kinds.begin(), kinds.end(), s) != kinds.end()) kind_text = s;
  std::string type = as_written(t);
  if (t.kind == 'b' || kind_text == "and" || kind_text == "or" || kind_text == "xor" || kind_text == "exch" ||
      kind_text == "cas")
    type = number(t, 'u');
  if (kind_text == "add" && t.kind == 's') type = number(t, 'u');
  const std::uint8_t count = elements();
  if (t.bits == 128 && count == 1 && (kind_text == "exch" || kind_text == "cas"))
    return wide_atomic(kind_text == "cas");
  const std::string key = (count > 1 ? "atom.v." : "atom.") + kind_text + "." + type;
  const HandlerEntry* entry = find_handler(key);
  if (entry == nullptr || t.bits == 128) unsupported(key);
  if (count > 1) return vector_atomic(entry->handler, t, count);
  const std::size_t base = returns ? 1 : 0;
  const bool swaps = kind_text == "cas";
  if (instruction_->operands.size() < base + (swaps ? 3 : 2)) fail("too few operands");
  Flow f = simple(entry->handler);
  f.op.space = space_of(bypasses);
  f.op.width = static_cast<std::uint8_t>(t.bytes());
  address(f, operand(base));
  f.op.op_class = f.op.space == Space::shared ? OpClass::shared_store : OpClass::atomic;
  f.op.b = source(f, operand(base + 1), letter(t));
  if (swaps) f.op.c = source(f, operand(base + 2), letter(t));
  f.barrier = true;
  if (returns && operand(0).kind != Operand::Kind::sink) {
    f.op.d = destination(f, operand(0), letter(t));
    f.hoistable = true;
  }
  push(std::move(f));
  if (instruction_->has("async")) completes(2, t.bytes());
}

/// 128 bits: exchanges only. Rows: the value, the new value of a compare-and-swap, the old value.
void Decoder::wide_atomic(bool swaps) {
  if (instruction_->opcode != "atom") unsupported(instruction_->spelling());
  bool bypasses = false;
  Flow f = simple(find_handler(swaps ? "atom.cas.u128" : "atom.exch.u128")->handler);
  f.op.space = space_of(bypasses);
  f.op.width = 8;
  f.op.count = 2;
  f.op.op_class = f.op.space == Space::shared ? OpClass::shared_store : OpClass::atomic;
  f.barrier = true;
  address(f, operand(1));
  std::vector<Row> rows(6, no_row);
  for (std::size_t n = 0; n < (swaps ? 2 : 1); ++n) {
    const auto parts = halves(operand(2 + n));
    for (std::size_t half = 0; half < 2; ++half) rows[2 * n + half] = source(f, parts[half], 'l');
  }
  const auto old = halves(operand(0));
  for (std::size_t half = 0; half < 2; ++half)
    if (old[half].kind != Operand::Kind::sink) rows[4 + half] = destination(f, old[half], 'l');
  f.hoistable = !f.writes.empty();
  f.op.rows = list(std::move(rows));
  push(std::move(f));
}

/// createpolicy: an eviction priority of the L2. Loads and stores accept it and ignore it.
void Decoder::cache_policy() {
  if (!instruction_->has("fractional") && !instruction_->has("range") && !instruction_->has("cvt"))
    unsupported(instruction_->spelling());
  Operand nothing;
  nothing.kind = Operand::Kind::integer;
  by_key("mov.b64", {operand(0), nothing});
}

/// Several elements in one instruction (PTX ISA, "atom" and "red", .vec_16_bit and .vec_32_bit), in global
/// memory only. Rows: the values, then the old values.
void Decoder::vector_atomic(Handler handler, const Type& t, std::uint8_t count) {
  const bool returns = instruction_->opcode == "atom";
  if (count * t.bytes() > 16) fail("expected at most 16 B per lane");
  bool bypasses = false;
  Flow f = simple(handler);
  f.op.space = space_of(bypasses);
  if (f.op.space != Space::global && f.op.space != Space::generic) fail("vectors are for global memory only");
  f.op.width = static_cast<std::uint8_t>(t.bytes());
  f.op.count = count;
  f.op.op_class = OpClass::atomic;
  f.barrier = true;
  const std::size_t base = returns ? 1 : 0;
  address(f, operand(base));
  const auto& values = operand(base + 1).elements;
  if (values.size() != count) fail("expected " + std::to_string(count) + " values");
  std::vector<Row> rows;
  for (const Operand& o : values) rows.push_back(source(f, o, letter(t)));
  rows.resize(count * std::size_t{2}, no_row);
  if (returns && operand(0).kind != Operand::Kind::sink) {
    const auto& old = operand(0).elements;
    if (old.size() != count) fail("expected " + std::to_string(count) + " destinations");
    for (std::size_t n = 0; n < count; ++n)
      if (old[n].kind != Operand::Kind::sink) rows[count + n] = destination(f, old[n], letter(t));
    f.hoistable = !f.writes.empty();
  }
  f.op.rows = list(std::move(rows));
  push(std::move(f));
}

namespace {

constexpr std::uint8_t layered = 4, by_level = 16, by_gradient = 32, cube = 64, gather = 128;

/// 0 to 3 of r, g, b, a; else 4.
std::uint8_t channel_of(const std::string& name) {
  const std::size_t at = std::string("rgba").find(name);
  return name.size() == 1 && at != std::string::npos ? static_cast<std::uint8_t>(at) : 4;
}

/// `2d`, `a1d`, `cube`: axes, and 4 when it is layered, 64 for a cube; 0: none of these.
std::uint8_t geometry_of(const Instruction& i) {
  for (const std::string& s : i.suffix) {
    if (s == "1d" || s == "2d" || s == "3d") return static_cast<std::uint8_t>(s[0] - '0');
    if (s == "a1d" || s == "a2d") return static_cast<std::uint8_t>((s[1] - '0') | layered);
    if (s == "cube") return 2 | cube;
    if (s == "acube") return 2 | cube | layered;
  }
  return 0;
}

}  // namespace

/// The object and its coordinates: rows from 4 on.
void Decoder::texture_place(Flow& f, const Operand& o, bool whole, std::vector<Row>& rows) {
  if (!o.address || o.kind != Operand::Kind::reg || o.elements.empty())
    fail("expected an object in a register and coordinates, such as [%rd1, {%f1, %f2}]");
  f.op.a = source(f, o, 'l');
  const std::size_t wanted =
      (f.op.code & 3U) + ((f.op.code & layered) != 0 ? 1 : 0) + ((f.op.code & cube) != 0 ? 1 : 0);
  if (o.elements.size() < wanted) fail("expected " + std::to_string(wanted) + " coordinates");
  rows.resize(4, no_row);
  for (std::size_t n = 0; n < wanted; ++n) rows.push_back(source(f, o.elements[n], 'w'));
  if (whole) f.op.code |= 8;
  f.op.space = Space::global;
}

/// tex, and tld4, which returns one channel of the four texels of a linear fetch.
void Decoder::texture() {
  Type result, coordinate;
  const auto& suffix = instruction_->suffix;
  const std::uint8_t geometry = geometry_of(*instruction_);
  const bool gathers = instruction_->opcode == "tld4";
  if (geometry == 0 || suffix.size() < 2 || !parse_type(suffix[suffix.size() - 1], coordinate) ||
      !parse_type(suffix[suffix.size() - 2], result) || result.bits != 32 || result.pair ||
      coordinate.bits != 32 || ((geometry & cube) != 0 && coordinate.kind != 'f') ||
      !instruction_->has("v4") ||
      (gathers && (geometry != 2 || coordinate.kind != 'f' || channel_of(suffix[0]) > 3)))
    unsupported(instruction_->spelling());
  Flow f = simple(find_handler("tex")->handler);
  f.op.code = static_cast<std::uint8_t>(geometry | (gathers ? gather : 0));
  if (gathers) f.op.count = channel_of(suffix[0]);
  std::vector<Row> rows;
  const Operand& d = operand(0);
  if (d.elements.size() != 4) fail("expected 4 destinations");
  for (const Operand& e : d.elements)
    rows.push_back(e.kind == Operand::Kind::sink ? no_row : destination(f, e, 'w'));
  texture_place(f, operand(1), coordinate.kind != 'f', rows);
  if (instruction_->has("level")) {
    f.op.code |= by_level;
    rows.push_back(source(f, operand(2), 'w'));
  } else if (instruction_->has("grad")) {
    if ((geometry & cube) != 0) unsupported(instruction_->spelling());
    f.op.code |= by_gradient;
    for (const std::size_t direction : {2, 3}) {
      const Operand& derivative = operand(direction);
      if (derivative.elements.size() < (geometry & 3U))
        fail("expected " + std::to_string(geometry & 3U) + " derivatives in a vector");
      for (std::size_t n = 0; n < (geometry & 3U); ++n)
        rows.push_back(source(f, derivative.elements[n], 'w'));
    }
  }
  f.op.rows = list(rows);
  f.op.op_class = OpClass::load;
  f.op.flags |= non_coherent;
  f.memory = Flow::Memory::load;
  f.hoistable = true;
  push(std::move(f));
}

/// txq and suq: properties of an object.
void Decoder::texture_query() {
  static const std::vector<std::string> known = {
      "width", "height", "depth", "array_size", "filter_mode", "normalized_coords", "num_mipmap_levels"};
  const auto& suffix = instruction_->suffix;
  const auto found = suffix.empty() ? known.end() : std::find(known.begin(), known.end(), suffix[0]);
  if (found == known.end() || suffix.size() != 2 || suffix[1] != "b32") unsupported(instruction_->spelling());
  const Operand& object = operand(1);
  if (!object.address || object.kind != Operand::Kind::reg || !object.elements.empty())
    fail("expected an object in a register, such as [%rd1]");
  Flow f = simple(find_handler("txq")->handler);
  f.op.count = static_cast<std::uint8_t>(found - known.begin());
  f.op.d = destination(f, operand(0), 'w');
  f.op.a = source(f, object, 'l');
  push(std::move(f));
}

void Decoder::surface(bool store) {
  const Type t = last_type();
  const std::uint8_t geometry = geometry_of(*instruction_);
  if (geometry == 0 || (geometry & cube) != 0 || !instruction_->has("b") || t.kind != 'b' || elements() > 4 ||
      t.bits > 64)
    unsupported(instruction_->spelling());
  Flow f = simple(find_handler(store ? "sust" : "suld")->handler);
  f.op.code = static_cast<std::uint8_t>(geometry | (instruction_->has("clamp") ? 16 : 0) |
                                        (instruction_->has("zero") ? 32 : 0));
  f.op.count = elements();
  f.op.width = static_cast<std::uint8_t>(t.bytes());
  const Operand &place = operand(store ? 0 : 1), &values = operand(store ? 1 : 0);
  const auto& all = values.kind == Operand::Kind::vector ? values.elements : std::vector<Operand>{values};
  if (all.size() != f.op.count || f.op.count * f.op.width > 16)
    fail("expected " + std::to_string(f.op.count) + " values of at most 16 B");
  std::vector<Row> rows;
  for (const Operand& e : all) rows.push_back(store ? source(f, e, letter(t)) : destination(f, e, letter(t)));
  texture_place(f, place, true, rows);
  f.op.code = static_cast<std::uint8_t>(f.op.code & ~8U);
  f.op.rows = list(rows);
  f.op.op_class = store ? OpClass::store : OpClass::load;
  f.memory = store ? Flow::Memory::store : Flow::Memory::load;
  f.barrier = true;
  push(std::move(f));
}

}  // namespace strata::traces::ptx
