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
  bool batched = false;                                          ///< a, b, c and d are tables of addresses
  // D = activation(alpha op(A) op(B) + beta C + bias) where `apart` or another of these is set (GemmKind):
  bool apart = false;
  void* d = nullptr;
  std::int64_t d_pitch = 0, d_next = 0;
  Activation activation = Activation::none;
  const void* bias = nullptr;
  std::int64_t bias_next = 0;
  bool bias_of_column = false;
  void* second = nullptr;                          ///< of D's type; of relu, bits
  std::int64_t second_pitch = 0, second_next = 0;  ///< elements; of relu, bits
};

/// Throws BlasError, unsupported, for types that do not go together.
GemmKind gemm_kind(const Gemm& wanted);
/// Throws BlasError: invalid for sizes, unsupported for types that do not go together.
void gemm(Device& device, const Context& context, const Gemm& wanted);

}  // namespace strata::cuda::blas
