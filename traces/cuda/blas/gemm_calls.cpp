// Calls for matrix products.
#include "traces/cuda/blas/gemm.h"

using namespace strata::cuda;
using namespace strata::cuda::blas;
using Size = int;
using Stride = long long;

namespace {

/// Types of a call that are part of its name.
template <class Element>
struct Named;
template <>
struct Named<float> {
  static constexpr int type = f32, compute = compute_f32;
};
template <>
struct Named<double> {
  static constexpr int type = f64, compute = compute_f64;
};
struct Half;
template <>
struct Named<Half> {
  static constexpr int type = f16, compute = compute_f16;
};

template <class Element>
Gemm with_types(Gemm g) {
  g.a_type = g.b_type = g.c_type = Named<Element>::type;
  g.compute = Named<Element>::compute;
  return g;
}
Gemm with_types(Gemm g, int a, int b, int c, int compute) {
  g.a_type = a;
  g.b_type = b;
  g.c_type = c;
  g.compute = compute;
  return g;
}
Gemm with_strides(Gemm g, Stride a, Stride b, Stride c, Size batches) {
  g.a_next = a;
  g.b_next = b;
  g.c_next = c;
  g.batches = batches;
  return g;
}
Gemm with_tables(Gemm g, Size batches) {
  g.batched = true;
  g.batches = batches;
  return g;
}
int run(void* handle, const Gemm& g) {
  return call(handle, [&](Device& device, Context& context) { gemm(device, context, g); });
}

}  // namespace

#define NAMED(letter, plain, Element)                                                                      \
  STRATA_CUDA_CALL plain(void* handle, int ta, int tb, Size m, Size n, Size k, const Element* alpha,       \
                         const Element* a, Size lda, const Element* b, Size ldb, const Element* beta,      \
                         Element* c, Size ldc) {                                                           \
    return run(handle, with_types<Element>({ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}));       \
  }                                                                                                        \
  STRATA_CUDA_CALL cublas##letter##gemmStridedBatched(                                                     \
      void* handle, int ta, int tb, Size m, Size n, Size k, const Element* alpha, const Element* a,        \
      Size lda, Stride a_next, const Element* b, Size ldb, Stride b_next, const Element* beta, Element* c, \
      Size ldc, Stride c_next, Size batches) {                                                             \
    return run(handle,                                                                                     \
               with_strides(with_types<Element>({ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}),   \
                            a_next, b_next, c_next, batches));                                             \
  }                                                                                                        \
  STRATA_CUDA_CALL cublas##letter##gemmBatched(void* handle, int ta, int tb, Size m, Size n, Size k,       \
                                               const Element* alpha, const Element* const* a, Size lda,    \
                                               const Element* const* b, Size ldb, const Element* beta,     \
                                               Element* const* c, Size ldc, Size batches) {                \
    return run(handle, with_tables(with_types<Element>({ta, tb, m, n, k, alpha, a, lda, b, ldb, beta,      \
                                                        const_cast<Element**>(c), ldc}),                   \
                                   batches));                                                              \
  }
NAMED(S, cublasSgemm_v2, float)
NAMED(D, cublasDgemm_v2, double)
NAMED(H, cublasHgemm, Half)
#undef NAMED

STRATA_CUDA_CALL cublasSgemmEx(void* handle, int ta, int tb, Size m, Size n, Size k, const float* alpha,
                               const void* a, int a_type, Size lda, const void* b, int b_type, Size ldb,
                               const float* beta, void* c, int c_type, Size ldc) {
  return run(handle, with_types({ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, a_type, b_type,
                                c_type, compute_f32));
}
STRATA_CUDA_CALL cublasGemmEx(void* handle, int ta, int tb, Size m, Size n, Size k, const void* alpha,
                              const void* a, int a_type, Size lda, const void* b, int b_type, Size ldb,
                              const void* beta, void* c, int c_type, Size ldc, int compute, int) {
  return run(handle, with_types({ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, a_type, b_type,
                                c_type, compute));
}
STRATA_CUDA_CALL cublasGemmStridedBatchedEx(void* handle, int ta, int tb, Size m, Size n, Size k,
                                            const void* alpha, const void* a, int a_type, Size lda,
                                            Stride a_next, const void* b, int b_type, Size ldb, Stride b_next,
                                            const void* beta, void* c, int c_type, Size ldc, Stride c_next,
                                            Size batches, int compute, int) {
  const Gemm g =
      with_types({ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, a_type, b_type, c_type, compute);
  return run(handle, with_strides(g, a_next, b_next, c_next, batches));
}
STRATA_CUDA_CALL cublasGemmBatchedEx(void* handle, int ta, int tb, Size m, Size n, Size k, const void* alpha,
                                     const void* const* a, int a_type, Size lda, const void* const* b,
                                     int b_type, Size ldb, const void* beta, void* const* c, int c_type,
                                     Size ldc, Size batches, int compute, int) {
  const Gemm g = with_types({ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, const_cast<void**>(c), ldc},
                            a_type, b_type, c_type, compute);
  return run(handle, with_tables(g, batches));
}
