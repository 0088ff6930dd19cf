// Runs the cases of case_table.h on the GPU of this machine and writes what they gave: a line for each case
// with a digest for each class of operands, and with a second file the results of the first warps as they
// are.
//     nvcc -std=c++17 -O1 -o run_cases run_cases.cu -lcuda && ./run_cases digests.txt [results.bin [FIRST
//     [LAST]]]
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <fstream>

#include "case_table.h"

namespace {

void must(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "%s: %s\n", what.c_str(), text);
  if (result != CUDA_ERROR_INVALID_PTX && result != CUDA_ERROR_NO_BINARY_FOR_GPU) std::exit(1);
}

std::vector<uint32_t> run(const gpu_cases::Case& c) {
  CUmodule module;
  const CUresult loaded = cuModuleLoadData(&module, gpu_cases::ptx(c).c_str());
  must(loaded, c.name);
  if (loaded != CUDA_SUCCESS) return {};
  CUfunction kernel;
  must(cuModuleGetFunction(&kernel, module, "k"), c.name);
  const std::vector<uint64_t> in = gpu_cases::operands(c, gpu_cases::warps);
  std::vector<uint32_t> out(std::size_t{gpu_cases::warps} * 32 * gpu_cases::result_words(c));
  CUdeviceptr from, to;
  must(cuMemAlloc(&from, in.size() * 8), "memory");
  must(cuMemAlloc(&to, out.size() * 4), "memory");
  must(cuMemcpyHtoD(from, in.data(), in.size() * 8), "copy");
  must(cuMemsetD8(to, 0, out.size() * 4), "memset");
  void* arguments[] = {&from, &to};
  must(cuLaunchKernel(kernel, gpu_cases::warps, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), c.name);
  must(cuCtxSynchronize(), c.name);
  must(cuMemcpyDtoH(out.data(), to, out.size() * 4), c.name);
  cuMemFree(from);
  cuMemFree(to);
  cuModuleUnload(module);
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  must(cuInit(0), "driver");
  CUdevice device;
  CUcontext context;
  must(cuDeviceGet(&device, 0), "device");
  must(cuDevicePrimaryCtxRetain(&context, device), "context");
  must(cuCtxSetCurrent(context), "context");
  std::ofstream digests(arguments[1]);
  std::ofstream results;
  if (count > 2) results.open(arguments[2], std::ios::binary);
  const std::vector<gpu_cases::Case> all = gpu_cases::table();
  const std::size_t first = count > 3 ? std::atoi(arguments[3]) : 0;
  const std::size_t last = count > 4 ? std::atoi(arguments[4]) : all.size();
  for (std::size_t n = first; n < last && n < all.size(); ++n) {
    const std::vector<uint32_t> out = run(all[n]);
    if (out.empty()) continue;
    digests << gpu_cases::line(all[n], out) << "\n";
    const std::size_t kept = out.size() / gpu_cases::warps * 32;
    if (results.is_open())
      results.write(reinterpret_cast<const char*>(out.data()), static_cast<std::streamsize>(kept * 4));
  }
}
