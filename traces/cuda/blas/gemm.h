#pragma once

#include <cstdint>
#include <string>

#include "traces/cuda/blas/context.h"

namespace strata::cuda::blas {

/// Function applied to each element of the product before it is stored. Sums are f32 or f16.
enum class Activation {
  none,
  relu,           ///< max(x, 0)
  gelu,           ///< x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3): GELU by tanh
  relu_gradient,  ///< x where a bit of a forward pass is set, else 0
  gelu_gradient,  ///< x times the derivative of gelu at an element of a forward pass
};

/// Selects a kernel for C = alpha op(A) op(B) + beta C.
struct GemmKind {
  DataType in = f32, out = f32;
  ComputeType compute = compute_f32;  ///< f16, f32, f64 or s32
  bool a_transposed = false, b_transposed = false;
  bool batched = false;  ///< A, B and C (and D) are tables of addresses
  // D = activation(alpha op(A) op(B) + beta C + bias), in one pass over D:
  bool separate = false;  ///< D has its own address and pitch; always true if one of those below is set
  Activation activation = Activation::none;
  bool bias = false;            ///< of C's type, added to each column
  bool bias_of_column = false;  ///< or to each row
  /// A second matrix: gelu writes its argument, relu a bit for each element that it keeps; gradients read
  /// what these wrote.
  bool second = false;

  /// True if the kernel has parameters for D, the bias and the second matrix.
  bool is_extended() const { return separate || bias || second || activation != Activation::none; }
};

constexpr unsigned gemm_tile = 64;     ///< rows and columns of C of a thread block
constexpr unsigned gemm_threads = 16;  ///< in x and in y

unsigned bytes_of(DataType type);
/// Bytes of alpha and beta.
unsigned scalar_bytes(ComputeType compute);
/// strata_sgemm_nt, strata_gemm_f16_f32_nn...: for mixed types those of A and C, and "c16" if sums are f16.
std::string gemm_name(const GemmKind& kind);
/// PTX of a module with this kernel.
std::string gemm_text(const GemmKind& kind);

/// Arguments of C = alpha op(A) op(B) + beta C.
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
  // D = activation(alpha op(A) op(B) + beta C + bias) if `separate` or another of these is set (GemmKind):
  bool separate = false;
  void* d = nullptr;
  std::int64_t d_pitch = 0, d_next = 0;
  Activation activation = Activation::none;
  const void* bias = nullptr;
  std::int64_t bias_next = 0;
  bool bias_of_column = false;
  void* second = nullptr;                          ///< of D's type; for relu, bits
  std::int64_t second_pitch = 0, second_next = 0;  ///< elements; for relu, bits
};

/// Throws BlasError, unsupported, for types that cannot be combined.
GemmKind gemm_kind(const Gemm& wanted);
/// Throws BlasError: invalid for sizes, unsupported for types that cannot be combined.
void gemm(Device& device, const Context& context, const Gemm& wanted);

}  // namespace strata::cuda::blas
