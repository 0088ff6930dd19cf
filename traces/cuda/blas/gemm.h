#pragma once

#include <cstdint>

#include "traces/cuda/blas/context.h"
#include "traces/cuda/blas/gemm_text.h"

namespace strata::cuda::blas {

/// C = alpha op(A) op(B) + beta C, as a program asks for it.
struct Gemm {
  int a_operation, b_operation;
  std::int64_t m, n, k;
  const void* alpha;
  const void* a;
  std::int64_t a_pitch;
  const void* b;
  std::int64_t b_pitch;
  const void* beta;
  void* c;
  std::int64_t c_pitch;
  int a_type = f32, b_type = f32, c_type = f32;                  ///< cudaDataType_t
  int compute = compute_f32;                                     ///< cublasComputeType_t
  std::int64_t batches = 1, a_next = 0, b_next = 0, c_next = 0;  ///< elements from matrix to matrix
  bool batched = false;                                          ///< a, b and c are tables of addresses
};

/// Throws BlasError: invalid for sizes, unsupported for types that do not go together.
void gemm(Device& device, Context& context, const Gemm& wanted);

}  // namespace strata::cuda::blas
