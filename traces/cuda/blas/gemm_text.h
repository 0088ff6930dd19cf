#pragma once

#include <string>

#include "traces/cuda/blas/numbers.h"

namespace strata::cuda::blas {

/// Which of the kernels for C = alpha op(A) op(B) + beta C.
struct GemmKind {
  DataType in = f32, out = f32;
  ComputeType compute = compute_f32;  ///< f16, f32, f64 or s32
  bool a_transposed = false, b_transposed = false;
  bool batched = false;  ///< A, B and C are tables of addresses
};

constexpr unsigned gemm_tile = 64;     ///< rows and columns of C of a thread block
constexpr unsigned gemm_threads = 16;  ///< in x and in y

unsigned bytes_of(DataType type);
/// Of alpha and beta.
unsigned scalar_bytes(ComputeType compute);
/// strata_sgemm_nt, strata_gemm_f16_f32_nn...: of mixed types those of A and C, and "c16" when sums are f16.
std::string gemm_name(const GemmKind& kind);
/// PTX of a module with this kernel.
std::string gemm_text(const GemmKind& kind);

}  // namespace strata::cuda::blas
