#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "traces/cuda/device/abi_memory.h"
#include "traces/ptx/global_memory.h"

namespace strata::cuda {

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
