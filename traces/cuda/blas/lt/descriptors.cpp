// cuBLASLt: handles, versions, names of codes, and calls without effect.
#include "traces/cuda/blas/lt/descriptors.h"

#include <atomic>
#include <cstring>
#include <new>
#include <string>

#include "traces/cuda/blas/context.h"
#include "traces/cuda/device/device.h"

namespace strata::cuda::blas::lt {
namespace {

constexpr Field end_of_fields{-1, 0, 0, 0};

const Field* find(const char* what, const void* descriptor, Tag tag, const Field* fields, int number) {
  if (descriptor == nullptr || *static_cast<const Tag*>(descriptor) != tag) return nullptr;
  for (; fields->number >= 0; ++fields)
    if (fields->number == number) return fields;
  Device& device = Device::get();
  const std::lock_guard<std::recursive_mutex> lock(device.mutex);
  device.note(std::string(what) + ": attribute " + std::to_string(number) +
              " is not there; the program gets CUBLAS_STATUS_INVALID_VALUE");
  return nullptr;
}

}  // namespace

#define FIELD(number, Of, member, bytes) \
  { number, offsetof(Of, member), bytes, sizeof(Of::member) }

const Field layout_fields[] = {FIELD(0, Layout, type, 4),       FIELD(1, Layout, order, 4),
                               FIELD(2, Layout, rows, 8),       FIELD(3, Layout, columns, 8),
                               FIELD(4, Layout, pitch, 8),      FIELD(5, Layout, batches, 4),
                               FIELD(6, Layout, next, 8),       FIELD(7, Layout, plane_offset, 8),
                               FIELD(8, Layout, batch_mode, 4), end_of_fields};

const Field product_fields[] = {FIELD(0, Product, compute, 4),       FIELD(1, Product, scale, 4),
                                FIELD(2, Product, pointer_mode, 4),  FIELD(3, Product, a_operation, 4),
                                FIELD(4, Product, b_operation, 4),   FIELD(5, Product, c_operation, 4),
                                FIELD(6, Product, fill, 4),          FIELD(7, Product, epilogue, 4),
                                FIELD(8, Product, bias, 8),          FIELD(10, Product, bias_next, 8),
                                FIELD(11, Product, second, 8),       FIELD(12, Product, second_pitch, 8),
                                FIELD(13, Product, second_next, 8),  FIELD(14, Product, alpha_next, 8),
                                FIELD(15, Product, sm_target, 4),    FIELD(17, Product, a_scale, 8),
                                FIELD(18, Product, b_scale, 8),      FIELD(19, Product, c_scale, 8),
                                FIELD(20, Product, d_scale, 8),      FIELD(21, Product, d_most, 8),
                                FIELD(22, Product, second_type, 4),  FIELD(23, Product, second_scale, 8),
                                FIELD(24, Product, second_most, 8),  FIELD(25, Product, fast_sums, 1),
                                FIELD(26, Product, bias_type, 4),    FIELD(31, Product, a_scale_mode, 4),
                                FIELD(32, Product, b_scale_mode, 4), FIELD(33, Product, c_scale_mode, 4),
                                FIELD(34, Product, d_scale_mode, 4), FIELD(35, Product, second_scale_mode, 4),
                                FIELD(36, Product, d_out_scale, 8),  FIELD(37, Product, d_out_scale_mode, 4),
                                FIELD(38, Product, emulation, 8),    end_of_fields};

const Field preference_fields[] = {
    FIELD(0, Preference, search, 4),           FIELD(1, Preference, workspace, 8),
    FIELD(2, Preference, math_modes, 4),       FIELD(3, Preference, reductions, 4),
    FIELD(4, Preference, gaussian_modes, 4),   FIELD(5, Preference, a_alignment, 4),
    FIELD(6, Preference, b_alignment, 4),      FIELD(7, Preference, c_alignment, 4),
    FIELD(8, Preference, d_alignment, 4),      FIELD(9, Preference, waves, 4),
    FIELD(10, Preference, pointer_modes, 4),   FIELD(11, Preference, epilogues, 4),
    FIELD(12, Preference, implementations, 8), end_of_fields};

const Field algorithm_fields[] = {FIELD(0, Algorithm, number, 4),        FIELD(1, Algorithm, tile, 4),
                                  FIELD(2, Algorithm, parts_of_k, 4),    FIELD(3, Algorithm, reduction, 4),
                                  FIELD(4, Algorithm, swizzle, 4),       FIELD(5, Algorithm, custom, 4),
                                  FIELD(6, Algorithm, stages, 4),        FIELD(7, Algorithm, inner_shape, 2),
                                  FIELD(8, Algorithm, cluster_shape, 2), end_of_fields};

#undef FIELD

int set_field(const char* what, void* descriptor, Tag tag, const Field* fields, int number, const void* from,
              std::size_t bytes) {
  const Field* const field = find(what, descriptor, tag, fields, number);
  if (field == nullptr || from == nullptr || bytes != field->bytes) return invalid;
  if (field->kept < field->bytes) {
    std::int32_t value;
    std::memcpy(&value, from, sizeof value);
    if (value < 0 || value > 0xff) return invalid;
  }
  std::memcpy(static_cast<char*>(descriptor) + field->offset, from, field->kept);
  return fine;
}

int get_field(const char* what, const void* descriptor, Tag tag, const Field* fields, int number, void* to,
              std::size_t bytes, std::size_t* written) {
  const Field* const field = find(what, descriptor, tag, fields, number);
  if (field == nullptr) return invalid;
  unsigned char value[8] = {};
  std::memcpy(value, static_cast<const char*>(descriptor) + field->offset, field->kept);
  return get_bytes(value, field->bytes, to, bytes, written);
}

int get_bytes(const void* values, std::size_t size, void* to, std::size_t bytes, std::size_t* written) {
  if (bytes == 0 ? written == nullptr : to == nullptr || bytes < size) return invalid;
  if (bytes != 0) std::memcpy(to, values, size);
  if (written != nullptr) *written = size;
  return fine;
}

}  // namespace strata::cuda::blas::lt

