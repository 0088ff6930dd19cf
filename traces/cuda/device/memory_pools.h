#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "models/common/units.h"
#include "traces/cuda/device/abi_memory.h"

namespace strata::cuda {

/// What memory is allocated from in the order of a stream (CUDA runtime API, "Stream Ordered Memory
/// Allocator"): who asks is told how much that is. All memory comes from the device.
struct MemoryPool {
  static constexpr std::uint64_t page = std::uint64_t{2} << 20;  ///< memory is reserved in such
  int reuse[3] = {1, 1, 1};  ///< whether memory is used again behind events, when it is free, by new waiting
  std::uint64_t most = 0;    ///< that may be used; 0: all there is
  std::uint64_t kept = 0;    ///< of what nobody uses, so much stays reserved
  std::uint64_t used = 0, most_used = 0, most_reserved = 0;
  std::uint64_t held = 0;  ///< reserved since it was trimmed

  std::uint64_t reserved() const;
  void take(std::uint64_t bytes);
  bool has_room(std::uint64_t bytes) const { return most == 0 || used + bytes <= most; }
  void give(std::uint64_t bytes) { used -= bytes; }
  void trim(std::uint64_t to);
  /// cudaMemPoolAttr: 1 to 3 an int, 4 to 8 an uint64. Throws CallError.
  void get(int attribute, void* value) const;
  void set(int attribute, const void* value);
};

class MemoryPools {
 public:
  MemoryPools();
  MemoryPool& standard() { return *standard_; }
  MemoryPool& current() { return *current_; }
  void set_current(MemoryPool& pool) { current_ = &pool; }
  MemoryPool& make();
  /// It is found no more, and gone when all of it is given back. The standard one cannot be destroyed. Throws
  /// CallError, as `at`.
  void destroy(void* handle);
  MemoryPool& at(void* handle);
  void take(MemoryPool& pool, Address address, std::uint64_t bytes);
  /// What is not of a pool is not known here.
  void give(Address address);

 private:
  struct Piece {
    std::shared_ptr<MemoryPool> pool;
    std::uint64_t bytes;
  };
  std::map<const void*, std::shared_ptr<MemoryPool>> pools_;
  MemoryPool *standard_, *current_;
  std::map<Address, Piece> pieces_;
};

class Device;
/// What both libraries do for their calls. All throw CallError.
MemoryPool& make_pool(Device& device, const abi::PoolProperties& properties);
void check_location(const abi::MemoryLocation* location);
void check_access(Device& device, void* pool, const abi::MemoryAccess* rights, std::size_t count);

}  // namespace strata::cuda
