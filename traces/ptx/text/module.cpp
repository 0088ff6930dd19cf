#include "traces/ptx/text/module.h"

#include "traces/ptx/decode/decoded_kernel.h"

namespace strata::traces::ptx {

bool parse_type(const std::string& text, Type& type) {
  struct Name {
    const char* name;
    Type type;
  };
  static const Name rows[] = {
      {"pred", {'p', 1, false}},   {"b8", {'b', 8, false}},    {"b16", {'b', 16, false}},
      {"b32", {'b', 32, false}},   {"b64", {'b', 64, false}},  {"b128", {'b', 128, false}},
      {"u8", {'u', 8, false}},     {"u16", {'u', 16, false}},  {"u32", {'u', 32, false}},
      {"u64", {'u', 64, false}},   {"s8", {'s', 8, false}},    {"s16", {'s', 16, false}},
      {"s32", {'s', 32, false}},   {"s64", {'s', 64, false}},  {"f16", {'f', 16, false}},
      {"f16x2", {'f', 32, true}},  {"f32", {'f', 32, false}},  {"f64", {'f', 64, false}},
      {"u16x2", {'u', 32, true}},  {"s16x2", {'s', 32, true}}, {"bf16", {'h', 16, false}},
      {"bf16x2", {'h', 32, true}},
  };
  for (const Name& row : rows)
    if (text == row.name) {
      type = row.type;
      return true;
    }
  return false;
}

std::string Instruction::spelling() const {
  std::string text = opcode;
  for (const std::string& part : suffix) text += "." + part;
  return text;
}

bool Instruction::has(const char* part) const {
  for (const std::string& s : suffix)
    if (s == part) return true;
  return false;
}

const Function* Module::find_function(const std::string& name) const {
  const Function* found = nullptr;
  for (const Function& function : functions)
    if (function.name == name && (found == nullptr || function.has_body)) found = &function;
  return found;
}

std::size_t Module::function_number(const std::string& name) const {
  const Function* found = find_function(name);
  return found == nullptr ? functions.size() : static_cast<std::size_t>(found - functions.data());
}

Module::~Module() {
  for (auto& entry : decoded) delete entry.second;
}

}  // namespace strata::traces::ptx
