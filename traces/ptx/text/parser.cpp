#include "traces/ptx/text/parser.h"

#include <cstdlib>

#include "models/common/faults.h"

namespace strata::traces::ptx {

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

/// A variable that is declared `.extern` and defined is one; of several definitions (`.weak`, `.common`) the
/// first counts.
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

}  // namespace strata::traces::ptx
