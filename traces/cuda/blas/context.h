#pragma once

#include <exception>
#include <string>
#include <vector>

#include "traces/cuda/device/device.h"
#include "traces/cuda/device/streams.h"

/// Values of cuBLAS's enumerations in CUDA 11 to 13 (cuBLAS, "Using the cuBLAS API").
namespace strata::cuda::blas {

enum Status : int {
  fine = 0,
  not_initialized = 1,
  allocation_failed = 3,
  invalid = 7,
  execution_failed = 13,
  unsupported = 15,
};

enum Operation : int {
  as_it_is = 0,
  transposed = 1,
  conjugated = 2
};  ///< equals `transposed` for real numbers
inline bool is_operation(int one) {
  return one == as_it_is || one == transposed || one == conjugated;
}
enum PointerMode : int { of_host = 0, of_device = 1 };

/// cudaDataType_t
enum DataType : int { f32 = 0, f64 = 1, f16 = 2, s8 = 3, s32 = 10, bf16 = 14 };

/// cublasComputeType_t. Fast types allow less precise products of f32; here they are computed in f32.
enum ComputeType : int {
  compute_f16 = 64,
  compute_f16_pedantic = 65,
  compute_f32 = 68,
  compute_f32_pedantic = 69,
  compute_f64 = 70,
  compute_f64_pedantic = 71,
  compute_s32 = 72,
  compute_s32_pedantic = 73,
  compute_f32_fast_f16 = 74,
  compute_f32_fast_bf16 = 75,
  compute_f32_fast_tf32 = 77,
};

/// Major version of the library.
extern const int library_major;

/// Name and text of a cublasStatus_t; unknown numbers have a name that says so.
const char* name_of_status(int status);
const char* text_of_status(int status);

/// Thrown inside the library; calls return the status.
class BlasError : public std::exception {
 public:
  explicit BlasError(Status error) : status(error) {}
  Status status;
};

/// Object behind a cublasHandle_t.
struct Context {
  abi::Handle stream = nullptr;
  int pointer_mode = of_host;
  int math_mode = 0, atomics_mode = 0, sm_count_target = 0;
  Address scratch = 0;  ///< partial sums and results for the host; allocated on first use
};

/// The bodies of cublasCreate and cublasDestroy, also for cuBLASLt, which accepts handles of both libraries.
int make_context(void** handle);
int drop_context(void* handle);

/// Status for an error of the device.
Status status_of(int error);

/// The body of a call on a context: one at a time; errors become status codes.
template <class Body>
int call(void* handle, Body&& body) {
  if (handle == nullptr) return not_initialized;
  Status status = fine;
  const int error = guarded([&](Device& device) {
    try {
      body(device, *static_cast<Context*>(handle));
    } catch (const BlasError& fault) {
      status = fault.status;
    }
  });
  return error == success ? status : status_of(error);
}

inline void require(bool holds) {
  if (!holds) throw BlasError(invalid);
}

Function* find_kernel(const std::string& name);
Function& add_kernel(Device& device, const std::string& name, std::string text);
/// The kernel of this name, in a module of its own. `text` makes its PTX on first use in the process.
template <class Text>
Function& kernel_of(Device& device, const std::string& name, Text&& text) {
  Function* const found = find_kernel(name);
  return found != nullptr ? *found : add_kernel(device, name, text());
}

/// Enqueues a launch on the context's stream. `values` point to the kernel's arguments.
void launch(Device& device, const Context& context, Function& function, Dim3 grid, Dim3 block,
            const std::vector<const void*>& values);

/// A number passed by pointer to host or device memory: kernels receive its value, or a non-zero address to
/// read it from.
struct Scalar {
  alignas(8) unsigned char value[8] = {};
  Address at = 0;
};
Scalar scalar(const Context& context, const void* pointer, unsigned bytes);

}  // namespace strata::cuda::blas

/// A call that is not implemented: it is reported once and returns an error (absent_calls.txt).
#define ABSENT(call)                                                          \
  STRATA_CUDA_CALL call() {                                                   \
    strata::cuda::Device::get().absent(#call, "CUBLAS_STATUS_NOT_SUPPORTED"); \
    return strata::cuda::blas::unsupported;                                   \
  }
