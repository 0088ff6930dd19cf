#pragma once

#include <cstddef>
#include <cstdint>

#include "models/common/instruction_source.h"

/// Arguments that programs pass to the runtime library, in the ABI of CUDA 11 to 13; written from the
/// documented structures, so that no header of CUDA is needed.
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
/// cudaGraphNodeParams: `kind` selects the member.
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
  const void* const* prelinked;  ///< version 2: a null-terminated list of fat binaries to link
};

// Arguments for memory that programs map themselves, and for pools.

/// CUmemLocation: 1 a device, others of the host.
struct MemoryLocation {
  int type, id;
};
/// CUmemAllocationProp.
struct MemoryProperties {
  int type;     ///< 1: pinned, the only one
  int handles;  ///< kinds of handle that other processes may use
  MemoryLocation location;
  void* security;
  unsigned char compression, remote;
  unsigned short usage;
  unsigned char reserved[4];
};
static_assert(sizeof(MemoryProperties) == 32);
/// cudaMemPoolProps, CUmemPoolProps.
struct PoolProperties {
  int type;     ///< 1: pinned
  int handles;  ///< kinds of handle that other processes may use
  MemoryLocation location;
  void* security;
  std::size_t most;  ///< 0: no limit
  unsigned short usage;
  unsigned char reserved[54];
};
static_assert(sizeof(PoolProperties) == 88);
/// CUmemAccessDesc.
struct MemoryAccess {
  MemoryLocation location;
  unsigned access;
};
/// cudaMemcpyAttributes, CUmemcpyAttributes.
struct CopyAttributes {
  int order;  ///< when the source may be read: 1 in the order of the stream, 2 during the call, 3 at any time
  MemoryLocation from, to;
  unsigned flags;
};
static_assert(sizeof(CopyAttributes) == 24);

}  // namespace strata::cuda::abi
