#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "traces/ptx/text/lexer.h"
#include "traces/ptx/text/module.h"

namespace strata::traces::ptx {

/// Names in one pair of braces.
struct Scope {
  std::map<std::string, std::uint32_t> registers;
  std::map<std::string, Type> ranges;  ///< prefix of `%r<N>`
  std::map<std::string, std::uint64_t> range_size;
  std::map<std::string, std::uint32_t> variables;
  std::map<std::string, std::uint32_t> labels;
  struct Wanted {
    std::size_t instruction;
    std::size_t operand;
    int line;
    std::string list;  ///< name of a .branchtargets list instead of an operand
  };
  std::map<std::string, std::vector<Wanted>> wanted;  ///< labels that come later
};

/// `global`, `shared`...; false if it is no state space.
bool is_space(std::string_view name, Space& space);

/// Recursive descent over the tokens of a file.
class Parser {
 public:
  Parser(const std::string& text, const std::string& file)
      : text_(text.data()), module_(std::make_unique<Module>()) {
    module_->path = file;
    tokens_ = Lexer(text, file).run();
  }
  std::unique_ptr<Module> run();

 private:
  // --- tokens and the module ---
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool accept(char c);
  bool accept_dotted(std::string_view name);
  void expect(char c);
  static std::string found(const Token& token) {
    return token.kind == TokenKind::end ? "the end of the file" : "'" + std::string(token.text) + "'";
  }
  [[noreturn]] void fail(const Token& token, const std::string& message) const;
  std::uint64_t expect_integer(const char* what);
  std::string expect_word(const char* what);
  void directive();
  void add_to_module(Variable&& variable, bool external);
  void version();
  void target(int line);
  void skip_line(int line);
  void skip_statement();
  void file();
  void section();
  void skip_parentheses();

  // --- variables ---
  Type type();
  /// The part behind the state space: [.align n] [.attribute(..)] [.v4] .type [.ptr ...] name [dims] [= init]
  /// {, ...} ;
  std::vector<Variable> declare(Space space, bool external, bool parameter = false);
  bool attribute();
  std::uint64_t alignment();
  void extent(Variable& v, std::uint32_t lanes, bool external, bool parameter);
  void initial_value(Variable& v, std::size_t depth);
  static std::uint64_t real_bits(const Operand& constant, unsigned bits);
  Operand literal();

  // --- functions ---
  void function(bool entry);
  void performance_directives();
  void parameters(std::vector<std::uint32_t>& list);
  std::uint32_t add_variable(Variable&& variable);
  void body();
  void skip_body(std::size_t begin);
  void close_scope();
  [[noreturn]] void no_label(const std::string& name, int line, const Scope& scope) const;
  void statement();
  void label();
  void local_directive();
  void location(int line);
  void registers();
  std::uint32_t new_register(const std::string& name, Type kind);
  /// Registers of a range are created when they are used.
  bool find_register(const std::string& name, std::uint32_t& index);
  std::uint32_t expect_register(const char* what);
  [[noreturn]] void unknown_name(const Token& token, const std::string& name) const;

  // --- instructions ---
  void instruction();
  void call(std::size_t index);
  Operand operand(std::size_t instruction_index, std::size_t operand_index);
  Operand name(std::size_t instruction_index, std::size_t operand_index);
  bool find_variable(Operand& operand) const;
  Operand address();

  const char* text_;  ///< the text of the tokens
  std::unique_ptr<Module> module_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::map<std::string, std::uint32_t> module_names_;
  std::set<std::string> declared_;  ///< those of them that are only `.extern` so far
  Function* function_ = nullptr;
  std::vector<Scope> scopes_;
  int source_file_ = 0, source_line_ = 0;
  bool flushes_ = false, narrows_ = false;  ///< for versions before 2.0: flush of sm_1x; f64 becomes f32
};

}  // namespace strata::traces::ptx
