#pragma once

#include <cstddef>

/// What programs say of memory that they map themselves, and of pools, as the ABI lays it out.
namespace strata::cuda::abi {

/// CUmemLocation: 1 a device, others of the host.
struct MemoryLocation {
  int type, id;
};
/// CUmemAllocationProp.
struct MemoryProperties {
  int type;     ///< 1: pinned, the only one
  int handles;  ///< by which other processes may know it
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
  int handles;  ///< by which other processes may know its memory
  MemoryLocation location;
  void* security;
  std::size_t most;  ///< 0: as much as there is
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