using namespace strata::cuda::blas;
using namespace strata::cuda::blas::lt;

STRATA_CUDA_CALL cublasLtCreate(void** handle) {
  return make_context(handle);
}
STRATA_CUDA_CALL cublasLtDestroy(void* handle) {
  return drop_context(handle);
}
STRATA_CUDA_ENTRY std::size_t cublasLtGetVersion() {
  return static_cast<std::size_t>(library_major) * 10000;
}
STRATA_CUDA_ENTRY std::size_t cublasLtGetCudartVersion() {
  return static_cast<std::size_t>(library_major) * 1000;
}
STRATA_CUDA_CALL cublasLtGetProperty(int which, int* value) {
  if (value == nullptr || which < 0 || which > 2) return invalid;
  *value = which == 0 ? library_major : 0;
  return fine;
}
STRATA_CUDA_ENTRY const char* cublasLtGetStatusName(int status) {
  return name_of_status(status);
}
STRATA_CUDA_ENTRY const char* cublasLtGetStatusString(int status) {
  return text_of_status(status);
}

// No heuristics cache, no special host instructions, no log: queries return what was set.
namespace {
std::atomic<std::size_t> capacity{8192};
std::atomic<unsigned> mask{0};
}  // namespace

STRATA_CUDA_CALL cublasLtHeuristicsCacheGetCapacity(std::size_t* entries) {
  if (entries == nullptr) return invalid;
  *entries = capacity;
  return fine;
}
STRATA_CUDA_CALL cublasLtHeuristicsCacheSetCapacity(std::size_t entries) {
  capacity = entries;
  return fine;
}
STRATA_CUDA_ENTRY unsigned cublasLtDisableCpuInstructionsSetMask(unsigned wanted) {
  return mask.exchange(wanted);
}
STRATA_CUDA_CALL cublasLtLoggerSetCallback(void (*)(int, const char*, const char*)) {
  return fine;
}
STRATA_CUDA_CALL cublasLtLoggerSetFile(void*) {
  return fine;
}
STRATA_CUDA_CALL cublasLtLoggerOpenFile(const char*) {
  return fine;
}
STRATA_CUDA_CALL cublasLtLoggerSetLevel(int level) {
  return level >= 0 && level <= 5 ? fine : invalid;
}
STRATA_CUDA_CALL cublasLtLoggerSetMask(int) {
  return fine;
}
STRATA_CUDA_CALL cublasLtLoggerForceDisable() {
  return fine;
}

