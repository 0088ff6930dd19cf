#include "models/dram_channel/sparse_memory.h"

#include <algorithm>
#include <cstring>

namespace strata {

void SparseMemory::read(Address address, unsigned char* to, std::size_t length) const {
  while (length > 0) {
    const std::size_t offset = address % page_bytes;
    const std::size_t part = std::min(length, page_bytes - offset);
    const auto page = pages_.find(address / page_bytes);
    if (page == pages_.end()) {
      std::memset(to, 0, part);
    } else {
      std::memcpy(to, page->second.get() + offset, part);
    }
    address += part;
    to += part;
    length -= part;
  }
}

void SparseMemory::write(Address address, const unsigned char* from, std::size_t length) {
  while (length > 0) {
    const std::size_t offset = address % page_bytes;
    const std::size_t part = std::min(length, page_bytes - offset);
    Page& page = pages_[address / page_bytes];
    if (page == nullptr) page = std::make_unique<unsigned char[]>(page_bytes);  // zeroed
    std::memcpy(page.get() + offset, from, part);
    address += part;
    from += part;
    length -= part;
  }
}

}  // namespace strata
