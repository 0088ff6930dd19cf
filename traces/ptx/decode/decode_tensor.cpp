// Matrix instructions of a warp (mma, wmma, ldmatrix, stmatrix) and of a group of four warps (wgmma).
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "models/common/named.h"
#include "traces/ptx/decode/decoder.h"
#include "traces/ptx/lanes/handlers.h"
#include "traces/ptx/lanes/tensor_code.h"
#include "traces/ptx/text/module.h"

namespace strata::traces::ptx {
namespace {

struct TensorShape {
  unsigned m = 0, n = 0, k = 0;
};
constexpr std::uint8_t pair_of(Element low, Element high) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(low) | static_cast<unsigned>(high) << 4);
}
constexpr bool is_real(Element e) {
  return e <= Element::e2m1;
}
/// Types that only products with .kind accept.
constexpr bool needs_kind(Element e) {
  return e >= Element::e3m2 && e <= Element::e2m1;
}
constexpr bool is_whole(Element e) {
  return e >= Element::int8;
}

constexpr Named<Element> element_names[] = {
    {Element::f16, "f16"},   {Element::bf16, "bf16"}, {Element::tf32, "tf32"}, {Element::e4m3, "e4m3"},
    {Element::e5m2, "e5m2"}, {Element::e3m2, "e3m2"}, {Element::e2m3, "e2m3"}, {Element::e2m1, "e2m1"},
    {Element::f64, "f64"},   {Element::f32, "f32"},   {Element::int32, "s32"}, {Element::int8, "s8"},
    {Element::uint8, "u8"},  {Element::int4, "s4"},   {Element::uint4, "u4"},  {Element::bit, "b1"}};
static_assert(names_all(element_names, Element::bit));

/// Shapes that exist, by the element type of a (PTX ISA 9.0, tables of wmma and mma).
bool is_shape(const TensorCode& c, bool wmma, bool any_type = false) {
  struct Row {
    unsigned bits, m, n, k;
    bool wmma;
  };
  static constexpr Row rows[] = {
      {16, 8, 8, 4, false},   {16, 16, 8, 8, false},  {16, 16, 8, 16, false}, {32, 16, 8, 4, false},
      {32, 16, 8, 8, false},  {64, 8, 8, 4, false},   {64, 16, 8, 4, false},  {64, 16, 8, 8, false},
      {64, 16, 8, 16, false}, {8, 8, 8, 16, false},   {8, 16, 8, 16, false},  {8, 16, 8, 32, false},
      {4, 8, 8, 32, false},   {4, 16, 8, 32, false},  {4, 16, 8, 64, false},  {1, 8, 8, 128, false},
      {1, 16, 8, 128, false}, {1, 16, 8, 256, false}, {16, 16, 16, 16, true}, {16, 32, 8, 16, true},
      {16, 8, 32, 16, true},  {8, 16, 16, 16, true},  {8, 32, 8, 16, true},   {8, 8, 32, 16, true},
      {32, 16, 16, 8, true},  {64, 8, 8, 4, true},    {4, 8, 8, 32, true},    {1, 8, 8, 128, true}};
  return std::any_of(std::begin(rows), std::end(rows), [&](const Row& r) {
    return (any_type || r.bits == element_bits(c.a())) && r.m == c.m && r.n == c.n && r.k == c.k &&
           r.wmma == wmma;
  });
}

/// Number of selectors of a shape of mma.sp, by the element type of a (PTX ISA 9.0, "Sparse matrix storage");
/// 0: no such shape.
unsigned selectors_of(const TensorCode& c) {
  struct Row {
    unsigned bits, k, selectors;
  };
  static constexpr Row rows[] = {{16, 16, 4}, {16, 32, 2}, {32, 8, 4}, {32, 16, 2},
                                 {8, 32, 2},  {8, 64, 1},  {4, 64, 2}, {4, 128, 1}};
  if (c.m != 16 || c.n != 8 || (is_real(c.a()) && element_bits(c.a()) == 8 && c.k != 64)) return 0;
  for (const Row& r : rows)
    if (r.bits == element_bits(c.a()) && r.k == c.k) return r.selectors;
  return 0;
}

