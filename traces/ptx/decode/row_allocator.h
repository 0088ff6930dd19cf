#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "traces/ptx/decode/decoded_kernel.h"

namespace strata::traces::ptx {

/// How registers are kept: p predicate, h 16, w 32, l 64 bits.
inline char letter(const Type& type) {
  if (type.kind == 'p') return 'p';
  return type.bits <= 16 ? 'h' : type.bits == 32 ? 'w' : 'l';
}

/// Gives the registers and the constants of a kernel their rows. Kinds: p predicate, h 16, w 32, l 64 bits.
class RowAllocator {
 public:
  explicit RowAllocator(DecodedKernel& kernel) : kernel_(kernel) {}

  /// Its number; throws TraceError when there are too many.
  std::uint32_t new_register(char kind);
  std::uint32_t registers() const { return static_cast<std::uint32_t>(kinds_.size()); }
  char kind(std::uint32_t number) const { return kinds_[number]; }
  Row row(std::uint32_t number) const { return offsets_[number]; }
  const std::vector<char>& kinds() const { return kinds_; }
  const std::vector<Row>& rows() const { return offsets_; }
  std::uint32_t register_bytes() const { return register_bytes_; }

  /// The value in all lanes.
  Row constant(char kind, std::uint64_t value);
  /// A value that the launch gives.
  Row patched(char kind, Patch patch);
  /// `value(i)` in lane i.
  Row lanes(char kind, std::uint32_t (*value)(std::uint32_t));

 private:
  Row new_constant(char kind);

  DecodedKernel& kernel_;
  std::vector<char> kinds_;
  std::vector<Row> offsets_;
  std::uint32_t register_bytes_ = 0;
  std::map<std::pair<char, std::uint64_t>, Row> constants_;
  std::map<std::tuple<char, int, std::uint64_t, std::uint32_t>, Row> patches_;
};

}  // namespace strata::traces::ptx
