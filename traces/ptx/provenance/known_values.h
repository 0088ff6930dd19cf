#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "traces/ptx/decode/decoded_kernel.h"

namespace strata::traces::ptx {

/// Registers that hold one number whatever the launch: addresses of local and parameter memory, mostly.
class KnownValues {
 public:
  explicit KnownValues(const DecodedKernel& kernel);
  /// The value of a constant row that is the same in all lanes and launches.
  bool constant(Row row, std::uint32_t bytes, std::uint64_t& value) const;
  /// The address of a memory operation.
  bool address(const Flow& f, std::uint64_t& value) const;

 private:
  bool value(Row row, std::uint32_t bytes, std::uint64_t& value) const;
  bool evaluate(const Flow& f, std::uint64_t& value) const;

  const DecodedKernel& kernel_;
  std::unordered_set<std::uint32_t> patched_;  ///< constant rows that depend on the launch
  std::vector<std::uint32_t> register_at_;     ///< by row / 64
  std::vector<std::uint8_t> known_;
  std::vector<std::uint64_t> value_;
};

}  // namespace strata::traces::ptx
