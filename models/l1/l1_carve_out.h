#pragma once

#include <string>
#include <vector>

#include "models/common/params.h"

namespace strata {

/// How much of an L1 the shared memory of an SM takes, where both are parts of one memory: one of a few
/// sizes, the smallest that the CTAs of a kernel fit into.
class L1CarveOut {
 public:
  /// `sizes`: in KiB, rising, with blanks between them; empty: the two are apart.
  L1CarveOut(const std::string& sizes, Bytes size, int ways);

  /// What is wrong with `sizes`, in words; empty: nothing.
  static std::string fault(const std::string& sizes, Bytes size, int ways);

  bool none() const { return sizes_.empty(); }
  /// Ways that are left while CTAs take so many bytes of shared memory.
  int ways_beside(std::uint64_t shared_bytes) const;

 private:
  std::uint64_t size_;
  int ways_;
  std::vector<std::uint64_t> sizes_;  // bytes
};

}  // namespace strata
