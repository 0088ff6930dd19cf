#pragma once

namespace strata::cuda::blas {

constexpr unsigned vector_threads = 256;

// Texts for text_for. One thread an element:
extern const char* const axpy_text;  ///< y = alpha x + y
extern const char* const scal_text;  ///< x = alpha x
extern const char* const copy_text;  ///< y = x
extern const char* const swap_text;

// Sums: each thread adds every 256th element of its thread block's, then the block adds its threads up in a
// tree.
extern const char* const dot_text;   ///< of each thread block
extern const char* const asum_text;  ///< the same of |x|
extern const char* const nrm2_text;  ///< the same of x x, in f64
extern const char* const sum_text;   ///< of what thread blocks left
extern const char* const root_text;  ///< of the sum of what they left in f64
extern const char* const amax_text;  ///< where the largest |x| is, counted from 1: one thread block
extern const char* const amin_text;

}  // namespace strata::cuda::blas
