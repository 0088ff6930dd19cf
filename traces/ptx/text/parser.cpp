#include "traces/ptx/text/parser.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "models/common/faults.h"
#include "traces/ptx/text/module.h"

namespace strata::traces::ptx {

namespace {

bool reads_place(const Instruction& i) {
  if (i.operands.size() != 2 || i.operands[1].kind != Operand::Kind::special) return false;
  const std::string base = i.operands[1].name.substr(0, i.operands[1].name.find('.'));
  return base == "%tid" || base == "%ntid" || base == "%ctaid" || base == "%nctaid";
}

bool computes(const std::string& opcode) {
  for (const char* one : {"add", "sub", "mul", "mad", "div", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin",
                          "cos", "min", "max", "abs", "neg", "set", "setp", "cvt"})
    if (opcode == one) return true;
  return false;
}

/// Rewrites instructions of PTX 1.4 in today's form (PTX ISA, "Release Notes"): special registers such as
/// `%tid` have 32 bits since version 2.0, and old programs read them as 16. `flushes`, for a target of sm_1x:
/// single precision flushes subnormals to 0, and `mad` is fused, as on all later machines.
void modernize(Instruction& i, bool flushes) {
  if (i.suffix.empty()) return;
  std::string& type = i.suffix.back();
  if (reads_place(i) && (type == "u16" || type == "s16" || type == "b16")) {
    if (i.opcode == "mov") {
      i.opcode = "cvt";
      i.suffix = {"u16", "u32"};
    } else if (i.opcode == "cvt") {
      type = "u32";
    }
  }
  if (!flushes || i.suffix.back() != "f32" || !computes(i.opcode)) return;
  if (i.opcode == "mad") i.suffix.insert(i.suffix.begin(), "rn");
  if (i.has("ftz")) return;
  const std::size_t types = i.opcode == "cvt" || i.opcode == "set" ? 2 : 1;
  i.suffix.insert(i.suffix.end() - static_cast<std::ptrdiff_t>(std::min(types, i.suffix.size())), "ftz");
}

}  // namespace

std::unique_ptr<Module> Parser::run() {
  while (peek().kind != TokenKind::end) directive();
  if (module_->version == 0) fail(peek(), "expected '.version': this is no PTX file");
  return std::move(module_);
}

bool Parser::accept(char c) {
  if (!peek().is(c)) return false;
  take();
  return true;
}

bool Parser::accept_dotted(std::string_view name) {
  if (!peek().is_dotted(name)) return false;
  take();
  return true;
}

void Parser::expect(char c) {
  if (!accept(c)) fail(peek(), std::string("expected '") + c + "', found " + found(peek()));
}

void Parser::fail(const Token& token, const std::string& message) const {
  const std::string owner =
      function_ ? (function_->entry ? "kernel " : "function ") + function_->name + ": " : "";
  throw TraceError(Fault{{module_->path, token.line, token.column}, owner + message});
}

std::uint64_t Parser::expect_integer(const char* what) {
  if (peek().kind != TokenKind::integer)
    fail(peek(), std::string("expected ") + what + ", found " + found(peek()));
  return take().bits;
}

std::string Parser::expect_word(const char* what) {
  if (peek().kind != TokenKind::word)
    fail(peek(), std::string("expected ") + what + ", found " + found(peek()));
  return std::string(take().text);
}

void Parser::directive() {
  const Token& token = peek();
  if (token.kind != TokenKind::dotted) fail(token, "expected a directive, found " + found(token));
  if (accept_dotted("version")) return version();
  if (accept_dotted("target")) return target(token.line);
  if (accept_dotted("address_size")) {
    if (expect_integer("64") != 64) fail(token, "expected '.address_size 64'");
    return;
  }
  if (accept_dotted("file")) return file();
  if (accept_dotted("section")) return section();
  if (accept_dotted("pragma") || accept_dotted("alias")) return skip_statement();
  bool external = false;
  while (peek().is_dotted("visible") || peek().is_dotted("extern") || peek().is_dotted("weak") ||
         peek().is_dotted("common"))
    external = take().text == "extern" || external;
  if (accept_dotted("entry")) return function(true);
  if (accept_dotted("func")) return function(false);
  Space space;
  if (peek().kind == TokenKind::dotted && is_space(peek().text, space)) {
    take();
    for (Variable& variable : declare(space, external)) add_to_module(std::move(variable), external);
    return;
  }
  fail(peek(),
       "unknown directive '." + std::string(peek().text) + "'" +
           suggestion(std::string(peek().text),
                      {"version", "target", "address_size", "file", "section", "entry", "func", "visible",
                       "extern", "global", "const", "shared", "weak", "common", "pragma"}));
}

/// Adds a variable. A declaration with `.extern` and a definition are one variable; of several definitions
/// (`.weak`,
/// `.common`) the first counts.
void Parser::add_to_module(Variable&& variable, bool external) {
  const auto known = module_names_.find(variable.name);
  if (known == module_names_.end()) {
    module_names_[variable.name] = static_cast<std::uint32_t>(module_->variables.size());
    if (external) declared_.insert(variable.name);
    module_->variables.push_back(std::move(variable));
  } else if (!external && declared_.erase(variable.name) != 0) {
    module_->variables[known->second] = std::move(variable);
  }
}

void Parser::version() {
  const Token& token = peek();
  if (token.kind != TokenKind::real && token.kind != TokenKind::integer)
    fail(token, "expected a version such as 8.0");
  const std::string text(take().text);
  const std::size_t dot = text.find('.');
  const int major = std::atoi(text.c_str());
  const int minor = dot == std::string::npos ? 0 : std::atoi(text.c_str() + dot + 1);
  module_->version = major * 10 + std::min(minor, 9);
  if (major > 9 || (major < 6 && module_->version != 14))
    fail(token, "expected PTX version 6.0 to 9.x, or 1.4, found '" + text + "'");
}

void Parser::target(int line) {
  for (; peek().kind != TokenKind::end && peek().line == line; take()) {
    if (module_->version < 20 && peek().text.substr(0, 4) == "sm_1") flushes_ = true;
    if (peek().text == "map_f64_to_f32") narrows_ = true;
  }
}

void Parser::skip_line(int line) {
  while (peek().kind != TokenKind::end && peek().line == line) take();
}

void Parser::skip_statement() {
  while (peek().kind != TokenKind::end && !accept(';')) take();
}

void Parser::file() {
  const int line = peek().line;
  const auto index = static_cast<int>(expect_integer("the number of a source file") & 0xffffff);
  if (peek().kind == TokenKind::string) module_->files[index] = std::string(take().text);
  skip_line(line);
}

void Parser::section() {
  take();
  expect('{');
  for (int depth = 1; depth > 0;) {
    if (peek().kind == TokenKind::end) fail(peek(), "expected '}' at the end of a section");
    depth += peek().is('{') ? 1 : peek().is('}') ? -1 : 0;
    take();
  }
}

void Parser::skip_parentheses() {
  expect('(');
  for (int depth = 1; depth > 0;) {
    if (peek().kind == TokenKind::end) fail(peek(), "expected ')'");
    depth += peek().is('(') ? 1 : peek().is(')') ? -1 : 0;
    take();
  }
}

bool is_space(std::string_view name, Space& space) {
  if (name == "global")
    space = Space::global;
  else if (name == "shared" || name == "shared::cta")
    space = Space::shared;
  else if (name == "local")
    space = Space::local;
  else if (name == "const")
    space = Space::constant;
  else if (name == "param")
    space = Space::param;
  else
    return false;
  return true;
}

std::unique_ptr<Module> parse_module(const std::string& text, const std::string& file) {
  return Parser(text, file).run();
}

namespace {

constexpr std::size_t deepest_scope = 256;

}  // namespace

void Parser::function(bool entry) {
  module_->functions.emplace_back();
  function_ = &module_->functions.back();
  function_->entry = entry;
  scopes_.assign(1, Scope());
  if (!entry && peek().is('(')) parameters(function_->results);
  function_->line = peek().line;
  function_->name = expect_word("the name of a function");
  if (peek().is('(')) parameters(function_->parameters);
  performance_directives();
  if (!accept(';')) {
    function_->has_body = true;
    source_file_ = source_line_ = 0;
    expect('{');
    const std::size_t begin = at_;
    try {
      body();
      close_scope();
    } catch (const TraceError& fault) {
      function_->fault = std::make_shared<const TraceError>(fault);
      skip_body(begin);
    }
  }
  function_ = nullptr;
}

/// Skips the function whose first token is `begin`, so that only its users fail.
void Parser::skip_body(std::size_t begin) {
  at_ = begin;
  for (std::size_t depth = 1; depth > 0; take()) {
    if (peek().kind == TokenKind::end) throw TraceError(*function_->fault);
    depth += peek().is('{') ? 1 : 0;
    depth -= peek().is('}') ? 1 : 0;
  }
}

void Parser::performance_directives() {
  for (;;) {
    const Token& token = peek();
    if (token.kind != TokenKind::dotted) return;
    const std::string name(take().text);
    if (name == "maxntid" || name == "reqntid") {
      std::uint64_t threads = 1;
      do
        threads = std::min<std::uint64_t>(
            threads * std::min<std::uint64_t>(expect_integer("a number of threads"), 1024), 1 << 20);
      while (accept(','));
      function_->max_threads = static_cast<std::uint32_t>(threads);
    } else if (name == "reqnctapercluster") {
      std::uint32_t* axis = function_->cluster;
      std::fill_n(axis, 3, 1u);
      do {
        if (axis == function_->cluster + 3) fail(token, "expected at most 3 numbers of thread blocks");
        *axis++ = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(expect_integer("a number of thread blocks"), 1 << 20));
      } while (accept(','));
    } else if (name == "maxclusterrank") {
      function_->max_cluster = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(expect_integer("a number of thread blocks"), 1 << 20));
    } else if (name == "pragma") {
      skip_statement();
    } else {
      while (peek().kind == TokenKind::integer || peek().is(',')) take();
    }
  }
}

