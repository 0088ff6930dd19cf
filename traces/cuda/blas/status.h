#pragma once

namespace strata::cuda::blas {

/// cublasStatus_t in words; of an unknown number a name that says so.
const char* name_of_status(int status);
const char* text_of_status(int status);

}  // namespace strata::cuda::blas
