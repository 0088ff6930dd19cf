#include "models/common/faults.h"
#include "traces/ptx/text/parser.h"

namespace strata::traces::ptx {

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

/// Go on behind the function whose first token is `begin`; only those that use it need fail.
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
    fail(token, "label '" + name + "' stands here twice");
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

}  // namespace strata::traces::ptx