/// `m16n8k16`.
bool read_shape(const std::string& text, TensorShape& shape) {
  const char* at = text.c_str();
  for (unsigned* const number : {&shape.m, &shape.n, &shape.k}) {
    if (*at++ != (number == &shape.m ? 'm' : number == &shape.n ? 'n' : 'k')) return false;
    char* end = nullptr;
    *number = static_cast<unsigned>(std::strtoul(at, &end, 10));
    if (end == at || *number > 256) return false;
    at = end;
  }
  return *at == 0;
}

/// Shape, layouts and types of an instruction; types in the order in which they are written.
std::vector<Element> tensor_parts(const Instruction& i, TensorCode& code, std::vector<bool>& columns) {
  std::vector<Element> types;
  TensorShape shape;
  for (const std::string& s : i.suffix) {
    if (s == "row" || s == "col") columns.push_back(s == "col");
    if (s == "satfinite") code.flags |= TensorCode::saturates;
    if (s == "and") code.flags |= TensorCode::is_and;
    if (const auto* found = find_named(element_names, s)) types.push_back(found->value);
    if (!read_shape(s, shape)) continue;
    code.m = static_cast<std::uint8_t>(shape.m);
    code.n = static_cast<std::uint8_t>(shape.n);
    code.k = static_cast<std::uint16_t>(shape.k);
  }
  return types;
}

}  // namespace

std::vector<Row> Decoder::tensor_rows(Flow& f, const Operand& o, char kind, bool written) {
  std::vector<Row> rows;
  const auto& all = o.kind == Operand::Kind::vector ? o.elements : std::vector<Operand>{o};
  for (const Operand& e : all) rows.push_back(written ? destination(f, e, kind) : source(f, e, kind));
  return rows;
}

/// The `.kind` of a product, checked against its shape and types (PTX ISA 9.1, "mma").
Decoder::Kind Decoder::product_kind(const std::vector<Element>& types, const TensorCode& code,
                                    bool sparse) const {
  const Instruction& i = *instruction_;
  Kind kind = Kind::plain;
  for (const std::string& s : i.suffix) {
    if (s == "kind::f8f6f4")
      kind = Kind::small;
    else if (s == "kind::mxf8f6f4")
      kind = Kind::scaled;
    else if (s.compare(0, 6, "kind::") == 0 || (s.compare(0, 11, "scale_vec::") == 0 && s != "scale_vec::1X"))
      unsupported(i.spelling());
  }
  const bool scaled = kind == Kind::scaled;
  bool fits =
      i.has("block_scale") == scaled && i.has("ue8m0") == scaled && (scaled || !i.has("scale_vec::1X"));
  if (kind == Kind::plain) {
    fits = fits && !needs_kind(types[1]) && !needs_kind(types[2]);
  } else {
    fits = fits && is_real(types[1]) && is_real(types[2]) && element_bits(types[1]) == 8 &&
           element_bits(types[2]) == 8 && types[0] == types[3] && (!scaled || types[0] == Element::f32) &&
           code.m == 16 && code.n == 8 && code.k == (sparse ? 64 : 32) &&
           (!sparse || i.has("sp::ordered_metadata"));
  }
  if (!fits) unsupported(i.spelling());
  return kind;
}

/// Operands of `.block_scale`: scales of a, their byte and thread, then those of b.
void Decoder::scales(Flow& f, std::size_t first, std::vector<Row>& rows) {
  for (const std::size_t n : {first, first + 2}) {
    const std::vector<Row> data = tensor_rows(f, operand(n), 'w', false);
    const std::vector<Row> selectors = tensor_rows(f, operand(n + 1), 'h', false);
    if (data.size() != 1 || selectors.size() != 2)
      fail("expected a register of scales, and {byte, thread} behind it");
    (n == first ? f.op.a : f.op.b) = data[0];
    rows.insert(rows.end(), selectors.begin(), selectors.end());
  }
}

