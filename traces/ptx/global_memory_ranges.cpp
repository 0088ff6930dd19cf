// Addresses without memory, and memory of the caller's in them.
#include <utility>

#include "traces/ptx/global_memory.h"

namespace strata::traces {

Address GlobalMemory::reserve_range(std::uint64_t bytes, std::uint64_t align) {
  return find_room(bytes, align);
}

void GlobalMemory::release_range(Address at, std::uint64_t bytes, std::uint64_t align) {
  give_back(at, (at + bytes + alignment + align - 1) / align * align - at);
}

void GlobalMemory::place(Allocation allocation) {
  allocation.placed = true;
  insert(std::move(allocation));
}

void GlobalMemory::displace(Address address) {
  const Allocation* const found = find(address);
  if (found != nullptr && found->placed && found->address == address)
    allocations_.erase(allocations_.begin() + (found - allocations_.data()));
}

}  // namespace strata::traces
