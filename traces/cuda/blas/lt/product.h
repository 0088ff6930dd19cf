#pragma once

#include "traces/cuda/blas/gemm.h"
#include "traces/cuda/blas/lt/descriptors.h"

namespace strata::cuda::blas::lt {

/// The product that descriptors ask for; the addresses of matrices and scalars are still missing. `c` may be
/// null: as D's. Throws BlasError where they contradict each other (invalid) or ask for what is not there
/// (unsupported), and says in words what it is, with the name of the call.
struct Operands {
  const Layout *a, *b, *c, *d;
};
struct Wanted {
  Gemm gemm;
  bool swapped = false;  ///< D lies by rows: op(B)^T op(A)^T is formed, by columns
};
Wanted wanted_product(Device& device, const char* call, const Product* product, const Operands& operands);

/// An algorithm that was not made here is invalid; a configuration that is not ours, unsupported.
void check_algorithm(Device& device, const char* call, const Algorithm* algorithm);

/// "f16"; other types by number.
std::string type_name(int type);

/// Says why, once, and throws.
[[noreturn]] void refuse(Device& device, const char* call, Status status, const std::string& why);

}  // namespace strata::cuda::blas::lt