/// mma and wmma.mma: d, a, b, c, and the scales of a and b.
void Decoder::multiply_matrices(bool wmma) {
  TensorCode code;
  std::vector<bool> columns;
  std::vector<Element> types = tensor_parts(*instruction_, code, columns);
  if (wmma && types.size() == 2) types = {types[0], Element::f16, Element::f16, types[1]};
  if (types.size() != 4 || columns.size() != 2) unsupported(instruction_->spelling());
  const Kind kind_given = product_kind(types, code, false);
  code.types = pair_of(types[1], types[2]);
  code.sums = pair_of(types[3], types[0]);
  if (columns[0]) code.flags |= TensorCode::columns_a;
  if (columns[1]) code.flags |= TensorCode::columns_b;
  const Element a = types[1];
  const bool quads = a == Element::f16 && code.k == 4;
  const bool sums_fit = is_real(a) ? (types[0] == Element::f32 || types[0] == Element::f16) &&
                                         (types[3] == Element::f32 || types[3] == Element::f16)
                        : is_whole(a) ? types[0] == Element::int32 && types[3] == Element::int32
                                      : a == Element::f64 && types[0] == a && types[3] == a;
  if (!is_shape(code, wmma) || !sums_fit || element_bits(a) != element_bits(types[2]) ||
      is_real(a) != is_real(types[2]))
    unsupported(instruction_->spelling());
  const std::size_t operands = kind_given == Kind::scaled ? 8 : 4;
  if (instruction_->operands.size() != operands) fail("expected " + std::to_string(operands) + " operands");
  const char* key = quads ? "mma.quads" : is_real(a) ? "mma.real" : is_whole(a) ? "mma.whole" : "mma.f64";
  const char kind = a == Element::f64 ? 'l' : 'w';
  Flow f = simple(find_handler(key)->handler);
  const std::vector<Row> ra = tensor_rows(f, operand(1), kind, false),
                         rb = tensor_rows(f, operand(2), kind, false),
                         rc = tensor_rows(f, operand(3), kind, false),
                         rd = tensor_rows(f, operand(0), kind, true);
  const std::size_t words = code.m * code.n / 32U, outer_a = code.m * code.k * element_bits(a) / 32,
                    outer_b = code.n * code.k * element_bits(a) / 32, lane = kind == 'l' ? 64 : 32;
  const auto sums = [&](Element e) {
    return quads ? (e == Element::f16 ? 4U : 8U) : e == Element::f16 ? words / 2 : words;
  };
  const std::size_t repeated = wmma && a == Element::f16 ? 8 : 0;
  const auto wanted = [&](std::size_t bits) {
    return repeated != 0 ? repeated : quads ? 2 : std::max<std::size_t>(1, bits / lane);
  };
  if (ra.size() != wanted(outer_a) || rb.size() != wanted(outer_b) || rc.size() != sums(types[3]) ||
      rd.size() != sums(types[0]))
    fail("the operands have another number of registers than the shape asks for");
  std::vector<Row> all = rd;
  for (const auto* more : {&ra, &rb, &rc}) all.insert(all.end(), more->begin(), more->end());
  if (kind_given == Kind::scaled) scales(f, 4, all);
  f.op.rows = list(all);
  f.op.code = static_cast<std::uint8_t>(rd.size());
  f.op.count = static_cast<std::uint8_t>(ra.size() | rb.size() << 4);
  f.op.offset = code.pack();
  // One machine instruction multiplies 16 by 8 by 16 elements of 16 bits.
  f.op.weight =
      static_cast<std::uint8_t>(std::max<unsigned>(1, code.m * code.n * code.k * element_bits(a) / 32768U));
  push(std::move(f));
}

