// Descriptors of cuBLASLt: made, changed and asked.
#include <new>

#include "traces/cuda/blas/lt/descriptors.h"
#include "traces/cuda/device/guarded.h"

using namespace strata::cuda::blas;
using namespace strata::cuda::blas::lt;

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
