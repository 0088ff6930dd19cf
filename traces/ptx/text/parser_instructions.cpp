#include "traces/ptx/text/early_versions.h"
#include "traces/ptx/text/parser.h"

namespace strata::traces::ptx {

void Parser::instruction() {
  Instruction i;
  i.line = peek().line;
  i.source_file = source_file_;
  i.source_line = source_line_;
  if (accept('@')) {
    i.guard_negated = accept('!');
    i.guard = static_cast<std::int32_t>(expect_register("a predicate"));
  }
  i.opcode = expect_word("an instruction");
  const Token& first = peek();
  while (peek().kind == TokenKind::dotted) {
    const std::string_view part = take().text;
    i.suffix.emplace_back(part);
    const auto end = static_cast<std::size_t>(part.data() + part.size() - text_);
    if (i.opcode == "ld" && part == "global" && end <= UINT32_MAX)
      i.behind_global = static_cast<std::uint32_t>(end);
  }
  const std::size_t index = function_->code.size();
  function_->code.push_back(std::move(i));
  if (function_->code[index].opcode == "call")
    call(index);
  else
    while (!peek().is(';')) {
      Operand next = operand(index, function_->code[index].operands.size());
      function_->code[index].operands.push_back(std::move(next));
      if (!accept(',')) break;
    }
  expect(';');
  if (module_->version < 20) modernize(function_->code[index], flushes_);
  if (narrows_ && function_->code[index].has("f64"))
    fail(first, "map_f64_to_f32: doubles that are computed as float are not supported");
}

void Parser::call(std::size_t index) {
  const auto list = [&](std::vector<Operand>& into) {
    expect('(');
    if (accept(')')) return;
    do into.push_back(operand(index, 0));
    while (accept(','));
    expect(')');
  };
  Instruction& i = function_->code[index];
  if (peek().is('(')) {
    list(i.results);
    expect(',');
  }
  Operand callee;
  callee.kind = Operand::Kind::function;
  callee.name = expect_word("the name of a function");
  if (find_register(callee.name, callee.index)) callee.kind = Operand::Kind::reg;
  i.operands.push_back(callee);
  if (accept(',')) {
    if (peek().is('(')) list(i.arguments);
    if (accept(',')) expect_word("a prototype");
  }
}

Operand Parser::operand(std::size_t instruction_index, std::size_t operand_index) {
  const Token& token = peek();
  if (accept('{')) {
    Operand vector;
    vector.kind = Operand::Kind::vector;
    // The accumulators of wgmma are the longest: 64 by 256 elements of 32 bits in 128 lanes.
    const std::size_t most = function_->code[instruction_index].opcode == "wgmma" ? 128 : 8;
    if (!accept('}')) {
      do {
        if (peek().is('{')) fail(peek(), "vectors in vectors are not supported");
        vector.elements.push_back(operand(instruction_index, operand_index));
        if (vector.elements.size() > most)
          fail(token, "expected at most " + std::to_string(most) + " elements in a vector");
      } while (accept(','));
      expect('}');
    }
    return vector;
  }
  if (accept('[')) return address();
  if (accept('!')) {
    if (peek().is('!')) fail(peek(), "expected an operand behind '!'");
    Operand result = operand(instruction_index, operand_index);
    result.negated = !result.negated;
    return result;
  }
  if (token.kind == TokenKind::word) {
    Operand result = name(instruction_index, operand_index);
    if (accept('|')) {
      if (peek().kind != TokenKind::word) fail(peek(), "expected a predicate behind '|'");
      result.elements.push_back(name(instruction_index, operand_index));
    }
    if (result.kind == Operand::Kind::variable && accept('+')) result.bits += literal().bits;
    return result;
  }
  return literal();
}

Operand Parser::name(std::size_t instruction_index, std::size_t operand_index) {
  const Token& token = peek();
  Operand result;
  result.name = std::string(take().text);
  if (result.name == "_") {
    result.kind = Operand::Kind::sink;
    return result;
  }
  if (find_register(result.name, result.index)) {
    result.kind = Operand::Kind::reg;
    return result;
  }
  if (result.name == "WARP_SZ") {  // PTX ISA, "Predefined Identifiers"
    result.kind = Operand::Kind::integer;
    result.bits = 32;
    return result;
  }
  if (result.name[0] == '%') {
    result.kind = Operand::Kind::special;
    if (peek().kind == TokenKind::dotted) result.name += "." + std::string(take().text);
    return result;
  }
  if (find_variable(result)) return result;
  if (module_->find_function(result.name) != nullptr) {
    result.kind = Operand::Kind::function;
    return result;
  }
  const std::string& opcode = function_->code[instruction_index].opcode;
  if (opcode == "bra" || opcode == "brx") {
    if (opcode == "bra")
      scopes_.back().wanted[result.name].push_back({instruction_index, operand_index, token.line, ""});
    result.kind = Operand::Kind::label;
    return result;
  }
  unknown_name(token, result.name);
}

bool Parser::find_variable(Operand& operand) const {
  for (std::size_t s = scopes_.size(); s-- > 0;) {
    const auto found_one = scopes_[s].variables.find(operand.name);
    if (found_one == scopes_[s].variables.end()) continue;
    operand.kind = Operand::Kind::variable;
    operand.index = found_one->second;
    return true;
  }
  const auto global = module_names_.find(operand.name);
  if (global == module_names_.end()) return false;
  operand.kind = Operand::Kind::variable;
  operand.of_module = true;
  operand.index = global->second;
  return true;
}

Operand Parser::address() {
  const Token& token = peek();
  Operand result;
  if (token.kind == TokenKind::word) {
    result.name = std::string(take().text);
    if (find_register(result.name, result.index))
      result.kind = Operand::Kind::reg;
    else if (!find_variable(result))
      unknown_name(token, result.name);
  } else {
    result = literal();
  }
  if (accept('+'))
    result.bits += literal().bits;
  else if (peek().is('-'))
    result.bits += literal().bits;
  result.address = true;
  if (accept(',')) {  // coordinates of a texture or surface
    if (!peek().is('{'))
      fail(peek(), "expected coordinates in braces; samplers apart from textures are not supported");
    result.elements = operand(function_->code.size() - 1, 0).elements;
  }
  expect(']');
  return result;
}

}  // namespace strata::traces::ptx
