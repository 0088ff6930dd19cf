#pragma once

namespace strata::cuda::blas {

constexpr unsigned matrix_threads = 128;

// Texts for text_for.
extern const char* const gemv_n_text;  ///< y = alpha A x + beta y: a thread a row
extern const char* const gemv_t_text;  ///< y = alpha A^T x + beta y: a thread block a column
extern const char* const
    ger_text;  ///< A = alpha x y^T + A: a thread an element of a column, block by block of columns
/// M X = alpha X, in its place, with M lower: a thread a right-hand side, a matrix a grid of y.
extern const char* const trsm_text;

}  // namespace strata::cuda::blas
