// Names of status codes, and the basis of the library's calls: kernels, launches, scalars.
#include "traces/cuda/blas/context.h"

#include <cstring>
#include <map>

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

namespace {

std::map<std::string, Function*>& kernels() {
  static std::map<std::string, Function*> all;  // of the process, like modules: graphs outlive contexts
  return all;
}

}  // namespace

Status status_of(int error) {
  return error == out_of_memory ? allocation_failed : error == invalid_value ? invalid : execution_failed;
}

int make_context(void** handle) {
  if (handle == nullptr) return invalid;
  const int error = guarded([&](Device&) { *handle = new Context; });
  return error == success ? fine : not_initialized;
}

int drop_context(void* handle) {
  const int status = call(handle, [&](Device& device, Context& context) {
    if (context.scratch != 0) device.free(context.scratch);
  });
  if (status == fine) delete static_cast<Context*>(handle);
  return status;
}

Function* find_kernel(const std::string& name) {
  const auto found = kernels().find(name);
  return found == kernels().end() ? nullptr : found->second;
}

Function& add_kernel(Device& device, const std::string& name, std::string text) {
  Function& function = device.load_text(std::move(text)).function(name);
  kernels()[name] = &function;
  return function;
}

void launch(Device& device, const Context& context, Function& function, Dim3 grid, Dim3 block,
            const std::vector<const void*>& values) {
  std::vector<void*> places;
  for (const void* one : values) places.push_back(const_cast<void*>(one));
  GraphNode node;
  node.kind = GraphNode::Kind::kernel;
  node.launch = std::make_shared<Launch>(device.prepare(function, grid, block, 0, places.data()));
  put(device, context.stream, std::move(node));
}

Scalar scalar(const Context& context, const void* pointer, unsigned bytes) {
  require(pointer != nullptr);
  Scalar made;
  if (context.pointer_mode == of_device)
    made.at = reinterpret_cast<Address>(pointer);
  else
    std::memcpy(made.value, pointer, bytes);
  return made;
}

}  // namespace strata::cuda::blas
