#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// A memory image that keeps only the pages somebody wrote; everything else reads as zero.
class SparseMemory {
 public:
  static constexpr std::size_t page_bytes = 4096;
  void read(Address address, unsigned char* to, std::size_t length) const;
  void write(Address address, const unsigned char* from, std::size_t length);
  std::size_t pages() const { return pages_.size(); }

 private:
  using Page = std::unique_ptr<unsigned char[]>;
  std::unordered_map<Address, Page> pages_;  // looked up only, never walked
};

}  // namespace strata