/// mma.sp: d, a, b, c, metadata, the lanes that hold it, and the scales of a and b.
void Decoder::multiply_sparse() {
  TensorCode code;
  std::vector<bool> columns;
  const std::vector<Element> types = tensor_parts(*instruction_, code, columns);
  if (types.size() != 4 || columns != std::vector<bool>{false, true}) unsupported(instruction_->spelling());
  code.types = pair_of(types[1], types[2]);
  code.sums = pair_of(types[3], types[0]);
  const Kind kind = product_kind(types, code, true);
  if (instruction_->has("sp::ordered_metadata")) code.flags |= TensorCode::ordered;
  const Element a = types[1], d = types[0];
  const unsigned bits = element_bits(a), selectors = selectors_of(code);
  const bool whole = is_whole(a) && a != Element::bit;
  const bool sums_fit = whole ? d == Element::int32
                              : d == Element::f32 || (d == Element::f16 && (a == d || kind != Kind::plain));
  const bool same_kind = bits == 8 || bits == 4
                             ? bits == element_bits(types[2]) && is_real(a) == is_real(types[2])
                             : a == types[2];
  if (selectors == 0 || !sums_fit || types[3] != d || !same_kind || !(is_real(a) || whole))
    unsupported(instruction_->spelling());
  const std::size_t operands = kind == Kind::scaled ? 10 : 6;
  if (instruction_->operands.size() != operands) fail("expected " + std::to_string(operands) + " operands");
  const Operand& selector = operand(5);
  if (selector.kind != Operand::Kind::integer || selector.bits >= selectors)
    fail("expected a sparsity selector of 0" +
         (selectors == 1 ? std::string() : " to " + std::to_string(selectors - 1)));
  code.matrix = static_cast<std::uint8_t>(selector.bits);
  Flow f = simple(find_handler(whole ? "mma.sp.whole" : "mma.sp.real")->handler);
  const std::vector<Row> ra = tensor_rows(f, operand(1), 'w', false),
                         rb = tensor_rows(f, operand(2), 'w', false),
                         rc = tensor_rows(f, operand(3), 'w', false),
                         rd = tensor_rows(f, operand(0), 'w', true);
  const std::size_t sums = d == Element::f16 ? 2 : 4;
  if (ra.size() != code.m * code.k / 2 * bits / 1024 || rb.size() != code.n * code.k * bits / 1024 ||
      rc.size() != sums || rd.size() != sums)
    fail("the operands have another number of registers than the shape asks for");
  std::vector<Row> all = rd;
  for (const auto* more : {&ra, &rb, &rc}) all.insert(all.end(), more->begin(), more->end());
  all.push_back(source(f, operand(4), 'w'));
  if (kind == Kind::scaled) scales(f, 6, all);
  f.op.rows = list(all);
  f.op.code = static_cast<std::uint8_t>(rd.size());
  f.op.count = static_cast<std::uint8_t>(ra.size() | rb.size() << 4);
  f.op.offset = code.pack();
  // One machine instruction multiplies twice as many elements as for a dense matrix.
  f.op.weight = static_cast<std::uint8_t>(std::max<unsigned>(1, code.m * code.n * code.k * bits / 65536U));
  push(std::move(f));
}

/// An address whose offset is added to the register, so that Op::offset is free.
void Decoder::bare_address(Flow& f, const Operand& o) {
  Operand base = o;
  if (o.kind == Operand::Kind::reg && o.bits != 0) {
    const char kind = kind_of(o);
    Flow sum = simple(find_handler(kind == 'w' ? "add.u32" : "add.u64")->handler);
    sum.op.a = source(sum, o, kind);
    sum.op.b = rows_.constant(kind, o.bits);
    const std::uint32_t r = rows_.new_register(kind);
    sum.op.d = rows_.row(r);
    sum.op.weight = 0;
    sum.writes.push_back(r);
    push(std::move(sum));
    base.index = r - frame_->registers;
    base.bits = 0;
  }
  address(f, base);
}

/// wmma.load, wmma.store, ldmatrix and stmatrix.
void Decoder::matrix_memory(bool store, const char* key) {
  const bool fragment = instruction_->opcode == "wmma";
  Flow f = simple(find_handler(key)->handler);
  bool bypasses = false;
  f.op.space = space_of(bypasses);
  TensorCode code;
  std::vector<bool> columns;
  const std::vector<Element> types = tensor_parts(*instruction_, code, columns);
  char kind = 'w';
  const Operand &memory = operand(store ? 0 : 1), &registers = operand(store ? 1 : 0);
  if (fragment) {
    const std::string which = instruction_->suffix.size() < 2 ? "" : instruction_->suffix[1];
    const bool sums = which == "c" || which == "d";
    if (types.size() != 1 || columns.size() != 1 || (!sums && which != "a" && which != "b"))
      unsupported(instruction_->spelling());
    code.types = code.sums = pair_of(types[0], types[0]);
    if (!is_shape(code, true, sums)) unsupported(instruction_->spelling());
    code.matrix = static_cast<std::uint8_t>(sums ? 'c' : which[0]);
    if (columns[0]) code.flags |= TensorCode::columns_a;
    kind = types[0] == Element::f64 ? 'l' : 'w';
    bare_address(f, memory);
    if (instruction_->operands.size() > 2) f.op.b = source(f, operand(2), 'w');
    f.op.offset = code.pack();
    f.op.width = kind == 'l' ? 8 : 4;
  } else {
    if (!instruction_->has("m8n8") || !instruction_->has("b16")) unsupported(instruction_->spelling());
    address(f, memory);
    f.op.code = instruction_->has("trans") ? 1 : 0;
    f.op.width = 16;
  }
  const std::vector<Row> rows = tensor_rows(f, registers, kind, !store);
  const bool several = instruction_->has("x2") || instruction_->has("x4");
  const std::size_t wanted = !fragment ? (instruction_->has("x4") ? 4
                                          : several               ? 2
                                                                  : 1)
                                       : tensor_registers(code, types[0]);
  if (rows.size() != wanted) fail("expected " + std::to_string(wanted) + " registers");
  f.op.rows = list(rows);
  f.op.count = static_cast<std::uint8_t>(rows.size());
  f.op.op_class = store ? OpClass::store : OpClass::load;
  if (f.op.space == Space::shared) f.op.op_class = store ? OpClass::shared_store : OpClass::shared_load;
  f.memory = store ? Flow::Memory::store : Flow::Memory::load;
  f.hoistable = !store;
  push(std::move(f));
}

