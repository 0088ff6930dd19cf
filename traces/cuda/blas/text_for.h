#pragma once

#include <string>

namespace strata::cuda::blas {

/// PTX for f32 or f64 from a generic text: `{T}` is the type, `{B}` its bytes, `{0}` its zero, `{NAME}` the
/// entry. Adds the head of the module.
std::string text_for(bool wide, const std::string& name, std::string text);

constexpr unsigned vector_threads = 256;

// Texts for text_for. One thread per element:
extern const char* const axpy_text;  ///< y = alpha x + y
extern const char* const scal_text;  ///< x = alpha x
extern const char* const copy_text;  ///< y = x
extern const char* const swap_text;

// Sums: each thread adds every 256th element of its thread block's range, then the block adds its threads'
// sums in a tree.
extern const char* const dot_text;   ///< per thread block
extern const char* const asum_text;  ///< the same of |x|
extern const char* const nrm2_text;  ///< the same of x x, in f64
extern const char* const sum_text;   ///< of the partial sums of thread blocks
extern const char* const root_text;  ///< root of the sum of f64 partial sums
extern const char* const amax_text;  ///< index of the largest |x|, from 1: one thread block
extern const char* const amin_text;

constexpr unsigned matrix_threads = 128;

// Texts for text_for.
extern const char* const gemv_n_text;  ///< y = alpha A x + beta y: a thread a row
extern const char* const gemv_t_text;  ///< y = alpha A^T x + beta y: a thread block a column
extern const char* const
    ger_text;  ///< A = alpha x y^T + A: a thread an element of a column, block by block of columns
/// M X = alpha X in place, with lower M: a thread per right-hand side, a matrix per y of the grid.
extern const char* const trsm_text;

}  // namespace strata::cuda::blas