// Descriptors: create, set, get.

namespace {

/// Creates a descriptor in memory of the program; `bytes` is the size in its header.
template <class Descriptor>
int put(void* at, std::size_t bytes, const Descriptor& made) {
  if (at == nullptr) return invalid;
  if (bytes < sizeof made) return allocation_failed;
  new (at) Descriptor(made);
  return fine;
}
template <class Descriptor>
int make(void** at, const Descriptor& made) {
  if (at == nullptr) return invalid;
  *at = new (std::nothrow) Descriptor(made);
  return *at != nullptr ? fine : allocation_failed;
}
template <class Descriptor>
int drop(void* at) {
  auto* const descriptor = static_cast<Descriptor*>(at);
  if (descriptor == nullptr || descriptor->tag != Descriptor().tag) return invalid;
  descriptor->tag = Tag::none;
  delete descriptor;
  return fine;
}

Layout layout_of(int type, std::uint64_t rows, std::uint64_t columns, std::int64_t pitch) {
  Layout made;
  made.type = type;
  made.rows = rows;
  made.columns = columns;
  made.pitch = pitch;
  return made;
}
Product product_of(int compute, int scale) {
  Product made;
  made.compute = compute;
  made.scale = scale;
  return made;
}

}  // namespace

#define FIELDS(Name, tag, fields)                                                                  \
  STRATA_CUDA_CALL Name##SetAttribute(void* at, int number, const void* from, std::size_t bytes) { \
    return set_field(#Name "SetAttribute", at, tag, fields, number, from, bytes);                  \
  }                                                                                                \
  STRATA_CUDA_CALL Name##GetAttribute(const void* at, int number, void* to, std::size_t bytes,     \
                                      std::size_t* written) {                                      \
    return get_field(#Name "GetAttribute", at, tag, fields, number, to, bytes, written);           \
  }

STRATA_CUDA_CALL cublasLtMatrixLayoutInit_internal(void* at, std::size_t bytes, int type, std::uint64_t rows,
                                                   std::uint64_t columns, std::int64_t pitch) {
  return put(at, bytes, layout_of(type, rows, columns, pitch));
}
STRATA_CUDA_CALL cublasLtMatrixLayoutCreate(void** at, int type, std::uint64_t rows, std::uint64_t columns,
                                            std::int64_t pitch) {
  return make(at, layout_of(type, rows, columns, pitch));
}
STRATA_CUDA_CALL cublasLtMatrixLayoutDestroy(void* at) {
  return drop<Layout>(at);
}
FIELDS(cublasLtMatrixLayout, Tag::layout, layout_fields)

STRATA_CUDA_CALL cublasLtMatmulDescInit_internal(void* at, std::size_t bytes, int compute, int scale) {
  return put(at, bytes, product_of(compute, scale));
}
STRATA_CUDA_CALL cublasLtMatmulDescCreate(void** at, int compute, int scale) {
  return make(at, product_of(compute, scale));
}
STRATA_CUDA_CALL cublasLtMatmulDescDestroy(void* at) {
  return drop<Product>(at);
}
FIELDS(cublasLtMatmulDesc, Tag::product, product_fields)

STRATA_CUDA_CALL cublasLtMatmulPreferenceInit_internal(void* at, std::size_t bytes) {
  return put(at, bytes, Preference());
}
STRATA_CUDA_CALL cublasLtMatmulPreferenceCreate(void** at) {
  return make(at, Preference());
}
STRATA_CUDA_CALL cublasLtMatmulPreferenceDestroy(void* at) {
  return drop<Preference>(at);
}
FIELDS(cublasLtMatmulPreference, Tag::preference, preference_fields)

FIELDS(cublasLtMatmulAlgoConfig, Tag::algorithm, algorithm_fields)
#undef FIELDS
