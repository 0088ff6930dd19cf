#include "traces/workloads/references.h"

#include "traces/workloads/references/all.h"

namespace strata::traces {
namespace {

using namespace references;

const Reference table[] = {
    {"alexnet", alexnet},
    {"atax", atax},
    {"backprop", backprop},
    {"bicg", bicg},
    {"binomial_options", binomial_options},
    {"black_scholes", black_scholes},
    {"breadth_first_search", breadth_first_search, prepare_breadth_first_search},
    {"btree_search", btree_search, prepare_btree_search},
    {"convolution_2d", convolution_2d},
    {"convolution_3d", convolution_3d},
    {"correlation", correlation},
    {"covariance", covariance},
    {"digit_network", digit_network},
    {"double_add", double_add},
    {"double_divide", double_divide},
    {"double_multiply", double_multiply},
    {"euler_flux", euler_flux},
    {"gaussian_elimination", gaussian_elimination, prepare_gaussian_elimination},
    {"gemm", gemm},
    {"grid_samples", grid_samples, prepare_grid_samples},
    {"histogram", histogram},
    {"jagged_matrix_vector", jagged_matrix_vector, prepare_jagged_matrix_vector},
    {"kmeans", kmeans},
    {"lennard_jones", lennard_jones, prepare_lennard_jones},
    {"long_add", long_add},
    {"long_divide", long_divide},
    {"long_multiply", long_multiply},
    {"lu_decomposition", lu_decomposition, prepare_lu_decomposition},
    {"matrix_chain_2", matrix_chain_2},
    {"matrix_chain_3", matrix_chain_3},
    {"matrix_multiply", matrix_multiply},
    {"merge_sort_blocks", merge_sort_blocks},
    {"multiply_add", multiply_add},
    {"multiply_transposed", multiply_transposed},
    {"mvt", mvt},
    {"particle_filter", particle_filter, prepare_particle_filter},
    {"radix_sort", radix_sort},
    {"ray_trace", ray_trace},
    {"reduction", reduction},
    {"resnet", resnet},
    {"saturating_histogram", saturating_histogram, prepare_saturating_histogram},
    {"scan", scan},
    {"sparse_matrix_vector", sparse_matrix_vector, prepare_sparse_matrix_vector},
    {"speckle_columns", speckle_columns, prepare_speckle_columns},
    {"speckle_diffusion", speckle_diffusion},
    {"squeezenet", squeezenet},
    {"stencil_7", stencil_7},
    {"stencil_9", stencil_9},
    {"stream_cluster", stream_cluster, prepare_stream_cluster},
    {"suffix_matching", suffix_matching, prepare_suffix_matching},
    {"survey_propagation", survey_propagation, prepare_survey_propagation},
    {"syr2k", syr2k},
    {"syrk", syrk},
    {"transpose", transpose},
    {"triad", triad},
    {"vector_add", vector_add},
    {"walk", walk},
    {"wavelet_53", wavelet_53},
};

}  // namespace

const Reference* find_reference(const std::string& name) {
  for (const Reference& reference : table)
    if (name == reference.name) return &reference;
  return nullptr;
}

std::vector<std::string> reference_names() {
  std::vector<std::string> names;
  for (const Reference& reference : table) names.emplace_back(reference.name);
  return names;
}

}  // namespace strata::traces
