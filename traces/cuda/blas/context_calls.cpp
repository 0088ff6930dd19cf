// Contexts, their modes, versions, names of codes, and copies of vectors and matrices.
#include <algorithm>
#include <cstring>
#include <string>

#include "traces/cuda/blas/context.h"
#include "traces/cuda/blas/text_for.h"

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

/// Copies columns of elements with a pitch; a vector is a matrix of one row.
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
// Strata's kernels need none of it.
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

// LU factors of many small matrices.

namespace {

constexpr unsigned factor_threads = 128;

/// A thread block per matrix, column by column: one thread finds the pivot, all swap rows, divide the column
/// and update the rest, a row each. A zero pivot is reported (from 1) and its column is skipped.
const char* const getrf_text =
    "\n.visible .entry {NAME}(.param .u64 tables, .param .u64 pitch, .param .u32 n, .param .u64 pivots,\n"
    "  .param .u64 info)\n.maxntid 128\n{\n  .shared .align 4 .b8 found[4];\n  .reg .pred %p<8>;\n"
    "  .reg .b32 %r<16>;\n  .reg .b64 %a<24>;\n  .reg .{T} %x, %y, %z, %best;\n"
    "  mov.u32 %r0, %ctaid.x;\n  mov.u32 %r1, %tid.x;\n  ld.param.u32 %r2, [n];\n  cvt.u64.u32 %a0, %r0;\n"
    "  ld.param.u64 %a1, [tables];\n  mad.lo.u64 %a1, %a0, 8, %a1;\n  ld.global.u64 %a1, [%a1];\n"
    "  ld.param.u64 %a2, [pitch];\n  ld.param.u64 %a3, [pivots];\n  ld.param.u64 %a4, [info];\n"
    "  mad.lo.u64 %a4, %a0, 4, %a4;\n  setp.eq.u32 %p0, %r1, 0;\n  setp.ne.u64 %p1, %a3, 0;\n"
    "  mul.lo.u32 %r3, %r0, %r2;\n  cvt.u64.u32 %a5, %r3;\n  mad.lo.u64 %a5, %a5, 4, %a3;\n  mov.u32 %r4, "
    "0;\n"
    "  mov.u32 %r5, 0;\n  mov.u32 %r14, found;\nCOLUMN:\n"
    // %r4 is the column, %a6 its first element, %r5 the first pivot of 0.
    "  cvt.u64.u32 %a7, %r4;\n  mad.lo.u64 %a6, %a7, %a2, %a1;\n  @!%p0 bra FOUND;\n  mov.u32 %r6, %r4;\n"
    "  @!%p1 bra TELL;\n  mov.{T} %best, {0};\n  mov.u32 %r7, %r4;\nLOOK:\n  cvt.u64.u32 %a8, %r7;\n"
    "  mad.lo.u64 %a8, %a8, {B}, %a6;\n  ld.global.{T} %x, [%a8];\n  abs.{T} %x, %x;\n  setp.gt.{T} %p2, %x, "
    "%best;\n"
    "  @%p2 mov.{T} %best, %x;\n  @%p2 mov.u32 %r6, %r7;\n  add.u32 %r7, %r7, 1;\n  setp.lt.u32 %p3, %r7, "
    "%r2;\n"
    "  @%p3 bra LOOK;\n  mad.lo.u64 %a8, %a7, 4, %a5;\n  add.u32 %r8, %r6, 1;\n  st.global.u32 [%a8], "
    "%r8;\nTELL:\n"
    "  st.shared.u32 [%r14], %r6;\nFOUND:\n  bar.sync 0;\n  ld.shared.u32 %r6, [%r14];\n  setp.eq.u32 %p2, "
    "%r6, %r4;\n"
    "  @%p2 bra SWAPPED;\n  mov.u32 %r7, %r1;\n  setp.ge.u32 %p3, %r7, %r2;\n  @%p3 bra SWAPPED;\nSWAP:\n"
    "  cvt.u64.u32 %a8, %r7;\n  mad.lo.u64 %a8, %a8, %a2, %a1;\n  cvt.u64.u32 %a9, %r6;\n"
    "  mad.lo.u64 %a9, %a9, {B}, %a8;\n  mad.lo.u64 %a8, %a7, {B}, %a8;\n  ld.global.{T} %x, [%a8];\n"
    "  ld.global.{T} %y, [%a9];\n  st.global.{T} [%a8], %y;\n  st.global.{T} [%a9], %x;\n  add.u32 %r7, %r7, "
    "128;\n"
    "  setp.lt.u32 %p3, %r7, %r2;\n  @%p3 bra SWAP;\nSWAPPED:\n  bar.sync 0;\n  mad.lo.u64 %a10, %a7, {B}, "
    "%a6;\n"
    "  ld.global.{T} %z, [%a10];\n  add.u32 %r9, %r4, 1;\n  setp.neu.{T} %p4, %z, {0};\n  @%p4 bra ROWS;\n"
    "  setp.eq.u32 %p5, %r5, 0;\n  selp.b32 %r5, %r9, %r5, %p5;\n  bra NEXT;\nROWS:\n  add.u32 %r7, %r9, "
    "%r1;\n"
    "  setp.ge.u32 %p3, %r7, %r2;\n  @%p3 bra NEXT;\nROW:\n  cvt.u64.u32 %a11, %r7;\n"
    "  mad.lo.u64 %a12, %a11, {B}, %a6;\n  ld.global.{T} %x, [%a12];\n  div.rn.{T} %x, %x, %z;\n"
    "  st.global.{T} [%a12], %x;\n  neg.{T} %x, %x;\n  mov.u32 %r10, %r9;\n  mov.u64 %a13, %a12;\n"
    "  mov.u64 %a14, %a10;\n  setp.ge.u32 %p3, %r10, %r2;\n  @%p3 bra ROWDONE;\nTERM:\n  add.u64 %a13, %a13, "
    "%a2;\n"
    "  add.u64 %a14, %a14, %a2;\n  ld.global.{T} %y, [%a14];\n  ld.global.{T} %best, [%a13];\n"
    "  fma.rn.{T} %best, %x, %y, %best;\n  st.global.{T} [%a13], %best;\n  add.u32 %r10, %r10, 1;\n"
    "  setp.lt.u32 %p3, %r10, %r2;\n  @%p3 bra TERM;\nROWDONE:\n  add.u32 %r7, %r7, 128;\n"
    "  setp.lt.u32 %p3, %r7, %r2;\n  @%p3 bra ROW;\nNEXT:\n  bar.sync 0;\n  mov.u32 %r4, %r9;\n"
    "  setp.lt.u32 %p3, %r4, %r2;\n  @%p3 bra COLUMN;\n  @%p0 st.global.u32 [%a4], %r5;\n  ret;\n}\n";

/// `pivots` may be null: then rows are not swapped.
int getrf(void* handle, bool wide, int n, const void* tables, int lda, int* pivots, int* info, int batches) {
  return call(handle, [&](Device& device, Context& context) {
    require(n >= 0 && batches >= 0 && lda >= std::max(1, n));
    if (n == 0 || batches == 0) return;
    require(tables != nullptr && info != nullptr);
    const std::string name = wide ? "strata_dgetrf" : "strata_sgetrf";
    const std::int64_t pitch = static_cast<std::int64_t>(lda) * (wide ? 8 : 4);
    launch(device, context, kernel_of(device, name, [&] { return text_for(wide, name, getrf_text); }),
           {static_cast<unsigned>(batches), 1, 1}, {factor_threads, 1, 1},
           {&tables, &pitch, &n, &pivots, &info});
  });
}

}  // namespace

STRATA_CUDA_CALL cublasSgetrfBatched(void* handle, int n, float* const* a, int lda, int* pivots, int* info,
                                     int batches) {
  return getrf(handle, false, n, a, lda, pivots, info, batches);
}
STRATA_CUDA_CALL cublasDgetrfBatched(void* handle, int n, double* const* a, int lda, int* pivots, int* info,
                                     int batches) {
  return getrf(handle, true, n, a, lda, pivots, info, batches);
}