std::size_t Decoder::tensor_registers(const TensorCode& code, Element e) const {
  if (code.matrix == 'c') {
    const std::size_t sums = code.m * code.n / 32U;
    return e == Element::f16 ? sums / 2 : sums;
  }
  if (e == Element::f16) return 8;
  const std::size_t outer = code.matrix == 'a' ? code.m : code.n;
  return std::max<std::size_t>(1, outer * code.k * element_bits(e) / (e == Element::f64 ? 64 : 32) / 32);
}

void Decoder::tensor() {
  const std::string& op = instruction_->opcode;
  if (op == "ldmatrix" || op == "stmatrix") return matrix_memory(op == "stmatrix", op.c_str());
  if (op == "wmma" && instruction_->has("load")) return matrix_memory(false, "wmma.load");
  if (op == "wmma" && instruction_->has("store")) return matrix_memory(true, "wmma.store");
  if (op == "movmatrix") return by_key("movmatrix.b16", instruction_->operands);
  if (instruction_->has("sp") || instruction_->has("sp::ordered_metadata")) return multiply_sparse();
  multiply_matrices(op == "wmma");
}

namespace {

/// Shapes and types that exist (PTX ISA 9.1, "Asynchronous Warpgroup Level Matrix Instructions", table of
/// shapes; the table has m64n240k32 and m64n256k32 of integers, the syntax has not).
bool is_group_product(const std::vector<Element>& types, const TensorShape& shape, bool sparse, bool counts) {
  if (types.size() != 3 || needs_kind(types[1]) || needs_kind(types[2])) return false;
  const Element d = types[0], a = types[1], b = types[2];
  const unsigned bits = element_bits(a);
  const bool bytes = bits == 8;
  const bool same = bytes ? bits == element_bits(b) && is_real(a) == is_real(b) : a == b;
  const bool sums = is_real(a) ? d == Element::f32 || (d == Element::f16 && (bytes || a == d))
                               : (bytes || (a == Element::bit && !sparse && counts)) && d == Element::int32;
  const bool columns = shape.n % 8 == 0 && shape.n >= 8 && (is_real(a) || shape.n <= 32 || shape.n % 16 == 0);
  return same && sums && columns && shape.m == 64 && shape.k == (sparse ? 512 : 256) / bits;
}

}  // namespace

/// An operand that must be one of two numbers.
bool Decoder::choice(std::size_t n, const char* name, std::int64_t no, std::int64_t yes) const {
  const Operand& o = operand(n);
  const auto value = static_cast<std::int64_t>(o.bits);
  if (o.kind != Operand::Kind::integer || (value != no && value != yes))
    fail(std::string("expected ") + std::to_string(no) + " or " + std::to_string(yes) + " as " + name);
  return value == yes;
}