void Parser::parameters(std::vector<std::uint32_t>& list) {
  expect('(');
  if (accept(')')) return;
  do {
    if (accept_dotted("reg")) {
      fail(peek(), "register parameters are not supported: expected '.param'");
    }
    if (!accept_dotted("param")) fail(peek(), "expected '.param', found " + found(peek()));
    for (Variable& variable : declare(Space::param, false, true))
      list.push_back(add_variable(std::move(variable)));
  } while (accept(','));
  expect(')');
}

std::uint32_t Parser::add_variable(Variable&& variable) {
  const auto index = static_cast<std::uint32_t>(function_->variables.size());
  scopes_.back().variables[variable.name] = index;
  function_->variables.push_back(std::move(variable));
  return index;
}

void Parser::body() {
  std::size_t depth = 1;
  while (depth > 0) {
    const Token& token = peek();
    if (token.kind == TokenKind::end) fail(token, "expected '}' at the end of the function");
    if (accept('{')) {
      if (++depth > deepest_scope) fail(token, "braces nested too deep");
      scopes_.emplace_back();
    } else if (accept('}')) {
      if (--depth > 0) close_scope();
    } else if (!accept(';')) {
      statement();
    }
  }
}

void Parser::close_scope() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (auto& [name, uses] : scope.wanted) {
    const auto label = scope.labels.find(name);
    for (Scope::Wanted& use : uses) {
      if (label == scope.labels.end()) {
        if (scopes_.empty()) no_label(name, use.line, scope);
        scopes_.back().wanted[name].push_back(use);
      } else if (!use.list.empty()) {
        function_->branch_targets[use.list][use.operand] = label->second;
      } else {
        Operand& operand = function_->code[use.instruction].operands[use.operand];
        operand.kind = Operand::Kind::label;
        operand.index = label->second;
      }
    }
  }
}

