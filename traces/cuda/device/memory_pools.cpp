#include "traces/cuda/device/memory_pools.h"

#include <algorithm>
#include <cstring>

#include "traces/cuda/device/device.h"

namespace strata::cuda {

std::uint64_t MemoryPool::reserved() const {
  return std::max((used + page - 1) / page * page, std::min(held, kept));
}

void MemoryPool::take(std::uint64_t bytes) {
  used += bytes;
  most_used = std::max(most_used, used);
  held = std::max(held, reserved());
  most_reserved = std::max(most_reserved, reserved());
}

void MemoryPool::trim(std::uint64_t to) {
  held = std::min(held, to);
}

void MemoryPool::get(int attribute, void* value) const {
  if (value == nullptr || attribute < 1 || attribute > 8) throw CallError(invalid_value);
  if (attribute <= 3) {
    std::memcpy(value, &reuse[attribute - 1], sizeof reuse[0]);
    return;
  }
  const std::uint64_t all[] = {kept, reserved(), most_reserved, used, most_used};
  std::memcpy(value, &all[attribute - 4], sizeof all[0]);
}

void MemoryPool::set(int attribute, const void* value) {
  constexpr int keep = 4, highest_reserved = 6, highest_used = 8;
  if (value == nullptr || attribute < 1 || attribute > 8) throw CallError(invalid_value);
  if (attribute < keep) {
    std::memcpy(&reuse[attribute - 1], value, sizeof reuse[0]);
    return;
  }
  std::uint64_t number = 0;
  std::memcpy(&number, value, sizeof number);
  if (attribute == keep) {
    kept = number;
    return;
  }
  // The most there was can be forgotten; what there is cannot be set.
  if (number != 0 || (attribute != highest_reserved && attribute != highest_used))
    throw CallError(invalid_value);
  if (attribute == highest_reserved) most_reserved = reserved();
  if (attribute == highest_used) most_used = used;
}

MemoryPools::MemoryPools() : standard_(&make()), current_(standard_) {}

MemoryPool& MemoryPools::make() {
  const auto made = std::make_shared<MemoryPool>();
  pools_[made.get()] = made;
  return *made;
}

MemoryPool& MemoryPools::at(void* handle) {
  const auto found = pools_.find(handle);
  if (found == pools_.end()) throw CallError(invalid_value);
  return *found->second;
}

void MemoryPools::destroy(void* handle) {
  MemoryPool& pool = at(handle);
  if (&pool == standard_) throw CallError(invalid_value);
  if (&pool == current_) current_ = standard_;
  pools_.erase(handle);
}

void MemoryPools::take(MemoryPool& pool, Address address, std::uint64_t bytes) {
  pieces_[address] = {pools_.at(&pool), bytes};
  pool.take(bytes);
}

void MemoryPools::give(Address address) {
  const auto found = pieces_.find(address);
  if (found == pieces_.end()) return;
  found->second.pool->give(found->second.bytes);
  pieces_.erase(found);
}

MemoryPool& make_pool(Device& device, const abi::PoolProperties& properties) {
  if (properties.type != 1) throw CallError(invalid_value);
  check_location(&properties.location);
  if (properties.handles != 0)
    throw CallError(device.absent("cuMemPoolCreate of memory that processes share"));
  MemoryPool& pool = device.memory_pools().make();
  pool.most = properties.most;
  return pool;
}

void check_location(const abi::MemoryLocation* location) {
  constexpr int of_device = 1;
  if (location == nullptr) throw CallError(invalid_value);
  if (location->type != of_device)
    throw CallError(Device::get().absent("cuMemPool... of memory of the host"));
  if (location->id != 0) throw CallError(invalid_device);
}

void check_access(Device& device, void* pool, const abi::MemoryAccess* rights, std::size_t count) {
  constexpr unsigned all = 3;  // the device of a pool may always read and write
  device.memory_pools().at(pool);
  if (rights == nullptr && count != 0) throw CallError(invalid_value);
  for (std::size_t i = 0; i < count; ++i) {
    if (rights[i].location.id != 0) throw CallError(invalid_device);
    if (rights[i].access != all) throw CallError(invalid_value);
  }
}

}  // namespace strata::cuda
