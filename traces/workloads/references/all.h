#pragma once

#include "traces/workloads/references.h"

/// The functions behind the table in references.cpp; a file per idea.
namespace strata::traces::references {

void alexnet(HostData& data);
void atax(HostData& data);
void backprop(HostData& data);
void bicg(HostData& data);
void binomial_options(HostData& data);
void black_scholes(HostData& data);
void breadth_first_search(HostData& data);
void btree_search(HostData& data);
void convolution_2d(HostData& data);
void convolution_3d(HostData& data);
void correlation(HostData& data);
void covariance(HostData& data);
void digit_network(HostData& data);
void double_add(HostData& data);
void double_divide(HostData& data);
void double_multiply(HostData& data);
void euler_flux(HostData& data);
void gaussian_elimination(HostData& data);
void gemm(HostData& data);
void grid_samples(HostData& data);
void histogram(HostData& data);
void jagged_matrix_vector(HostData& data);
void kmeans(HostData& data);
void lennard_jones(HostData& data);
void long_add(HostData& data);
void long_divide(HostData& data);
void long_multiply(HostData& data);
void lu_decomposition(HostData& data);
void matrix_chain_2(HostData& data);
void matrix_chain_3(HostData& data);
void matrix_multiply(HostData& data);
void merge_sort_blocks(HostData& data);
void multiply_add(HostData& data);
void multiply_transposed(HostData& data);
void mvt(HostData& data);
void particle_filter(HostData& data);
void prepare_breadth_first_search(HostData& data);
void prepare_btree_search(HostData& data);
void prepare_gaussian_elimination(HostData& data);
void prepare_grid_samples(HostData& data);
void prepare_jagged_matrix_vector(HostData& data);
void prepare_lennard_jones(HostData& data);
void prepare_lu_decomposition(HostData& data);
void prepare_particle_filter(HostData& data);
void prepare_saturating_histogram(HostData& data);
void prepare_sparse_matrix_vector(HostData& data);
void prepare_speckle_columns(HostData& data);
void prepare_stream_cluster(HostData& data);
void prepare_suffix_matching(HostData& data);
void prepare_survey_propagation(HostData& data);
void radix_sort(HostData& data);
void ray_trace(HostData& data);
void reduction(HostData& data);
void resnet(HostData& data);
void saturating_histogram(HostData& data);
void scan(HostData& data);
void sparse_matrix_vector(HostData& data);
void speckle_columns(HostData& data);
void speckle_diffusion(HostData& data);
void squeezenet(HostData& data);
void stencil_7(HostData& data);
void stencil_9(HostData& data);
void stream_cluster(HostData& data);
void suffix_matching(HostData& data);
void survey_propagation(HostData& data);
void syr2k(HostData& data);
void syrk(HostData& data);
void transpose(HostData& data);
void triad(HostData& data);
void vector_add(HostData& data);
void walk(HostData& data);
void wavelet_53(HostData& data);

}  // namespace strata::traces::references
