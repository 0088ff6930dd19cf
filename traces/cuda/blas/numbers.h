#pragma once

/// Numbers of cuBLAS's enumerations, as programs of CUDA 11 to 13 pass them (cuBLAS, "Using the cuBLAS API").
namespace strata::cuda::blas {

enum Status : int {
  fine = 0,
  not_initialized = 1,
  allocation_failed = 3,
  invalid = 7,
  execution_failed = 13,
  unsupported = 15,
};

enum Operation : int {
  as_it_is = 0,
  transposed = 1,
  conjugated = 2
};  ///< the latter two: the same of real numbers
enum PointerMode : int { of_host = 0, of_device = 1 };

/// cudaDataType_t
enum DataType : int { f32 = 0, f64 = 1, f16 = 2, s8 = 3, s32 = 10, bf16 = 14 };

/// cublasComputeType_t. Fast types allow less precise products of f32; ours are those of f32.
enum ComputeType : int {
  compute_f16 = 64,
  compute_f16_pedantic = 65,
  compute_f32 = 68,
  compute_f32_pedantic = 69,
  compute_f64 = 70,
  compute_f64_pedantic = 71,
  compute_s32 = 72,
  compute_s32_pedantic = 73,
  compute_f32_fast_f16 = 74,
  compute_f32_fast_bf16 = 75,
  compute_f32_fast_tf32 = 77,
};

}  // namespace strata::cuda::blas