void Parser::no_label(const std::string& name, int line, const Scope& scope) const {
  std::vector<std::string> names;
  for (const auto& label : scope.labels) names.push_back(label.first);
  throw TraceError(Fault{{module_->path, line, 0},
                         (function_->entry ? "kernel " : "function ") + function_->name + ": no label '" +
                             name + "'" + suggestion(name, names)});
}

void Parser::statement() {
  const Token& token = peek();
  if (token.kind == TokenKind::dotted) return local_directive();
  if (token.kind == TokenKind::word && peek(1).is(':')) return label();
  instruction();
}

void Parser::label() {
  const Token& token = peek();
  const std::string name(take().text);
  take();
  if (accept_dotted("branchtargets")) {
    std::vector<std::uint32_t>& list = function_->branch_targets[name];
    do {
      scopes_.back().wanted[expect_word("a label")].push_back({0, list.size(), token.line, name});
      list.push_back(0);
    } while (accept(','));
    expect(';');
    return;
  }
  if (peek().is_dotted("callprototype") || peek().is_dotted("calltargets")) return skip_statement();
  if (!scopes_.back().labels.emplace(name, static_cast<std::uint32_t>(function_->code.size())).second)
    fail(token, "label '" + name + "' is defined twice");
}

void Parser::local_directive() {
  const Token& token = peek();
  const std::string name(take().text);
  Space space;
  if (name == "reg") return registers();
  if (name == "loc") return location(token.line);
  if (name == "pragma") return skip_statement();
  if (name == "file") return file();
  if (name == "section") return section();
  if (is_space(name, space)) {
    for (Variable& variable : declare(space, false)) add_variable(std::move(variable));
    return;
  }
  fail(token, "unknown directive '." + name + "'" +
                  suggestion(name, {"reg", "loc", "pragma", "shared", "local", "param", "const", "global"}));
}

