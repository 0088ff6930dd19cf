// Calls of the driver library that a program asks the runtime library for.
#include "traces/cuda/runtime/call.h"
#include "traces/cuda/runtime/runtime_version.h"

using namespace strata::cuda;

extern "C" int cuGetProcAddress_v2(const char* symbol, void** to, int version, std::uint64_t flags,
                                   int* status);

/// One that is not there is named; the program is told by `result` (0 found, 1 not there), which version 11
/// does not have.
STRATA_CUDA_CALL cudaGetDriverEntryPointByVersion(const char* symbol, void** to, unsigned version,
                                                  unsigned long long flags, int* result) {
  return call([&](Device&) {
    if (symbol == nullptr || to == nullptr) throw CallError(invalid_value);
    const int code = cuGetProcAddress_v2(symbol, to, static_cast<int>(version), flags, nullptr);
    if (code != success && code != not_found) throw CallError(static_cast<Error>(code));
    if (result != nullptr) *result = code == success ? 0 : 1;
  });
}
STRATA_CUDA_ALIAS(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion)
STRATA_CUDA_CALL cudaGetDriverEntryPoint(const char* symbol, void** to, unsigned long long flags,
                                         int* result) {
  return cudaGetDriverEntryPointByVersion(symbol, to, static_cast<unsigned>(runtime_major * 1000), flags,
                                          runtime_major < 12 ? nullptr : result);
}
STRATA_CUDA_ALIAS(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint)
