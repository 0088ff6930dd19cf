// Handles of cuBLASLt, versions, names of codes, and what changes nothing.
#include <atomic>
#include <new>

#include "traces/cuda/blas/context.h"
#include "traces/cuda/blas/lt/descriptors.h"
#include "traces/cuda/device/guarded.h"

using namespace strata::cuda::blas;
using namespace strata::cuda::blas::lt;

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

// Descriptors of cuBLASLt: made, changed and asked.

namespace {

/// Into memory of the program; `bytes` are what its header has for it.
template <class Descriptor>
int put(void* at, std::size_t bytes, const Descriptor& made) {
  if (at == nullptr) return invalid;
  if (bytes < sizeof made) return allocation_failed;
  new (at) Descriptor(made);
  return fine;
}
template <class Descriptor>
int make(void** at, const Descriptor& made) {
  if (at == nullptr) return invalid;
  *at = new (std::nothrow) Descriptor(made);
  return *at != nullptr ? fine : allocation_failed;
}
template <class Descriptor>
int drop(void* at) {
  auto* const descriptor = static_cast<Descriptor*>(at);
  if (descriptor == nullptr || descriptor->tag != Descriptor().tag) return invalid;
  descriptor->tag = Tag::none;
  delete descriptor;
  return fine;
}

Layout layout_of(int type, std::uint64_t rows, std::uint64_t columns, std::int64_t pitch) {
  Layout made;
  made.type = type;
  made.rows = rows;
  made.columns = columns;
  made.pitch = pitch;
  return made;
}
Product product_of(int compute, int scale) {
  Product made;
  made.compute = compute;
  made.scale = scale;
  return made;
}

}  // namespace

