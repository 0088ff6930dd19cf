#pragma once

#include "traces/workloads/host_data.h"

/// All references. NAME of plain(NAME) is the function that computes the results; with_data(NAME) also has
/// prepare_NAME, which fills buffers.
// clang-format off
#define STRATA_REFERENCES(plain, with_data) \
  plain(alexnet) plain(atax) plain(backprop) plain(bicg) plain(binomial_options) plain(black_scholes) \
  with_data(breadth_first_search) with_data(btree_search) plain(convolution_2d) plain(convolution_3d) \
  plain(correlation) plain(covariance) plain(digit_network) plain(double_add) plain(double_divide) \
  plain(double_multiply) plain(euler_flux) with_data(gaussian_elimination) plain(gemm) \
  with_data(grid_samples) plain(histogram) with_data(jagged_matrix_vector) plain(kmeans) \
  with_data(lennard_jones) plain(long_add) plain(long_divide) plain(long_multiply) \
  with_data(lu_decomposition) plain(matrix_chain_2) plain(matrix_chain_3) plain(matrix_multiply) \
  plain(merge_sort_blocks) plain(multiply_add) plain(multiply_transposed) plain(mvt) \
  with_data(particle_filter) plain(radix_sort) plain(ray_trace) plain(reduction) plain(resnet) \
  with_data(saturating_histogram) plain(scan) with_data(sparse_matrix_vector) \
  with_data(speckle_columns) plain(speckle_diffusion) plain(squeezenet) plain(stencil_7) \
  plain(stencil_9) with_data(stream_cluster) with_data(suffix_matching) with_data(survey_propagation) \
  plain(syr2k) plain(syrk) plain(transpose) plain(triad) plain(vector_add) plain(walk) \
  plain(wavelet_53)
// clang-format on

namespace strata::traces::references {

#define STRATA_DECLARE(name) void name(HostData& data);
#define STRATA_DECLARE_BOTH(name) STRATA_DECLARE(name) STRATA_DECLARE(prepare_##name)
STRATA_REFERENCES(STRATA_DECLARE, STRATA_DECLARE_BOTH)
#undef STRATA_DECLARE
#undef STRATA_DECLARE_BOTH

}  // namespace strata::traces::references
