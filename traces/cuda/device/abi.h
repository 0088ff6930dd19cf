#pragma once

#include <cstddef>
#include <cstdint>

#include "models/common/instruction_source.h"

/// What programs pass to the runtime library, as the ABI of CUDA 11 to 13 lays it out; written from the
/// documented structures, no header of CUDA is needed.
namespace strata::cuda::abi {

using Handle = void*;  ///< stream, event, graph...

struct Extent {
  std::size_t width, height, depth;
};
struct Position {
  std::size_t x, y, z;
};
struct PitchedPointer {
  void* pointer;
  std::size_t pitch, width, height;
};
struct Copy3D {
  Handle from_array;
  Position from_position;
  PitchedPointer from;
  Handle to_array;
  Position to_position;
  PitchedPointer to;
  Extent extent;
  int kind;
};
static_assert(sizeof(Copy3D) == 160);

struct ChannelFormat {
  int x, y, z, w;  ///< bits
  int kind;
};

struct PointerAttributes {
  int type;  ///< 0 unknown to CUDA, 1 host, 2 device, 3 managed
  int device;
  void* of_device;
  void* of_host;
};

struct FunctionAttributes {
  std::size_t shared_bytes, constant_bytes, local_bytes;
  int most_threads, registers, ptx_version, binary_version, cache_mode, most_dynamic_shared,
      preferred_carveout;
};

struct LaunchConfig {
  Dim3 grid, block;
  std::size_t shared;
  Handle stream;
  void* attributes;
  unsigned attribute_count;
};

struct KernelNode {
  const void* function;
  Dim3 grid, block;
  unsigned shared;
  void** values;
  void** extra;
};
struct MemsetNode {
  void* to;
  std::size_t pitch;
  unsigned value, element_bytes;
  std::size_t width, height;
};
struct HostNode {
  void (*function)(void*);
  void* data;
};

struct MemoryNode {
  char pool[88];  ///< its properties
  const void* access;
  std::size_t accesses, bytes;
  void* at;  ///< filled in
};
static_assert(sizeof(MemoryNode) == 120);
struct ConditionNode {
  std::uint64_t handle;
  int kind;
  unsigned count;
  Handle* bodies;  ///< filled in
};
/// cudaGraphNodeParams: `kind` says which of the others.
struct NodeParameters {
  int kind;
  int reserved[3];
  union {
    long long padding[29];
    KernelNode kernel;
    struct {
      int reserved[4];
      Copy3D all;
    } copy;
    MemsetNode fill;
    HostNode host;
    Handle graph;
    MemoryNode allocate;
    void* free;
    Handle event;
    ConditionNode condition;
  };
  long long reserved_too;
};
static_assert(sizeof(NodeParameters) == 256);

struct FatBinaryWrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* const* prelinked;  ///< version 2: a list of fat binaries to link, ended by nullptr
};

}  // namespace strata::cuda::abi
