// Lookup of driver calls by name, and the export tables of NVIDIA's own libraries.
#include <dlfcn.h>

#include "traces/cuda/driver/driver_call.h"

using namespace strata::cuda;

namespace {

/// Handle of this library, even if the program has loaded others.
void* own_handle() {
  static void* const handle = [] {
    Dl_info info;
    ::dladdr(reinterpret_cast<void*>(&own_handle), &info);
    return ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return handle;
}

/// Name of the file that contains the code.
std::string file_of(const void* code) {
  Dl_info info;
  if (::dladdr(code, &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string path = info.dli_fname;
  return path.substr(path.rfind('/') + 1);
}
bool begins_with(const std::string& text, const char* with) {
  return text.rfind(with, 0) == 0;
}

/// NVIDIA's libraries that contain the runtime library without symbols.
bool is_closed(const std::string& file) {
  for (const char* name : {"libcublas", "libcufft", "libcurand", "libcusolver", "libcusparse", "libcudnn",
                           "libcutensor", "libnccl", "libnpp", "libnvjpeg", "libnvshmem"})
    if (begins_with(file, name)) return true;
  return false;
}

/// Forms of calls with other arguments, and the first CUDA version that has them (cudaTypedefs.h).
struct Form {
  const char* name;
  int since;
};
constexpr Form new_forms[] = {{"cuStreamGetCaptureInfo_v2", 11030},
                              {"cuGraphAddKernelNode_v2", 12000},
                              {"cuGraphKernelNodeGetParams_v2", 12000},
                              {"cuGraphKernelNodeSetParams_v2", 12000},
                              {"cuGraphExecKernelNodeSetParams_v2", 12000},
                              {"cuGraphExecUpdate_v2", 12000},
                              {"cuStreamGetCaptureInfo_v3", 12030},
                              {"cuStreamUpdateCaptureDependencies_v2", 12030},
                              {"cuGraphAddDependencies_v2", 12030},
                              {"cuGraphNodeGetDependencies_v2", 12030},
                              {"cuGraphAddNode_v2", 12030},
                              {"cuMemcpyBatchAsync_v2", 13000}};

bool knows(int version, const std::string& form) {
  for (const Form& one : new_forms)
    if (form == one.name) return version >= one.since;
  const bool fourth = form.size() > 3 && form.compare(form.size() - 3, 3, "_v4") == 0;
  return !fourth || version >= 13000;
}

}  // namespace

// Returns the newest form of a call that a program for this CUDA version uses.
STRATA_CUDA_CALL cuGetProcAddress_v2(const char* symbol, void** to, int version, std::uint64_t, int* status) {
  return guarded([&](Device& device) {
    std::string name = symbol;
    if (name == "cuGraphInstantiate" && version >= 12000) name = "cuGraphInstantiateWithFlags";
    *to = nullptr;
    for (const char* form : {"_v4", "_v3", "_v2", ""})
      if (*to == nullptr && knows(version, name + form)) *to = ::dlsym(own_handle(), (name + form).c_str());
    if (status != nullptr) *status = *to == nullptr ? 1 : 0;
    if (*to != nullptr) return;
    if (*symbol != '\0') device.absent(symbol, "CUDA_ERROR_NOT_FOUND");
    throw CallError(not_found);
  });
}
STRATA_CUDA_CALL cuGetProcAddress(const char* symbol, void** to, int version, std::uint64_t flags) {
  return cuGetProcAddress_v2(symbol, to, version, flags, nullptr);
}

// Called by an NVIDIA runtime library in a program where Strata's library could not replace it, or by
// NVIDIA's run-time compiler, which continues without the table.
STRATA_CUDA_CALL cuGetExportTable(const void** table, const void*) {
  const void* const caller = __builtin_return_address(0);
  return guarded([&](Device& device) {
    *table = nullptr;
    static bool reported = false;
    const std::string file = file_of(caller);
    if (begins_with(file, "libnvrtc.so")) throw CallError(not_found);
    if (!reported)
      device.report_fault(is_closed(file) ? file +
                                                " cannot run here: it works with NVIDIA's driver alone, and "
                                                "the program gets an error for what it calls there"
                                          : "the program holds or loads NVIDIA's runtime library, and Strata "
                                            "cannot find its functions there: "
                                            "link it with "
                                            "-cudart shared, or do not strip it");
    reported = true;
    throw CallError(not_found);
  });
}
