#include <cstring>

#include "traces/ptx/text/parser.h"

namespace strata::traces::ptx {

namespace {

constexpr std::uint64_t largest_variable = std::uint64_t{1} << 32;

}  // namespace

Type Parser::type() {
  Type result;
  const Token& token = peek();
  if (token.kind != TokenKind::dotted || !parse_type(std::string(token.text), result))
    fail(token, "expected a type, found " + found(token));
  take();
  return result;
}

std::vector<Variable> Parser::declare(Space space, bool external, bool parameter) {
  Variable base;
  base.space = space;
  std::uint64_t align = 0;
  std::uint32_t lanes = 1;
  for (;;) {
    if (accept_dotted("align"))
      align = alignment();
    else if (accept_dotted("attribute"))
      base.managed = attribute();
    else if (accept_dotted("v2"))
      lanes = 2;
    else if (accept_dotted("v4"))
      lanes = 4;
    else
      break;
  }
  base.type = type();
  if (accept_dotted("ptr")) {
    base.pointer = true;
    while (peek().kind == TokenKind::dotted)
      if (take().text == "align") alignment();
  }
  base.align = static_cast<std::uint32_t>(align != 0 ? align : std::uint64_t{base.type.bytes()} * lanes);
  std::vector<Variable> all;
  do {
    Variable v = base;
    v.line = peek().line;
    v.name = expect_word("a name");
    extent(v, lanes, external, parameter);
    all.push_back(std::move(v));
  } while (!parameter && accept(','));
  if (!parameter) expect(';');
  return all;
}

/// Whether it says `.managed`.
bool Parser::attribute() {
  bool managed = false;
  for (std::size_t ahead = 0; !peek(ahead).is(')') && peek(ahead).kind != TokenKind::end; ++ahead)
    managed = managed || peek(ahead).is_dotted("managed");
  skip_parentheses();
  return managed;
}

std::uint64_t Parser::alignment() {
  const Token& token = peek();
  const std::uint64_t align = expect_integer("an alignment");
  if (align == 0 || align > 4096 || (align & (align - 1)) != 0)
    fail(token, "expected an alignment that is a power of two up to 4096, found " + found(token));
  return align;
}

void Parser::extent(Variable& v, std::uint32_t lanes, bool external, bool parameter) {
  std::uint64_t count = lanes;
  bool open = false;
  while (accept('[')) {
    if (peek().is(']')) {
      open = true;
    } else {
      const Token& token = peek();
      const std::uint64_t n = expect_integer("an array size");
      if (n == 0)
        open = true;
      else if (n > largest_variable / count)
        fail(token, "expected a variable of at most 4 GiB");
      else
        count *= n;
    }
    expect(']');
  }
  v.bytes = count * v.type.bytes();
  if (v.bytes > largest_variable) fail(peek(), "expected a variable of at most 4 GiB");
  if (!parameter && accept('=')) {
    initial_value(v, 0);
    if (open) v.bytes = std::max<std::uint64_t>(v.init.size(), 1);
    if (v.init.size() > v.bytes) fail(peek(), "more initial values than '" + v.name + "' holds");
  } else if (open) {
    if (!external && !parameter) fail(peek(), "'" + v.name + "' needs a size");
    v.bytes = 0;
  }
}

void Parser::initial_value(Variable& v, std::size_t depth) {
  if (depth > 8) fail(peek(), "initial values nested too deep");
  if (accept('{')) {
    while (!accept('}')) {
      initial_value(v, depth + 1);
      if (!accept(',') && !peek().is('}')) fail(peek(), "expected ',' or '}' in initial values");
    }
    return;
  }
  std::uint64_t value = 0;
  if (peek().kind == TokenKind::word) {
    std::string name(take().text);
    if (name == "generic" && accept('(')) {
      name = expect_word("the name of a variable");
      expect(')');
    }
    Variable::Pointer pointer{v.init.size(), name, 0};
    if (accept('+')) pointer.addend = static_cast<std::int64_t>(expect_integer("an offset"));
    v.pointers.push_back(pointer);
  } else {
    const Operand constant = literal();
    value = constant.bits;
    if (constant.kind == Operand::Kind::real)
      value = real_bits(constant, v.type.bits);
    else if (v.type.kind == 'f')
      value = constant.bits;
  }
  for (std::uint32_t i = 0; i < v.type.bytes(); ++i)
    v.init.push_back(static_cast<std::uint8_t>(i < 8 ? value >> (8 * i) : 0));
  if (v.init.size() > largest_variable) fail(peek(), "too many initial values");
}

std::uint64_t Parser::real_bits(const Operand& constant, unsigned bits) {
  if (constant.single || bits == 64) return constant.bits;
  double wide;
  std::memcpy(&wide, &constant.bits, sizeof(wide));
  const auto narrow = static_cast<float>(wide);
  std::uint32_t result;
  std::memcpy(&result, &narrow, sizeof(result));
  return result;
}

Operand Parser::literal() {
  Operand operand;
  const bool negative = accept('-');
  if (!negative) accept('+');
  const Token& token = peek();
  if (token.kind == TokenKind::integer) {
    operand.kind = Operand::Kind::integer;
    operand.bits = negative ? 0 - token.bits : token.bits;
  } else if (token.kind == TokenKind::real) {
    operand.kind = Operand::Kind::real;
    operand.single = token.single;
    operand.bits = token.bits;
    if (negative) operand.bits ^= std::uint64_t{1} << (token.single ? 31 : 63);
  } else {
    fail(token, "expected a number, found " + found(token));
  }
  take();
  return operand;
}

}  // namespace strata::traces::ptx