void Parser::location(int line) {
  source_file_ = static_cast<int>(expect_integer("the number of a source file") & 0xffffff);
  source_line_ = static_cast<int>(expect_integer("a line") & 0xffffff);
  skip_line(line);
}

void Parser::registers() {
  const Type kind = [&] {
    if (accept_dotted("v2") || accept_dotted("v4")) fail(peek(), "vector registers are not supported");
    return type();
  }();
  do {
    const std::string name = expect_word("the name of a register");
    if (accept('<')) {
      scopes_.back().ranges[name] = kind;
      scopes_.back().range_size[name] = expect_integer("a number of registers");
      expect('>');
    } else {
      scopes_.back().registers[name] = new_register(name, kind);
    }
  } while (accept(','));
  expect(';');
}

std::uint32_t Parser::new_register(const std::string& name, Type kind) {
  function_->registers.push_back({name, kind});
  return static_cast<std::uint32_t>(function_->registers.size() - 1);
}

bool Parser::find_register(const std::string& name, std::uint32_t& index) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  const std::string prefix = name.substr(0, digits);
  for (std::size_t s = scopes_.size(); s-- > 0;) {
    Scope& scope = scopes_[s];
    const auto single = scope.registers.find(name);
    if (single != scope.registers.end()) {
      index = single->second;
      return true;
    }
    const auto range = scope.ranges.find(prefix);
    if (range == scope.ranges.end() || digits == name.size() || name.size() - digits > 9) continue;
    if (std::stoull(name.substr(digits)) >= scope.range_size[prefix]) continue;
    index = new_register(name, range->second);
    scope.registers[name] = index;
    return true;
  }
  return false;
}

std::uint32_t Parser::expect_register(const char* what) {
  const Token& token = peek();
  const std::string name = expect_word(what);
  std::uint32_t index = 0;
  if (!find_register(name, index)) unknown_name(token, name);
  return index;
}

void Parser::unknown_name(const Token& token, const std::string& name) const {
  std::vector<std::string> names;
  for (const Scope& scope : scopes_) {
    for (const auto& r : scope.registers) names.push_back(r.first);
    for (const auto& v : scope.variables) names.push_back(v.first);
  }
  for (const auto& v : module_names_) names.push_back(v.first);
  fail(token, "'" + name + "' is not declared" + suggestion(name, names));
}

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
    // The accumulators of wgmma are the longest vectors: 64 by 256 elements of 32 bits in 128 lanes.
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

/// True if the attribute is `.managed`.
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
