// Names of codes.
#include "traces/cuda/blas/context.h"

namespace strata::cuda::blas {
namespace {

struct StatusText {
  int status;
  const char *name, *text;
};
constexpr StatusText texts[] = {
    {0, "CUBLAS_STATUS_SUCCESS", "success"},
    {1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {7, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was used as an argument"},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH", "an absent device architectural feature is required"},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality is not supported"},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", "an error was detected when checking the current licensing"}};

const StatusText& text_of(int status) {
  static constexpr StatusText unknown{-1, "CUBLAS_STATUS_UNKNOWN", "an unknown status"};
  for (const StatusText& one : texts)
    if (one.status == status) return one;
  return unknown;
}

}  // namespace

const char* name_of_status(int status) {
  return text_of(status).name;
}

const char* text_of_status(int status) {
  return text_of(status).text;
}

}  // namespace strata::cuda::blas
