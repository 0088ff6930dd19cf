#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "models/common/units.h"
#include "traces/cuda/device/abi.h"
#include "traces/ptx/global_memory.h"

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

class Device;
struct Graph;
struct GraphNode;

/// An address that a node of a graph allocates: it stays the node's own, in every launch.
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

/// What nodes of graphs have allocated and nobody has freed, and how much memory that takes: whole pages,
/// kept for later launches until they are trimmed.
class GraphPool {
 public:
  /// A node allocates. Throws CallError(invalid_value) when nobody has freed what it allocated before.
  void take(Device& device, std::shared_ptr<GraphMemory> memory);
  /// False: it is not allocated.
  bool give(Address address);
  /// Whether it is that of a node: only what has been allocated there can be freed.
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

/// A node that allocates, at the address of one that is freed before it when there is one large enough.
/// Throws CallError.
GraphNode& add_allocation(Device& device, Graph& graph, GraphNode node, std::uint64_t bytes);
/// A node that frees what this graph, another one or nobody's allocated.
GraphNode& add_release(Graph& graph, GraphNode node, Address address);

/// Addresses that a program reserves, memory that it makes, and what it puts where (CUDA driver API, "Virtual
/// Memory Management"). The same memory may lie at several addresses; addresses side by side are one piece,
/// whatever lies behind them. All calls throw CallError.
class VirtualMemory {
 public:
  static constexpr std::uint64_t granularity = std::uint64_t{2} << 20;  ///< a page of a GPU
  enum Access : unsigned { none = 0, read = 1, read_write = 3 };

  explicit VirtualMemory(traces::GlobalMemory& memory) : memory_(memory) {}
  ~VirtualMemory();
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  Address reserve(std::uint64_t bytes, std::uint64_t align);
  void release(Address at, std::uint64_t bytes);
  /// A handle, which keeps the memory until it is dropped; so does each place where it lies.
  std::uint64_t create(const abi::MemoryProperties& properties, std::uint64_t bytes);
  void drop(std::uint64_t handle);
  /// The handle of what lies at `at`, once more to be dropped.
  std::uint64_t retain(Address at);
  const abi::MemoryProperties& properties(std::uint64_t handle) const;
  /// Nobody may use it there before `allow`.
  void map(Address at, std::uint64_t bytes, std::uint64_t handle);
  /// Whole pieces, as they were mapped.
  void unmap(Address at, std::uint64_t bytes);
  void allow(Address at, std::uint64_t bytes, Access access);
  Access access(Address at) const;
  /// Whether `at` lies in a reserved range.
  bool reserves(Address at) const;
  /// Of all memory that exists.
  std::uint64_t bytes() const { return bytes_; }

 private:
  /// Memory: a file of the host's without a name, its bytes and behind them which of these are set.
  struct Physical {
    abi::MemoryProperties properties;
    std::uint64_t bytes = 0;
    int file = -1;
    unsigned users = 0;  ///< handles to drop, and places
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
