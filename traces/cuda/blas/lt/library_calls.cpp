// Handles of cuBLASLt, versions, names of codes, and what changes nothing.
#include <atomic>

#include "traces/cuda/blas/context.h"
#include "traces/cuda/blas/status.h"
#include "traces/cuda/blas/version.h"

using namespace strata::cuda::blas;

STRATA_CUDA_CALL cublasLtCreate(void** handle) {
  return make_context(handle);
}
STRATA_CUDA_CALL cublasLtDestroy(void* handle) {
  return drop_context(handle);
}
STRATA_CUDA_ENTRY std::size_t cublasLtGetVersion() {
  return static_cast<std::size_t>(library_major) * 10000;
}
STRATA_CUDA_ENTRY std::size_t cublasLtGetCudartVersion() {
  return static_cast<std::size_t>(library_major) * 1000;
}
STRATA_CUDA_CALL cublasLtGetProperty(int which, int* value) {
  if (value == nullptr || which < 0 || which > 2) return invalid;
  *value = which == 0 ? library_major : 0;
  return fine;
}
STRATA_CUDA_ENTRY const char* cublasLtGetStatusName(int status) {
  return name_of_status(status);
}
STRATA_CUDA_ENTRY const char* cublasLtGetStatusString(int status) {
  return text_of_status(status);
}

// Nothing is kept of heuristics, the host needs no special instructions, and nothing is logged: what is asked
// for is told back.
namespace {
std::atomic<std::size_t> capacity{8192};
std::atomic<unsigned> mask{0};
}  // namespace

STRATA_CUDA_CALL cublasLtHeuristicsCacheGetCapacity(std::size_t* entries) {
  if (entries == nullptr) return invalid;
  *entries = capacity;
  return fine;
}
STRATA_CUDA_CALL cublasLtHeuristicsCacheSetCapacity(std::size_t entries) {
  capacity = entries;
  return fine;
}
STRATA_CUDA_ENTRY unsigned cublasLtDisableCpuInstructionsSetMask(unsigned wanted) {
  return mask.exchange(wanted);
}
STRATA_CUDA_CALL cublasLtLoggerSetCallback(void (*)(int, const char*, const char*)) {
  return fine;
}
STRATA_CUDA_CALL cublasLtLoggerSetFile(void*) {
  return fine;
}
STRATA_CUDA_CALL cublasLtLoggerOpenFile(const char*) {
  return fine;
}
STRATA_CUDA_CALL cublasLtLoggerSetLevel(int level) {
  return level >= 0 && level <= 5 ? fine : invalid;
}
STRATA_CUDA_CALL cublasLtLoggerSetMask(int) {
  return fine;
}
STRATA_CUDA_CALL cublasLtLoggerForceDisable() {
  return fine;
}