/// wgmma.mma_async: d, a or its descriptor, the descriptor of b, metadata and selector of a sparse a, whether
/// d is added, signs, transposition. Reads and multiplication both happen when it is issued.
void Decoder::multiply_group() {
  TensorCode code;
  std::vector<bool> columns;
  const std::vector<Element> types = tensor_parts(*instruction_, code, columns);
  TensorShape shape;
  for (const std::string& s : instruction_->suffix) read_shape(s, shape);
  const bool sparse = instruction_->has("sp"), counts = instruction_->has("and") && instruction_->has("popc");
  if (!columns.empty() || !is_group_product(types, shape, sparse, counts))
    unsupported(instruction_->spelling());
  const Element a = types[1], d = types[0];
  const unsigned bits = element_bits(a);
  const bool in_registers = operand(1).kind == Operand::Kind::vector, real = is_real(a);
  std::size_t next = 3;
  if (sparse) {
    const Operand& selector = operand(4);
    const std::uint64_t selectors = bits == 8 ? 1 : 2;
    if (selector.kind != Operand::Kind::integer || selector.bits >= selectors)
      fail(std::string("expected a sparsity selector of 0") + (selectors == 1 ? "" : " or 1"));
    code.matrix = static_cast<std::uint8_t>(selector.bits);
    code.flags |= TensorCode::sparse;
    next = 5;
  }
  const Operand& adds = operand(next++);
  if (adds.negated) fail("expected scale-d as it is, not negated");
  if (real) {
    if (choice(next++, "imm-scale-a", 1, -1)) code.flags |= TensorCode::negative_a;
    if (choice(next++, "imm-scale-b", 1, -1)) code.flags |= TensorCode::negative_b;
    if (bits == 16) {
      if (!in_registers && choice(next++, "imm-trans-a", 0, 1)) code.flags |= TensorCode::columns_a;
      if (choice(next++, "imm-trans-b", 0, 1)) code.flags |= TensorCode::columns_b;
    }
  }
  if (instruction_->operands.size() != next) fail("expected " + std::to_string(next) + " operands");
  code.types = pair_of(a, types[2]);
  code.sums = pair_of(d, d);
  code.m = 16;  // of one warp and eight columns
  code.n = 8;
  code.k = static_cast<std::uint16_t>(shape.k);

  Flow read = simple(find_handler("wgmma.read")->handler);
  if (!in_registers) read.op.a = source(read, operand(1), 'l');
  read.op.b = source(read, operand(2), 'l');
  read.op.offset = code.pack();
  read.op.code = static_cast<std::uint8_t>(shape.n / 8);
  read.op.space = Space::shared;
  read.op.op_class = OpClass::shared_load;
  read.op.width = 16;
  read.memory = Flow::Memory::load;
  read.barrier = true;
  push(std::move(read));

  Flow f = simple(find_handler(a == Element::bit ? "wgmma.bits"
                               : real            ? "wgmma.real"
                                                 : "wgmma.whole")
                      ->handler);
  f.op.c = source(f, adds, 'p');
  const bool fresh = adds.kind == Operand::Kind::integer && adds.bits == 0;
  if (!fresh) tensor_rows(f, operand(0), 'w', false);
  const std::vector<Row> rd = tensor_rows(f, operand(0), 'w', true);
  std::vector<Row> all = rd;
  if (in_registers)
    for (const Row row : tensor_rows(f, operand(1), 'w', false)) all.push_back(row);
  const std::size_t a_registers = all.size() - rd.size();
  if (rd.size() != shape.n / (d == Element::f16 ? 4 : 2) || a_registers != (in_registers ? 4 : 0))
    fail("the operands have another number of registers than the shape asks for");
  if (sparse) all.push_back(source(f, operand(3), 'w'));
  f.op.rows = list(all);
  f.op.code = static_cast<std::uint8_t>(rd.size());
  f.op.count = static_cast<std::uint8_t>(a_registers);
  f.op.offset = code.pack();
  f.op.weight = static_cast<std::uint8_t>(
      std::max<unsigned>(1, 16 * shape.n * shape.k * bits / (sparse ? 65536U : 32768U)));
  f.barrier = true;
  push(std::move(f));
}

void Decoder::group_tensor() {
  if (instruction_->has("mma_async")) return multiply_group();
  if (instruction_->has("wait_group"))
    groups_left();
  else if (!instruction_->has("fence") && !instruction_->has("commit_group"))
    unsupported(instruction_->spelling());
  other(true);  // separate from groups of copies
}

}  // namespace strata::traces::ptx
