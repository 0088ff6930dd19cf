#pragma once

#include <string>

#include "traces/cuda/blas/numbers.h"

namespace strata::cuda::blas {

/// What is done to each element of the product before it is stored. Sums are of f32 or f16.
enum class Activation {
  none,
  relu,           ///< max(x, 0)
  gelu,           ///< x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3): GELU by tanh
  relu_gradient,  ///< x where a bit of a forward pass is set, else 0
  gelu_gradient,  ///< x times the derivative of gelu at an element of a forward pass
};

/// Which of the kernels for C = alpha op(A) op(B) + beta C.
struct GemmKind {
  DataType in = f32, out = f32;
  ComputeType compute = compute_f32;  ///< f16, f32, f64 or s32
  bool a_transposed = false, b_transposed = false;
  bool batched = false;  ///< A, B and C (and D) are tables of addresses
  // D = activation(alpha op(A) op(B) + beta C + bias), in one pass over D:
  bool apart =
      false;  ///< D has an address and a pitch of its own; so it is whenever one of those below is set
  Activation activation = Activation::none;
  bool bias = false;            ///< of C's type, added to each column
  bool bias_of_column = false;  ///< or to each row
  /// A second matrix: gelu writes its argument there, relu a bit for each element that it keeps; gradients
  /// read what these wrote.
  bool second = false;

  /// Its kernel has the parameters of D, the bias and the second matrix.
  bool is_extended() const { return apart || bias || second || activation != Activation::none; }
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
