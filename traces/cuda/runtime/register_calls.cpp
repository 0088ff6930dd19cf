// What runs before main(): a program's fat binaries, kernels and variables.
#include <map>
#include <string>

#include "traces/cuda/device/abi.h"
#include "traces/cuda/device/streams.h"
#include "traces/cuda/runtime/call.h"

namespace strata::cuda {
namespace {

/// Of which module, and its name there.
struct Symbol {
  Module* module;
  std::string name;
};

struct Managed {
  Module* module;
  std::string name;
  void** host;  ///< the host finds the variable there
};

struct Registry {
  std::map<const void*, Function*> functions;
  std::map<const void*, Symbol> variables;
  std::vector<Managed> managed;
};

Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

Module& module_of(void** handle) {
  return *reinterpret_cast<Module*>(handle);
}

}  // namespace

Function& function_of(const void* host) {
  const auto found = registry().functions.find(host);
  if (found == registry().functions.end()) throw CallError(invalid_function);
  return *found->second;
}

const void* host_of(const Function& function) {
  for (const auto& one : registry().functions)
    if (one.second == &function) return one.first;
  return nullptr;
}

Address symbol_address(Device& device, const void* host, std::uint64_t* bytes) {
  const auto found = registry().variables.find(host);
  if (found == registry().variables.end()) throw CallError(invalid_symbol);
  return device.variable(*found->second.module, found->second.name, bytes);
}

}  // namespace strata::cuda

using namespace strata::cuda;

STRATA_CUDA_ENTRY void** __cudaRegisterFatBinary(void* wrapper) {
  Device& device = Device::get();
  const std::lock_guard<std::recursive_mutex> lock(device.mutex);
  return reinterpret_cast<void**>(&device.load_wrapped(*static_cast<const abi::FatBinaryWrapper*>(wrapper)));
}

STRATA_CUDA_ENTRY void __cudaRegisterFatBinaryEnd(void**) {}
STRATA_CUDA_ENTRY void __cudaUnregisterFatBinary(void**) {}

STRATA_CUDA_ENTRY void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int,
                                              void*, void*, void*, void*, int*) {
  registry().functions[host] = &module_of(handle).function(name);
}

STRATA_CUDA_ENTRY void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t,
                                         int, int) {
  registry().variables[host] = {&module_of(handle), name};
}

STRATA_CUDA_ENTRY void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int,
                                                std::size_t, int, int) {
  registry().managed.push_back({&module_of(handle), name, host});
  registry().variables[host] = {&module_of(handle), name};
}

// Managed variables are there once their module is.
STRATA_CUDA_ENTRY char __cudaInitModule(void** handle) {
  Device& device = Device::get();
  const std::lock_guard<std::recursive_mutex> lock(device.mutex);
  for (const Managed& one : registry().managed) {
    if (one.module != &module_of(handle) || *one.host != nullptr) continue;
    try {
      *one.host = reinterpret_cast<void*>(device.managed_variable(*one.module, one.name));
    } catch (const CallError&) {
      return 0;
    }
  }
  return 1;
}

STRATA_CUDA_CALL __cudaGetKernel(void** kernel, const void* host) {
  *kernel = const_cast<void*>(host);
  return success;
}
