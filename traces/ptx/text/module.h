#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/common/faults.h"

/// Content of a PTX file, with names resolved.
namespace strata::traces::ptx {

enum class Space : std::uint8_t { generic, global, shared, local, constant, param };

/// A type as written: `kind` is p (predicate), b, u, s, f, or h (bf16 and other formats of few bits).
struct Type {
  char kind = 'b';
  std::uint8_t bits = 32;
  bool pair = false;  ///< f16x2, bf16x2
  std::uint32_t bytes() const { return bits < 8 ? 1 : bits / 8U; }
};

/// Reads `u32`, `pred`, `f16x2`...; false if it is no type.
bool parse_type(const std::string& text, Type& type);

struct Variable {
  std::string name;
  Space space = Space::global;
  Type type;
  std::uint32_t align = 1;
  std::uint64_t bytes = 0;  ///< 0: `extern .shared x[]`, the dynamic shared memory
  int line = 0;
  bool pointer = false;            ///< of a parameter: it has `.ptr`
  bool managed = false;            ///< the host uses it, too
  std::vector<std::uint8_t> init;  ///< shorter than `bytes`: the rest is 0
  struct Pointer {
    std::uint64_t at;
    std::string symbol;
    std::int64_t addend;
  };
  std::vector<Pointer> pointers;  ///< initial values that are addresses
};

struct Register {
  std::string name;
  Type type;
};

struct Operand {
  enum class Kind : std::uint8_t {
    none,
    reg,       // index
    integer,   // bits
    real,      // bits of a double, or of a float when `single`
    special,   // name: %tid.x
    variable,  // index: of the function, or of the module when `of_module`; plus bits
    function,  // name
    label,     // index of an instruction
    vector,    // elements
    sink,      // _
  };
  Kind kind = Kind::none;
  bool negated = false;  ///< !%p
  bool single = false;
  bool of_module = false;
  bool address = false;  ///< written in brackets
  std::uint32_t index = 0;
  std::uint64_t bits = 0;  ///< value, or offset of an address
  std::string name;
  std::vector<Operand> elements;  ///< of a vector; of `%r|%p`: the second destination
};

struct Instruction {
  int line = 0;
  int source_file = 0;  ///< of the last `.loc`, 0 = none
  int source_line = 0;
  std::int32_t guard = -1;  ///< register
  bool guard_negated = false;
  std::string opcode;               ///< "ld"
  std::vector<std::string> suffix;  ///< "global", "nc", "f32"
  std::vector<Operand> operands;
  std::vector<Operand> results, arguments;  ///< of call
  std::uint32_t behind_global = 0;  ///< of ld.global: offset in the text where `.ro` would go; 0 = none

  std::string spelling() const;
  bool has(const char* part) const;
};

struct Function {
  std::string name;
  bool entry = false;
  bool has_body = false;
  int line = 0;
  std::uint32_t max_threads = 1024;
  /// Thread blocks of a cluster (`.reqnctapercluster` or `.explicitcluster`); all 0: the launch chooses.
  std::uint32_t cluster[3] = {};
  std::uint32_t max_cluster = 0;  ///< `.maxclusterrank`; 0: none given
  std::vector<Register> registers;
  std::vector<Variable> variables;
  std::vector<std::uint32_t> parameters, results;  ///< indices of variables
  std::vector<Instruction> code;
  std::map<std::string, std::vector<std::uint32_t>> branch_targets;  ///< .branchtargets lists
  std::shared_ptr<const TraceError>
      fault;  ///< fault of its text, thrown when a kernel that needs it is decoded
};

struct DecodedKernel;

struct Module {
  std::string path;
  int version = 0;  ///< 10 * major + minor
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::map<int, std::string> files;
  std::map<std::string, DecodedKernel*> decoded;  ///< owned by PtxProgram's table, in the order of names
  Module() = default;
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const Function* find_function(const std::string& name) const;
  std::size_t function_number(const std::string& name) const;  ///< of the function that find_function() finds
};

/// Parses PTX text; `file` is its name in messages. Throws TraceError.
std::unique_ptr<Module> parse_module(const std::string& text, const std::string& file);

}  // namespace strata::traces::ptx