#define FIELDS(Name, tag, fields)                                                                  \
  STRATA_CUDA_CALL Name##SetAttribute(void* at, int number, const void* from, std::size_t bytes) { \
    return set_field(#Name "SetAttribute", at, tag, fields, number, from, bytes);                  \
  }                                                                                                \
  STRATA_CUDA_CALL Name##GetAttribute(const void* at, int number, void* to, std::size_t bytes,     \
                                      std::size_t* written) {                                      \
    return get_field(#Name "GetAttribute", at, tag, fields, number, to, bytes, written);           \
  }

STRATA_CUDA_CALL cublasLtMatrixLayoutInit_internal(void* at, std::size_t bytes, int type, std::uint64_t rows,
                                                   std::uint64_t columns, std::int64_t pitch) {
  return put(at, bytes, layout_of(type, rows, columns, pitch));
}
STRATA_CUDA_CALL cublasLtMatrixLayoutCreate(void** at, int type, std::uint64_t rows, std::uint64_t columns,
                                            std::int64_t pitch) {
  return make(at, layout_of(type, rows, columns, pitch));
}
STRATA_CUDA_CALL cublasLtMatrixLayoutDestroy(void* at) {
  return drop<Layout>(at);
}
FIELDS(cublasLtMatrixLayout, Tag::layout, layout_fields)

STRATA_CUDA_CALL cublasLtMatmulDescInit_internal(void* at, std::size_t bytes, int compute, int scale) {
  return put(at, bytes, product_of(compute, scale));
}
STRATA_CUDA_CALL cublasLtMatmulDescCreate(void** at, int compute, int scale) {
  return make(at, product_of(compute, scale));
}
STRATA_CUDA_CALL cublasLtMatmulDescDestroy(void* at) {
  return drop<Product>(at);
}
FIELDS(cublasLtMatmulDesc, Tag::product, product_fields)

STRATA_CUDA_CALL cublasLtMatmulPreferenceInit_internal(void* at, std::size_t bytes) {
  return put(at, bytes, Preference());
}
STRATA_CUDA_CALL cublasLtMatmulPreferenceCreate(void** at) {
  return make(at, Preference());
}
STRATA_CUDA_CALL cublasLtMatmulPreferenceDestroy(void* at) {
  return drop<Preference>(at);
}
FIELDS(cublasLtMatmulPreference, Tag::preference, preference_fields)

FIELDS(cublasLtMatmulAlgoConfig, Tag::algorithm, algorithm_fields)
#undef FIELDS

// Calls of the library that are not there: a program that makes one is told, and gets an error.

// clang-format off
ABSENT(cublasLtACCMatmul) ABSENT(cublasLtACCMatmulAlgoCapGetAttribute) ABSENT(cublasLtACCMatmulAlgoCheck)
ABSENT(cublasLtACCMatmulAlgoGetHeuristic) ABSENT(cublasLtACCMatmulAlgoGetIds) ABSENT(cublasLtACCMatmulAlgoInit)
ABSENT(cublasLtAlgoCharacteristicGetAttribute) ABSENT(cublasLtBIIMatmul) ABSENT(cublasLtBIIMatmulAlgoCapGetAttribute)
ABSENT(cublasLtBIIMatmulAlgoCheck) ABSENT(cublasLtBIIMatmulAlgoGetHeuristic) ABSENT(cublasLtBIIMatmulAlgoGetIds)
ABSENT(cublasLtBIIMatmulAlgoInit) ABSENT(cublasLtBSBMatmul) ABSENT(cublasLtBSBMatmulAlgoCapGetAttribute)
ABSENT(cublasLtBSBMatmulAlgoCheck) ABSENT(cublasLtBSBMatmulAlgoGetHeuristic) ABSENT(cublasLtBSBMatmulAlgoGetIds)
ABSENT(cublasLtBSBMatmulAlgoInit) ABSENT(cublasLtBSSMatmul) ABSENT(cublasLtBSSMatmulAlgoCapGetAttribute)
ABSENT(cublasLtBSSMatmulAlgoCheck) ABSENT(cublasLtBSSMatmulAlgoGetHeuristic) ABSENT(cublasLtBSSMatmulAlgoGetIds)
ABSENT(cublasLtBSSMatmulAlgoInit) ABSENT(cublasLtCCCMatmul) ABSENT(cublasLtCCCMatmulAlgoCapGetAttribute)
ABSENT(cublasLtCCCMatmulAlgoCheck) ABSENT(cublasLtCCCMatmulAlgoGetHeuristic) ABSENT(cublasLtCCCMatmulAlgoGetIds)
ABSENT(cublasLtCCCMatmulAlgoInit) ABSENT(cublasLtClearNvjetCache) ABSENT(cublasLtCtxInit) ABSENT(cublasLtDDDMatmul)
ABSENT(cublasLtDDDMatmulAlgoCapGetAttribute) ABSENT(cublasLtDDDMatmulAlgoCheck)
ABSENT(cublasLtDDDMatmulAlgoGetHeuristic) ABSENT(cublasLtDDDMatmulAlgoGetIds) ABSENT(cublasLtDDDMatmulAlgoInit)
ABSENT(cublasLtEmulationDescCreate) ABSENT(cublasLtEmulationDescDestroy) ABSENT(cublasLtEmulationDescGetAttribute)
ABSENT(cublasLtEmulationDescInit_internal) ABSENT(cublasLtEmulationDescSetAttribute)
ABSENT(cublasLtGetEnvironmentMode) ABSENT(cublasLtHHHMatmul) ABSENT(cublasLtHHHMatmulAlgoCapGetAttribute)
ABSENT(cublasLtHHHMatmulAlgoCheck) ABSENT(cublasLtHHHMatmulAlgoGetHeuristic) ABSENT(cublasLtHHHMatmulAlgoGetIds)
ABSENT(cublasLtHHHMatmulAlgoInit) ABSENT(cublasLtHSHMatmul) ABSENT(cublasLtHSHMatmulAlgoCapGetAttribute)
ABSENT(cublasLtHSHMatmulAlgoCheck) ABSENT(cublasLtHSHMatmulAlgoGetHeuristic) ABSENT(cublasLtHSHMatmulAlgoGetIds)
ABSENT(cublasLtHSHMatmulAlgoInit) ABSENT(cublasLtHSSMatmul) ABSENT(cublasLtHSSMatmulAlgoCapGetAttribute)
ABSENT(cublasLtHSSMatmulAlgoCheck) ABSENT(cublasLtHSSMatmulAlgoGetHeuristic) ABSENT(cublasLtHSSMatmulAlgoGetIds)
ABSENT(cublasLtHSSMatmulAlgoInit) ABSENT(cublasLtHeuristicLutSerializeEntry) ABSENT(cublasLtHeuristicsCacheCreate)
ABSENT(cublasLtHeuristicsCacheDestroy) ABSENT(cublasLtHeuristicsCacheGet) ABSENT(cublasLtHeuristicsCachePut)
ABSENT(cublasLtKCCMatmul) ABSENT(cublasLtKCCMatmulAlgoCapGetAttribute) ABSENT(cublasLtKCCMatmulAlgoCheck)
ABSENT(cublasLtKCCMatmulAlgoGetHeuristic) ABSENT(cublasLtKCCMatmulAlgoGetIds) ABSENT(cublasLtKCCMatmulAlgoInit)
ABSENT(cublasLtKCKMatmul) ABSENT(cublasLtKCKMatmulAlgoCapGetAttribute) ABSENT(cublasLtKCKMatmulAlgoCheck)
ABSENT(cublasLtKCKMatmulAlgoGetHeuristic) ABSENT(cublasLtKCKMatmulAlgoGetIds) ABSENT(cublasLtKCKMatmulAlgoInit)
ABSENT(cublasLtLegacyGemmACC) ABSENT(cublasLtLegacyGemmBII) ABSENT(cublasLtLegacyGemmBSS)
ABSENT(cublasLtLegacyGemmCCC) ABSENT(cublasLtLegacyGemmDDD) ABSENT(cublasLtLegacyGemmHHH)
ABSENT(cublasLtLegacyGemmHSH) ABSENT(cublasLtLegacyGemmHSS) ABSENT(cublasLtLegacyGemmSSS)
ABSENT(cublasLtLegacyGemmTSS) ABSENT(cublasLtLegacyGemmTST) ABSENT(cublasLtLegacyGemmZZZ)
ABSENT(cublasLtMatmulAlgoConfigGetAttributeRange) ABSENT(cublasLtMatrixTransform)
ABSENT(cublasLtMatrixTransformDescCreate) ABSENT(cublasLtMatrixTransformDescDestroy)
ABSENT(cublasLtMatrixTransformDescGetAttribute) ABSENT(cublasLtMatrixTransformDescInit_internal)
ABSENT(cublasLtMatrixTransformDescSetAttribute) ABSENT(cublasLtSSSMatmul) ABSENT(cublasLtSSSMatmulAlgoCapGetAttribute)
ABSENT(cublasLtSSSMatmulAlgoCheck) ABSENT(cublasLtSSSMatmulAlgoGetHeuristic) ABSENT(cublasLtSSSMatmulAlgoGetIds)
ABSENT(cublasLtSSSMatmulAlgoInit) ABSENT(cublasLtSetEnvironmentMode) ABSENT(cublasLtShutdownCtx)
ABSENT(cublasLtTSSMatmul) ABSENT(cublasLtTSSMatmulAlgoCapGetAttribute) ABSENT(cublasLtTSSMatmulAlgoCheck)
ABSENT(cublasLtTSSMatmulAlgoGetHeuristic) ABSENT(cublasLtTSSMatmulAlgoGetIds) ABSENT(cublasLtTSSMatmulAlgoInit)
ABSENT(cublasLtTSTMatmul) ABSENT(cublasLtTSTMatmulAlgoCapGetAttribute) ABSENT(cublasLtTSTMatmulAlgoCheck)
ABSENT(cublasLtTSTMatmulAlgoGetHeuristic) ABSENT(cublasLtTSTMatmulAlgoGetIds) ABSENT(cublasLtTSTMatmulAlgoInit)
ABSENT(cublasLtVCCMatmul) ABSENT(cublasLtVCCMatmulAlgoCapGetAttribute) ABSENT(cublasLtVCCMatmulAlgoCheck)
ABSENT(cublasLtVCCMatmulAlgoGetHeuristic) ABSENT(cublasLtVCCMatmulAlgoGetIds) ABSENT(cublasLtVCCMatmulAlgoInit)
ABSENT(cublasLtVCVMatmul) ABSENT(cublasLtVCVMatmulAlgoCapGetAttribute) ABSENT(cublasLtVCVMatmulAlgoCheck)
ABSENT(cublasLtVCVMatmulAlgoGetHeuristic) ABSENT(cublasLtVCVMatmulAlgoGetIds) ABSENT(cublasLtVCVMatmulAlgoInit)
ABSENT(cublasLtZZZMatmul) ABSENT(cublasLtZZZMatmulAlgoCapGetAttribute) ABSENT(cublasLtZZZMatmulAlgoCheck)
ABSENT(cublasLtZZZMatmulAlgoGetHeuristic) ABSENT(cublasLtZZZMatmulAlgoGetIds) ABSENT(cublasLtZZZMatmulAlgoInit)
ABSENT(cublasLt_for_cublas_BII) ABSENT(cublasLt_for_cublas_BSS) ABSENT(cublasLt_for_cublas_DDD)
ABSENT(cublasLt_for_cublas_HHH) ABSENT(cublasLt_for_cublas_HSH) ABSENT(cublasLt_for_cublas_HSS)
ABSENT(cublasLt_for_cublas_SSS) ABSENT(cublasLt_for_cublas_TSS) ABSENT(cublasLt_for_cublas_TST)
    // clang-format on
