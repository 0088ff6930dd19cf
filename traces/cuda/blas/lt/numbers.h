#pragma once

/// Numbers of cuBLASLt's enumerations, as programs of CUDA 11 to 13 pass them (cuBLAS, "Using the cuBLASLt
/// API").
namespace strata::cuda::blas::lt {

enum Order : int { by_columns = 0, by_rows = 1 };
constexpr int full = 2;  ///< CUBLAS_FILL_MODE_FULL

/// cublasLtEpilogue_t is made of these.
enum Epilogue : unsigned {
  no_epilogue = 1,
  relu = 2,
  add_bias = 4,
  relu_gradient = 8,
  gelu = 32,
  gelu_gradient = 64,
  with_second = 128,
};

/// cublasLtMatmulTile_t of 64 x 64.
constexpr unsigned tile_64x64 = 15;

/// cublasLtNumericalImplFlags_t
enum Implementation : unsigned long long {
  of_fma = 1,
  sums_f16 = 1 << 8,
  sums_f32 = 2 << 8,
  sums_f64 = 4 << 8,
  sums_s32 = 8 << 8,
  takes_f16 = 1 << 16,
  takes_bf16 = 2 << 16,
  takes_f32 = 8 << 16,
  takes_f64 = 16 << 16,
  takes_s8 = 32 << 16,
};

}  // namespace strata::cuda::blas::lt
