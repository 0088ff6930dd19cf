#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace strata::traces::ptx {

/// Copies or products of a warp that are under way, by the cells behind those of their loads: cp.async, wgmma
/// and their groups. The bytes arrive at once; when they were waited for is in the records.
struct AsyncCopies {
  std::vector<std::uint32_t> open;                ///< since the last commit
  std::deque<std::vector<std::uint32_t>> groups;  ///< committed, the oldest first
  void clear() {
    open.clear();
    groups.clear();
  }
};

}  // namespace strata::traces::ptx
