// Products of a group of four warps: wgmma.
#include <algorithm>

#include "traces/ptx/decode/decoder.h"
#include "traces/ptx/decode/tensor_parts.h"
#include "traces/ptx/lanes/handlers.h"

namespace strata::traces::ptx {
namespace {

/// Shapes and types that exist (PTX ISA 9.1, "Asynchronous Warpgroup Level Matrix Instructions", table of
/// shapes; m64n240k32 and m64n256k32 of integers stand there, not in the syntax).
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

/// An operand that is one of two numbers.
bool Decoder::choice(std::size_t n, const char* name, std::int64_t no, std::int64_t yes) const {
  const Operand& o = operand(n);
  const auto value = static_cast<std::int64_t>(o.bits);
  if (o.kind != Operand::Kind::integer || (value != no && value != yes))
    fail(std::string("expected ") + std::to_string(no) + " or " + std::to_string(yes) + " as " + name);
  return value == yes;
}

/// wgmma.mma_async: d, a or its descriptor, that of b, metadata and selector of a sparse a, whether d is
/// added to, signs, what is transposed. Memory is read, then multiplied: both at once, when it is issued.
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
  code.m = 16;  // of a warp, and of eight columns
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
  other(true);  // groups of products are no groups of copies
}

}  // namespace strata::traces::ptx
