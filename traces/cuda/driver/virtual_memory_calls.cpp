// Memory that programs make and put at addresses of their own.
#include <string>

#include "traces/cuda/driver/driver_call.h"

using namespace strata;
using namespace strata::cuda;

namespace {

constexpr int on_device = 1;  // CU_MEM_LOCATION_TYPE_DEVICE

/// Throws CallError for what is not memory of the device.
void check(Device& device, const abi::MemoryProperties& what, const char* call) {
  if (what.type != 1) throw CallError(invalid_value);
  if (what.location.type != on_device)
    throw CallError(
        device.absent((std::string(call) + " of memory of the host").c_str(), "CUDA_ERROR_NOT_SUPPORTED"));
  if (what.location.id != 0) throw CallError(invalid_device);
}

}  // namespace

/// The address that the program would like is a hint, which is not followed.
STRATA_CUDA_CALL cuMemAddressReserve(Address* to, std::size_t bytes, std::size_t align, Address,
                                     unsigned long long flags) {
  return guarded([&](Device& device) {
    if (to == nullptr || flags != 0) throw CallError(invalid_value);
    *to = device.virtual_memory().reserve(bytes, align);
  });
}
STRATA_CUDA_CALL cuMemAddressFree(Address at, std::size_t bytes) {
  return guarded([&](Device& device) { device.virtual_memory().release(at, bytes); });
}
STRATA_CUDA_CALL cuMemCreate(std::uint64_t* handle, std::size_t bytes, const abi::MemoryProperties* what,
                             unsigned long long flags) {
  return guarded([&](Device& device) {
    if (handle == nullptr || what == nullptr || flags != 0) throw CallError(invalid_value);
    check(device, *what, "cuMemCreate");
    if (what->handles != 0)
      throw CallError(
          device.absent("cuMemCreate of memory that processes share", "CUDA_ERROR_NOT_SUPPORTED"));
    if (device.used_bytes() + bytes > device.description().memory) throw CallError(out_of_memory);
    abi::MemoryProperties properties = *what;
    int compresses = 0;
    device.description().attribute(107, compresses);  // CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED
    if (compresses == 0) properties.compression = 0;  // may be asked for all the same
    *handle = device.virtual_memory().create(properties, bytes);
  });
}
STRATA_CUDA_CALL cuMemRelease(std::uint64_t handle) {
  return guarded([&](Device& device) { device.virtual_memory().drop(handle); });
}
STRATA_CUDA_CALL cuMemRetainAllocationHandle(std::uint64_t* handle, void* at) {
  return guarded([&](Device& device) { *handle = device.virtual_memory().retain(address(at)); });
}
STRATA_CUDA_CALL cuMemGetAllocationPropertiesFromHandle(abi::MemoryProperties* to, std::uint64_t handle) {
  return guarded([&](Device& device) { *to = device.virtual_memory().properties(handle); });
}
STRATA_CUDA_CALL cuMemGetAllocationGranularity(std::size_t* bytes, const abi::MemoryProperties* what,
                                               int which) {
  return guarded([&](Device& device) {
    if (bytes == nullptr || what == nullptr || which < 0 || which > 1) throw CallError(invalid_value);
    check(device, *what, "cuMemGetAllocationGranularity");
    *bytes = VirtualMemory::granularity;
  });
}
STRATA_CUDA_CALL cuMemMap(Address at, std::size_t bytes, std::size_t offset, std::uint64_t handle,
                          unsigned long long flags) {
  return guarded([&](Device& device) {
    if (offset != 0 || flags != 0) throw CallError(invalid_value);
    device.virtual_memory().map(at, bytes, handle);
  });
}
STRATA_CUDA_CALL cuMemUnmap(Address at, std::size_t bytes) {
  return guarded([&](Device& device) { device.virtual_memory().unmap(at, bytes); });
}
STRATA_CUDA_CALL cuMemSetAccess(Address at, std::size_t bytes, const abi::MemoryAccess* rights,
                                std::size_t count) {
  return guarded([&](Device& device) {
    if (rights == nullptr || count == 0) throw CallError(invalid_value);
    for (const abi::MemoryAccess* one = rights; one != rights + count; ++one) {
      if (one->location.type != on_device)
        throw CallError(device.absent("cuMemSetAccess for the host", "CUDA_ERROR_NOT_SUPPORTED"));
      if (one->location.id != 0) throw CallError(invalid_device);
      if (one->access != VirtualMemory::none && one->access != VirtualMemory::read &&
          one->access != VirtualMemory::read_write)
        throw CallError(invalid_value);
    }
    device.virtual_memory().allow(at, bytes, static_cast<VirtualMemory::Access>(rights[count - 1].access));
  });
}
STRATA_CUDA_CALL cuMemGetAccess(unsigned long long* access, const abi::MemoryLocation* location, Address at) {
  return guarded([&](Device& device) {
    if (location->type != on_device || location->id != 0) throw CallError(invalid_device);
    *access = device.virtual_memory().access(at);
  });
}
