#pragma once

#include <cstddef>
#include <cstdint>

#include "traces/cuda/blas/context.h"

/// Values of cuBLASLt's enumerations in CUDA 11 to 13 (cuBLAS, "Using the cuBLASLt API").
namespace strata::cuda::blas::lt {

enum Order : int { by_columns = 0, by_rows = 1 };
constexpr int full = 2;  ///< CUBLAS_FILL_MODE_FULL

/// Bits of cublasLtEpilogue_t.
enum Epilogue : unsigned {
  no_epilogue = 1,
  relu = 2,
  add_bias = 4,
  relu_gradient = 8,
  gelu = 32,
  gelu_gradient = 64,
  with_second = 128,
};

/// cublasLtMatmulTile_t of 64 x 64.
constexpr unsigned tile_64x64 = 15;

/// cublasLtNumericalImplFlags_t
enum Implementation : unsigned long long {
  of_fma = 1,
  sums_f16 = 1 << 8,
  sums_f32 = 2 << 8,
  sums_f64 = 4 << 8,
  sums_s32 = 8 << 8,
  takes_f16 = 1 << 16,
  takes_bf16 = 2 << 16,
  takes_f32 = 8 << 16,
  takes_f64 = 16 << 16,
  takes_s8 = 32 << 16,
};

// Descriptors of cuBLASLt. They may be in memory of the program, with the size in its header; CUDA 11 has
// the smallest.

/// Tag at the begin of a valid descriptor.
enum class Tag : std::uint32_t {
  none = 0,
  layout = 0x53744c31,
  product = 0x53744c32,
  preference = 0x53744c33,
  algorithm = 0x53744c34,
};

/// cublasLtMatrixLayout_t
struct Layout {
  Tag tag = Tag::layout;
  std::int32_t type = f32;  ///< cudaDataType_t
  std::int32_t order = by_columns;
  std::int32_t batches = 1;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t pitch = 0;  ///< elements from column to column, or from row to row
  std::int64_t next = 0;   ///< elements from matrix to matrix
  std::int64_t plane_offset = 0;
  std::uint32_t batch_mode = 0;  ///< 1: a table of addresses
};
static_assert(sizeof(Layout) <= 64);

/// cublasLtMatmulDesc_t. Fields are small: it must fit in 184 bytes.
struct Product {
  Tag tag = Tag::product;
  std::int32_t compute = compute_f32, scale = f32;
  std::uint32_t epilogue = no_epilogue;
  const void* bias = nullptr;
  std::int64_t bias_next = 0;
  void* second = nullptr;  ///< the epilogue's auxiliary matrix
  std::int64_t second_pitch = 0, second_next = 0;
  std::int64_t alpha_next = 0;
  const void *a_scale = nullptr, *b_scale = nullptr, *c_scale = nullptr, *d_scale = nullptr;
  const void *d_most = nullptr, *second_scale = nullptr, *second_most = nullptr;
  const void *d_out_scale = nullptr, *emulation = nullptr;
  std::int32_t bias_type = -1, second_type = -1;
  std::int32_t sm_target = 0;
  std::uint8_t pointer_mode = of_host;
  std::uint8_t a_operation = as_it_is, b_operation = as_it_is, c_operation = as_it_is;
  std::uint8_t fill = full;
  std::uint8_t fast_sums = 0;
  std::uint8_t a_scale_mode = 0, b_scale_mode = 0, c_scale_mode = 0, d_scale_mode = 0;
  std::uint8_t second_scale_mode = 0, d_out_scale_mode = 0;
};
static_assert(sizeof(Product) <= 184);

/// cublasLtMatmulPreference_t. It does not change the one algorithm, but can exclude it.
struct Preference {
  Tag tag = Tag::preference;
  std::uint32_t search = 0;
  std::uint64_t workspace = 0;
  std::uint64_t implementations = ~std::uint64_t{0};
  std::uint32_t reductions = 7;
  std::uint32_t a_alignment = 256, b_alignment = 256, c_alignment = 256, d_alignment = 256;
  float waves = 0;
  // CUDA 11:
  std::uint32_t math_modes = ~0U, gaussian_modes = ~0U, pointer_modes = ~0U, epilogues = ~0U;
};
static_assert(sizeof(Preference) <= 64);

/// cublasLtMatmulAlgo_t. There is one algorithm, number 0.
struct Algorithm {
  Tag tag = Tag::algorithm;
  std::int32_t number = 0;
  std::uint32_t tile = tile_64x64;
  std::int32_t parts_of_k = 1;
  std::uint32_t reduction = 0, swizzle = 0, custom = 0, stages = 0;
  std::uint16_t inner_shape = 0, cluster_shape = 0;
};
static_assert(sizeof(Algorithm) <= 64);

/// An attribute: its number, the type that the program passes, and where it is stored. A smaller field must
/// hold the value.
struct Field {
  int number;
  std::size_t offset;
  unsigned bytes, kept;
};

/// Tables of attributes, terminated by a number of -1.
extern const Field layout_fields[];
extern const Field product_fields[];
extern const Field preference_fields[];
extern const Field algorithm_fields[];

/// Returns a status. `what` is the name of the call, for messages about unknown attributes.
int set_field(const char* what, void* descriptor, Tag tag, const Field* fields, int number, const void* from,
              std::size_t bytes);
int get_field(const char* what, const void* descriptor, Tag tag, const Field* fields, int number, void* to,
              std::size_t bytes, std::size_t* written);
/// Returns the list `values` as the program requests it.
int get_bytes(const void* values, std::size_t size, void* to, std::size_t bytes, std::size_t* written);

}  // namespace strata::cuda::blas::lt
