#pragma once

namespace strata::cuda::blas {

/// Major version of the library whose name this one bears.
extern const int library_major;

}  // namespace strata::cuda::blas
