#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "models/common/units.h"
#include "traces/cuda/device/abi.h"
#include "traces/ptx/global_memory.h"

namespace strata::cuda {

/// A pool for stream-ordered allocation (CUDA runtime API, "Stream Ordered Memory Allocator"). All memory
/// comes from the device; the pool keeps the numbers that programs query.
struct MemoryPool {
  static constexpr std::uint64_t page = std::uint64_t{2} << 20;  ///< unit of reserved memory
  int reuse[3] = {1, 1, 1};  ///< reuse after events, of free memory, and with new dependences
  std::uint64_t most = 0;    ///< limit of used bytes; 0: none
  std::uint64_t kept = 0;    ///< unused bytes that stay reserved
  std::uint64_t used = 0, most_used = 0, most_reserved = 0;
  std::uint64_t held = 0;  ///< bytes reserved since the last trim

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
  /// Removes the pool; its memory lives until all of it is freed. The default pool cannot be destroyed.
  /// Throws CallError, as `at`.
  void destroy(void* handle);
  MemoryPool& at(void* handle);
  void take(MemoryPool& pool, Address address, std::uint64_t bytes);
  /// Ignores addresses that are not of a pool.
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
/// Shared bodies of calls of both libraries. All throw CallError.
MemoryPool& make_pool(Device& device, const abi::PoolProperties& properties);
void check_location(const abi::MemoryLocation* location);
void check_access(Device& device, void* pool, const abi::MemoryAccess* rights, std::size_t count);

class Device;
struct Graph;
struct GraphNode;

/// Memory of an allocation node of a graph: its address is the same in every launch.
class GraphMemory {
 public:
  GraphMemory(Device& device, std::uint64_t bytes);
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  Address address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  Device& device_;
  std::uint64_t bytes_;
  Address address_;
};

/// Allocations of graph nodes that have not been freed, and the memory that they hold: whole pages, kept for
/// later launches until they are trimmed.
class GraphPool {
 public:
  /// Allocates for a node. Throws CallError(invalid_value) if its last allocation has not been freed.
  void take(Device& device, std::shared_ptr<GraphMemory> memory);
  /// Frees; false if it is not allocated.
  bool give(Address address);
  /// True if the address belongs to a node: then only its allocation can be freed.
  bool reserves(Address address) const { return reserved_.count(address) != 0; }
  void reserve(Address address) { reserved_.insert(address); }
  void unreserve(Address address) { reserved_.erase(address); }
  void trim() { held_ = live_; }
  std::uint64_t held() const { return held_; }
  std::uint64_t most_held() const { return most_held_; }
  void forget_most() { most_held_ = held_; }

 private:
  std::map<Address, std::shared_ptr<GraphMemory>> allocated_;
  std::set<Address> reserved_;
  std::uint64_t live_ = 0, held_ = 0, most_held_ = 0;
};

/// Adds an allocation node. It reuses the address of an allocation that is freed before it, if one is large
/// enough. Throws CallError.
GraphNode& add_allocation(Device& device, Graph& graph, GraphNode node, std::uint64_t bytes);
/// Adds a node that frees an allocation of this graph, of another graph or of the program.
GraphNode& add_release(Graph& graph, GraphNode node, Address address);

/// Reserved addresses, memory handles and mappings (CUDA driver API, "Virtual Memory Management"). Memory can
/// be mapped at several addresses. Adjacent mappings form one range. All calls throw CallError.
class VirtualMemory {
 public:
  static constexpr std::uint64_t granularity = std::uint64_t{2} << 20;  ///< page size of a GPU
  enum Access : unsigned { none = 0, read = 1, read_write = 3 };

  explicit VirtualMemory(traces::GlobalMemory& memory) : memory_(memory) {}
  ~VirtualMemory();
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  Address reserve(std::uint64_t bytes, std::uint64_t align);
  void release(Address at, std::uint64_t bytes);
  /// Makes memory and returns a handle. The memory lives until the handle is released and all mappings are
  /// removed.
  std::uint64_t create(const abi::MemoryProperties& properties, std::uint64_t bytes);
  void drop(std::uint64_t handle);
  /// Another reference to the handle of the memory mapped at `at`.
  std::uint64_t retain(Address at);
  const abi::MemoryProperties& properties(std::uint64_t handle) const;
  /// Maps memory; it is not accessible before `allow`.
  void map(Address at, std::uint64_t bytes, std::uint64_t handle);
  /// Removes whole mappings.
  void unmap(Address at, std::uint64_t bytes);
  void allow(Address at, std::uint64_t bytes, Access access);
  Access access(Address at) const;
  /// True if `at` is in a reserved range.
  bool reserves(Address at) const;
  /// Bytes of all memory handles.
  std::uint64_t bytes() const { return bytes_; }

 private:
  /// Memory: an anonymous file of the host with its bytes and the bits of set bytes.
  struct Physical {
    abi::MemoryProperties properties;
    std::uint64_t bytes = 0;
    int file = -1;
    unsigned users = 0;  ///< handles and mappings
    unsigned handles = 0;
  };
  struct Piece {
    std::uint64_t bytes = 0, handle = 0;
    Access access = none;
  };
  struct Range {
    std::uint64_t bytes = 0, align = 0;
    std::uint8_t* data = nullptr;
    std::uint8_t* set = nullptr;
    std::map<Address, Piece> pieces;
  };
  using Ranges = std::map<Address, Range>;
  Ranges::iterator range_of(Address at, std::uint64_t bytes);
  Physical& physical(std::uint64_t handle);
  void leave(std::uint64_t handle);
  void show(Address begin, Range& range, bool shown);

  traces::GlobalMemory& memory_;
  Ranges ranges_;
  std::map<std::uint64_t, Physical> all_;
  std::uint64_t made_ = 0, bytes_ = 0;
};

}  // namespace strata::cuda
