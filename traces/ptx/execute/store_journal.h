#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "traces/ptx/global_memory.h"

namespace strata::traces::ptx {

/// Lines of device memory that a launch writes, with what they held before: the launch is run once to find
/// them and memory is then put back (`read_only: oracle`).
class StoreJournal {
 public:
  static constexpr std::uint64_t line_bytes =
      128;  ///< of the caches (docs/blocks/llc-slice.md); allocations begin on one

  explicit StoreJournal(GlobalMemory& memory) : memory_(memory), written_(memory.allocations().size()) {}
  /// Called before the line of byte `first` of an allocation changes.
  void before_store(const GlobalMemory::Allocation& allocation, std::uint64_t first);
  /// Undo everything; the lines stay known.
  void restore();
  /// No lane's line is written. Addresses outside every allocation count as written.
  bool untouched(const std::uint64_t* address, int count) const;
  std::uint64_t lines() const { return lines_; }

 private:
  struct Saved {
    std::size_t allocation;
    std::uint64_t line;
    std::uint64_t set[line_bytes / 64];
    std::uint8_t bytes[line_bytes];
  };
  bool written(std::size_t allocation, std::uint64_t line) const {
    const auto& bits = written_[allocation];
    return !bits.empty() && (bits[line / 64] >> (line % 64) & 1) != 0;
  }

  GlobalMemory& memory_;
  std::vector<std::vector<std::uint64_t>> written_;  ///< per allocation, a bit a line; empty = none
  std::vector<Saved> saved_;
  std::unordered_map<std::size_t, std::uint64_t> unset_before_;
  std::uint64_t lines_ = 0;
};

}  // namespace strata::traces::ptx
