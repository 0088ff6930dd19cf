#include <algorithm>
#include <vector>

#include "traces/cuda/device/streams.h"
#include "traces/cuda/runtime/call.h"
#include "traces/cuda/runtime/registry.h"

using namespace strata;
using namespace strata::cuda;
using abi::Handle;

namespace {

struct Configuration {
  Dim3 grid, block;
  std::size_t shared;
  Handle stream;
};
thread_local std::vector<Configuration> configurations;  // between <<<...>>> and the call behind it

int launch(const void* host, Dim3 grid, Dim3 block, void** values, std::size_t shared, Handle stream,
           bool cooperative) {
  return call([&](Device& device) {
    GraphNode node;
    node.kind = GraphNode::Kind::kernel;
    node.launch = std::make_shared<Launch>(device.prepare(function_of(host), grid, block, shared, values));
    node.launch->cooperative = cooperative;
    put(device, stream, std::move(node));
  });
}

int occupancy(int* blocks, const void* host, int threads, std::size_t shared) {
  return call([&](Device& device) {
    if (blocks == nullptr || threads <= 0) throw CallError(invalid_value);
    const auto& k = device.kernel(function_of(host));
    *blocks = device.description().resident_blocks(static_cast<std::uint32_t>(threads), k.registers,
                                                   k.static_shared_bytes + shared);
  });
}

}  // namespace

STRATA_CUDA_ENTRY unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared,
                                                       Handle stream) {
  configurations.push_back({grid, block, shared, stream});
  return success;
}

STRATA_CUDA_CALL __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) return 52;  // cudaErrorMissingConfiguration
  const Configuration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<Handle*>(stream) = last.stream;
  return success;
}

STRATA_CUDA_CALL cudaLaunchKernel(const void* host, Dim3 grid, Dim3 block, void** values, std::size_t shared,
                                  Handle stream) {
  return launch(host, grid, block, values, shared, stream, false);
}
STRATA_CUDA_CALL cudaLaunchKernel_ptsz(const void* host, Dim3 grid, Dim3 block, void** values,
                                       std::size_t shared, Handle stream) {
  return launch(host, grid, block, values, shared, of_thread(stream), false);
}
STRATA_CUDA_ALIAS(__cudaLaunchKernel, cudaLaunchKernel)
STRATA_CUDA_ALIAS(__cudaLaunchKernel_ptsz, cudaLaunchKernel_ptsz)

STRATA_CUDA_CALL cudaLaunchCooperativeKernel(const void* host, Dim3 grid, Dim3 block, void** values,
                                             std::size_t shared, Handle stream) {
  return launch(host, grid, block, values, shared, stream, true);
}
STRATA_CUDA_CALL cudaLaunchCooperativeKernel_ptsz(const void* host, Dim3 grid, Dim3 block, void** values,
                                                  std::size_t shared, Handle stream) {
  return launch(host, grid, block, values, shared, of_thread(stream), true);
}

STRATA_CUDA_CALL cudaLaunchKernelExC(const abi::LaunchConfig* config, const void* host, void** values) {
  if (config == nullptr) return last_error() = invalid_value;
  // An attribute is its number, 4 bytes of padding and 64 of value; 2: cooperative.
  bool cooperative = false;
  const auto* const attributes = static_cast<const char*>(config->attributes);
  for (unsigned i = 0; attributes != nullptr && i < config->attribute_count; ++i)
    if (*reinterpret_cast<const int*>(attributes + 72 * i) == 2)
      cooperative = *reinterpret_cast<const int*>(attributes + 72 * i + 8) != 0;
  return launch(host, config->grid, config->block, values, config->shared, config->stream, cooperative);
}
STRATA_CUDA_CALL cudaLaunchKernelExC_ptsz(const abi::LaunchConfig* config, const void* host, void** values) {
  if (config == nullptr) return last_error() = invalid_value;
  abi::LaunchConfig own = *config;
  own.stream = of_thread(own.stream);
  return cudaLaunchKernelExC(&own, host, values);
}

STRATA_CUDA_CALL cudaFuncGetAttributes(abi::FunctionAttributes* to, const void* host) {
  return call([&](Device& device) {
    Function& function = function_of(host);
    const auto& k = device.kernel(function);
    *to = abi::FunctionAttributes();
    to->shared_bytes = k.static_shared_bytes;
    to->local_bytes = k.local_bytes;
    to->most_threads = static_cast<int>(k.max_threads);
    to->registers = static_cast<int>(k.registers);
    to->ptx_version = function.module->ptx_version();
    to->binary_version = device.description().capability;
    to->most_dynamic_shared = function.most_dynamic_shared - static_cast<int>(k.static_shared_bytes);
    to->preferred_carveout = -1;
  });
}

STRATA_CUDA_CALL cudaFuncSetAttribute(const void* host, int attribute, int value) {
  constexpr int most_dynamic_shared = 8;
  return call([&](Device& device) {
    Function& function = function_of(host);
    if (attribute != most_dynamic_shared) return;
    const auto& k = device.kernel(function);
    if (value < 0 || value + static_cast<int>(k.static_shared_bytes) > device.description().shared_per_block)
      throw CallError(invalid_value);
    function.most_dynamic_shared = value + static_cast<int>(k.static_shared_bytes);
  });
}
STRATA_CUDA_CALL cudaFuncSetCacheConfig(const void* host, int) {
  return call([&](Device&) { function_of(host); });
}
STRATA_CUDA_CALL cudaFuncSetSharedMemConfig(const void* host, int) {
  return call([&](Device&) { function_of(host); });
}
STRATA_CUDA_CALL cudaFuncGetName(const char** name, const void* host) {
  return call([&](Device&) { *name = function_of(host).name.c_str(); });
}
STRATA_CUDA_CALL cudaGetFuncBySymbol(Handle* function, const void* host) {
  return call([&](Device&) { *function = &function_of(host); });
}

STRATA_CUDA_CALL cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int threads,
                                                               std::size_t shared) {
  return occupancy(blocks, host, threads, shared);
}
STRATA_CUDA_CALL cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host,
                                                                        int threads, std::size_t shared,
                                                                        unsigned) {
  return occupancy(blocks, host, threads, shared);
}
STRATA_CUDA_CALL cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* host, int blocks,
                                                           int threads) {
  return call([&](Device& device) {
    const auto& k = device.kernel(function_of(host));
    if (blocks <= 0 || threads <= 0) throw CallError(invalid_value);
    const int of_each = device.description().shared_per_sm / blocks - device.description().reserved_shared;
    const int most = std::min(of_each, device.description().shared_per_block);
    *bytes = static_cast<std::size_t>(std::max(0, most - static_cast<int>(k.static_shared_bytes)));
  });
}
