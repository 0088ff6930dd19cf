#include <cstring>

#include "traces/ptx/provenance/provenance.h"

namespace strata::traces::ptx {
namespace {

constexpr int most_rounds = 8;  ///< of a chain of sums; longer ones stay unknown

}  // namespace

KnownValues::KnownValues(const DecodedKernel& kernel)
    : kernel_(kernel), known_(kernel.words.size(), 0), value_(kernel.words.size(), 0) {
  for (const Patch& p : kernel.patches) patched_.insert(p.offset);
  register_at_.assign(kernel.register_bytes / 64 + 1, 0);
  for (std::uint32_t r = 0; r < kernel.register_rows.size(); ++r)
    register_at_[kernel.register_rows[r] / 64] = r;
  std::vector<std::uint32_t> writers(kernel.words.size(), 0);
  for (const Flow& f : kernel.flow)
    for (const std::uint32_t r : f.writes) ++writers[r];
  std::vector<const Flow*> sums;  // registers with one writer have its value, or none
  for (const Flow& f : kernel.flow)
    if (f.writes.size() == 1 && writers[f.writes[0]] == 1 && f.memory == Flow::Memory::none)
      sums.push_back(&f);
  for (int round = 0; round < most_rounds; ++round) {
    bool changed = false;
    for (const Flow* f : sums) {
      const std::uint32_t r = f->writes[0];
      if (known_[r] != 0 || !evaluate(*f, value_[r])) continue;
      known_[r] = 1;
      changed = true;
    }
    if (!changed) break;
  }
}

bool KnownValues::constant(Row row, std::uint32_t bytes, std::uint64_t& value) const {
  if (row == no_row || (row & 1) == 0 || patched_.count(row & ~Row{1}) != 0) return false;
  const std::size_t at = row & ~Row{1};
  if (at + 2 * bytes > kernel_.constants.size()) return false;
  std::uint64_t second = value = 0;
  std::memcpy(&value, &kernel_.constants[at], bytes);
  std::memcpy(&second, &kernel_.constants[at + bytes], bytes);
  return value == second;  // lane numbers and masks differ in the first two lanes
}

bool KnownValues::value(Row row, std::uint32_t bytes, std::uint64_t& value) const {
  if (row == no_row) return false;
  if ((row & 1) != 0) return constant(row, bytes, value);
  const std::uint32_t r = register_at_[row / 64];
  if (known_[r] == 0) return false;
  value = value_[r];
  return true;
}

bool KnownValues::evaluate(const Flow& f, std::uint64_t& value) const {
  const Instruction& i = *kernel_.code[f.op.pc];
  const bool sum = i.opcode == "add" || i.opcode == "sub" || i.opcode == "cvta";
  const bool widens =
      i.opcode == "cvt" && i.suffix.size() == 2 && i.suffix[0] == "u64" && i.suffix[1] == "u32";
  const bool short_type = !i.suffix.empty() && i.suffix.back().find("16") != std::string::npos;
  if (short_type || (!sum && !widens && i.opcode != "mov") || f.op.rows != nullptr || f.op.c != no_row)
    return false;
  const std::uint32_t words = kernel_.words[f.writes[0]];
  if (words == 0) return false;
  const std::uint32_t bytes = widens ? 4 : words * 4;
  std::uint64_t a = 0, b = 0;
  if (!this->value(f.op.a, bytes, a)) return false;
  if (f.op.b != no_row && !this->value(f.op.b, bytes, b)) return false;
  const bool minus = i.opcode == "sub" || (i.opcode == "cvta" && i.has("to"));
  value = minus ? a - b : a + b;
  if (words == 1) value &= 0xffffffff;
  return true;
}

bool KnownValues::address(const Flow& f, std::uint64_t& at) const {
  if (!value(f.op.a, f.op.address_bytes, at)) return false;
  at += static_cast<std::uint64_t>(f.op.offset);
  return true;
}

}  // namespace strata::traces::ptx
