// Contexts, their modes, versions, names of codes, and copies of vectors and matrices.
#include <cstring>

#include "traces/cuda/blas/context.h"
#include "traces/cuda/blas/status.h"
#include "traces/cuda/blas/version.h"

using namespace strata::cuda;
using namespace strata::cuda::blas;
using abi::Handle;

namespace {

constexpr int minor = 0, patch = 0;

template <class Value>
int get(void* handle, Value Context::*field, Value* to) {
  return call(handle, [&](Device&, Context& context) {
    require(to != nullptr);
    *to = context.*field;
  });
}
template <class Value>
int set(void* handle, Value Context::*field, Value value, bool allowed = true) {
  return call(handle, [&](Device&, Context& context) {
    require(allowed);
    context.*field = value;
  });
}

/// Columns of elements that lie a pitch apart; a vector is a matrix of one row.
int copy(std::int64_t rows, std::int64_t columns, std::int64_t bytes, const void* from,
         std::int64_t from_pitch, void* to, std::int64_t to_pitch, Handle stream) {
  if (rows < 0 || columns < 0 || bytes <= 0 || from_pitch < rows || to_pitch < rows || from_pitch <= 0 ||
      to_pitch <= 0)
    return invalid;
  if (rows == 0 || columns == 0) return fine;
  const int error = guarded([&](Device& device) {
    put(device, stream, GraphNode::Kind::copy, [=](Device& on) {
      if (from_pitch == rows && to_pitch == rows) {
        on.copy(to, from, static_cast<std::uint64_t>(rows * columns * bytes));
        return;
      }
      for (std::int64_t i = 0; i < columns; ++i)
        on.copy(static_cast<char*>(to) + i * to_pitch * bytes,
                static_cast<const char*>(from) + i * from_pitch * bytes,
                static_cast<std::uint64_t>(rows * bytes));
    });
  });
  return error == success         ? fine
         : error == out_of_memory ? allocation_failed
                                  : 11;  // CUBLAS_STATUS_MAPPING_ERROR
}

}  // namespace

STRATA_CUDA_CALL cublasCreate_v2(void** handle) {
  return make_context(handle);
}
STRATA_CUDA_CALL cublasDestroy_v2(void* handle) {
  return drop_context(handle);
}
STRATA_CUDA_CALL cublasSetStream_v2(void* handle, Handle stream) {
  return call(handle, [&](Device&, Context& context) {
    stream_of(stream);
    context.stream = stream;
  });
}
STRATA_CUDA_CALL cublasGetStream_v2(void* handle, Handle* stream) {
  return get(handle, &Context::stream, stream);
}
STRATA_CUDA_CALL cublasSetPointerMode_v2(void* handle, int mode) {
  return set(handle, &Context::pointer_mode, mode, mode == of_host || mode == of_device);
}
STRATA_CUDA_CALL cublasGetPointerMode_v2(void* handle, int* mode) {
  return get(handle, &Context::pointer_mode, mode);
}
STRATA_CUDA_CALL cublasSetMathMode(void* handle, int mode) {
  return set(handle, &Context::math_mode, mode);
}
STRATA_CUDA_CALL cublasGetMathMode(void* handle, int* mode) {
  return get(handle, &Context::math_mode, mode);
}
STRATA_CUDA_CALL cublasSetAtomicsMode(void* handle, int mode) {
  return set(handle, &Context::atomics_mode, mode, mode == 0 || mode == 1);
}
STRATA_CUDA_CALL cublasGetAtomicsMode(void* handle, int* mode) {
  return get(handle, &Context::atomics_mode, mode);
}
STRATA_CUDA_CALL cublasSetSmCountTarget(void* handle, int target) {
  return set(handle, &Context::sm_count_target, target, target >= 0);
}
STRATA_CUDA_CALL cublasGetSmCountTarget(void* handle, int* target) {
  return get(handle, &Context::sm_count_target, target);
}
// Our kernels need none of it.
STRATA_CUDA_CALL cublasSetWorkspace_v2(void* handle, void*, std::size_t) {
  return call(handle, [](Device&, Context&) {});
}
STRATA_CUDA_CALL cublasLoggerConfigure(int, int, int, const char*) {
  return fine;
}
STRATA_CUDA_CALL cublasSetLoggerCallback(void (*)(const char*)) {
  return fine;
}

STRATA_CUDA_CALL cublasGetVersion_v2(void*, int* version) {
  if (version == nullptr) return invalid;
  *version = library_major * 10000 + minor * 100 + patch;
  return fine;
}
STRATA_CUDA_CALL cublasGetProperty(int which, int* value) {
  if (value == nullptr || which < 0 || which > 2) return invalid;
  *value = which == 0 ? library_major : which == 1 ? minor : patch;
  return fine;
}
STRATA_CUDA_ENTRY std::size_t cublasGetCudartVersion() {
  return static_cast<std::size_t>(library_major) * 1000;
}

STRATA_CUDA_ENTRY const char* cublasGetStatusName(int status) {
  return name_of_status(status);
}
STRATA_CUDA_ENTRY const char* cublasGetStatusString(int status) {
  return text_of_status(status);
}

STRATA_CUDA_CALL cublasSetVectorAsync(int n, int bytes, const void* from, int from_step, void* to,
                                      int to_step, Handle stream) {
  return copy(1, n, bytes, from, from_step, to, to_step, stream);
}
STRATA_CUDA_CALL cublasSetVector(int n, int bytes, const void* from, int from_step, void* to, int to_step) {
  return copy(1, n, bytes, from, from_step, to, to_step, nullptr);
}
STRATA_CUDA_ALIAS(cublasGetVectorAsync, cublasSetVectorAsync)
STRATA_CUDA_ALIAS(cublasGetVector, cublasSetVector)
STRATA_CUDA_CALL cublasSetMatrixAsync(int rows, int columns, int bytes, const void* from, int from_pitch,
                                      void* to, int to_pitch, Handle stream) {
  return copy(rows, columns, bytes, from, from_pitch, to, to_pitch, stream);
}
STRATA_CUDA_CALL cublasSetMatrix(int rows, int columns, int bytes, const void* from, int from_pitch, void* to,
                                 int to_pitch) {
  return copy(rows, columns, bytes, from, from_pitch, to, to_pitch, nullptr);
}
STRATA_CUDA_ALIAS(cublasGetMatrixAsync, cublasSetMatrixAsync)
STRATA_CUDA_ALIAS(cublasGetMatrix, cublasSetMatrix)
