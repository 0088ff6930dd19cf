// Runs a workload that `strata trace workloads NAME --dump FOLDER` wrote on the GPU of this machine and compares its
// outputs with the expected ones.  nvcc -o ptx_device_check tb/gpu/ptx_device_check.cu -ldl
#include <cuda.h>
#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "ptx_device_check: %s\n", what.c_str());
  std::exit(2);
}

/// The driver is loaded at run time, so that this builds on machines without one.
template <class Function>
Function driver(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) fail("no CUDA driver on this machine");
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) fail(std::string("the driver has no ") + name);
  return reinterpret_cast<Function>(symbol);
}

void must(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  driver<CUresult (*)(CUresult, const char**)>("cuGetErrorString")(result, &text);
  fail(what + ": " + (text != nullptr ? text : "unknown error"));
}

const auto mem_alloc = [](CUdeviceptr* p, size_t n) {
  return driver<CUresult (*)(CUdeviceptr*, size_t)>("cuMemAlloc_v2")(p, n);
};
const auto to_device = [](CUdeviceptr to, const void* from, size_t n) {
  return driver<CUresult (*)(CUdeviceptr, const void*, size_t)>("cuMemcpyHtoD_v2")(to, from, n);
};
const auto to_host = [](void* to, CUdeviceptr from, size_t n) {
  return driver<CUresult (*)(void*, CUdeviceptr, size_t)>("cuMemcpyDtoH_v2")(to, from, n);
};

std::vector<char> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Buffer {
  std::string name, type;
  size_t count = 0, bytes = 0;
  CUdeviceptr address = 0;
};

size_t element_bytes(const std::string& type) { return std::stoul(type.substr(1)) / 8; }

double element(const std::string& type, const char* at) {
  if (type == "f32") { float v; std::memcpy(&v, at, 4); return v; }
  if (type == "f64") { double v; std::memcpy(&v, at, 8); return v; }
  std::int64_t v = 0;
  const size_t bytes = element_bytes(type);
  std::memcpy(&v, at, bytes);
  if (type[0] == 'i' && bytes < 8) v = v << (64 - 8 * bytes) >> (64 - 8 * bytes);
  return static_cast<double>(v);
}

void put(const std::string& type, double value, char* at) {
  if (type == "f32") { const float v = static_cast<float>(value); std::memcpy(at, &v, 4); return; }
  if (type == "f64") { std::memcpy(at, &value, 8); return; }
  const auto v = static_cast<std::int64_t>(value);
  std::memcpy(at, &v, element_bytes(type));
}

void launch(std::istringstream& line, std::ifstream& text, const std::vector<CUmodule>& modules,
            const std::vector<Buffer>& buffers) {
  size_t module, count;
  std::string kernel, row;
  unsigned g[3], b[3], shared;
  line >> module >> kernel >> g[0] >> g[1] >> g[2] >> b[0] >> b[1] >> b[2] >> shared >> count;
  std::vector<std::uint64_t> values(count, 0);
  std::vector<void*> pointers;
  for (size_t i = 0; i < count; ++i) {
    std::getline(text, row);
    std::istringstream words(row);
    std::string kind;
    words >> kind;
    if (kind == "buffer") {
      size_t index;
      std::int64_t offset;
      words >> index >> offset;
      values[i] = buffers.at(index).address + static_cast<std::uint64_t>(offset);
    } else if (kind == "integer") {
      size_t bytes;
      std::int64_t value;
      words >> bytes >> value;
      std::memcpy(&values[i], &value, 8);
    } else {
      size_t bytes;
      double value;
      words >> bytes >> value;
      put(bytes == 4 ? "f32" : "f64", value, reinterpret_cast<char*>(&values[i]));
    }
    pointers.push_back(&values[i]);
  }
  CUfunction function;
  must(driver<CUresult (*)(CUfunction*, CUmodule, const char*)>("cuModuleGetFunction")(&function, modules.at(module),
                                                                                     kernel.c_str()),
       "kernel " + kernel);
  if (shared > 48 * 1024)
    must(driver<CUresult (*)(CUfunction, CUfunction_attribute, int)>("cuFuncSetAttribute")(
             function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(shared)),
         "shared memory of " + kernel);
  using Launch = CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                              void**, void**);
  must(driver<Launch>("cuLaunchKernel")(function, g[0], g[1], g[2], b[0], b[1], b[2], shared, nullptr, pointers.data(),
                                        nullptr),
       "launch of " + kernel);
}

/// Returns whether the output is as expected.
bool compare(std::istringstream& line, const std::string& folder, const std::vector<Buffer>& buffers) {
  size_t index, outliers;
  int exact;
  double absolute, relative;
  std::string file;
  line >> index >> exact >> absolute >> relative >> outliers >> file;
  const Buffer& buffer = buffers.at(index);
  const std::vector<char> want = contents(folder + "/" + file);
  std::vector<char> got(buffer.bytes);
  must(to_host(got.data(), buffer.address, got.size()), "copy of " + buffer.name);
  if (want.size() != got.size()) fail(file + " has another size than " + buffer.name);
  const size_t step = element_bytes(buffer.type);
  size_t wrong = 0, first = 0;
  double worst = 0;
  for (size_t i = 0; i < buffer.count; ++i) {
    if (std::memcmp(&got[i * step], &want[i * step], step) == 0) continue;
    const double x = element(buffer.type, &got[i * step]), y = element(buffer.type, &want[i * step]);
    const double error = std::fabs(x - y);
    if (error > worst) worst = error;
    if (exact == 0 && error <= absolute + relative * std::fabs(y)) continue;
    if (wrong++ == 0) first = i;
  }
  std::printf("  %s: %zu of %zu differ, worst error %g", buffer.name.c_str(), wrong, buffer.count, worst);
  if (wrong != 0)
    std::printf("; the first, [%zu], is %.9g instead of %.9g", first, element(buffer.type, &got[first * step]),
                element(buffer.type, &want[first * step]));
  std::printf("\n");
  return wrong <= outliers;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: ptx_device_check FOLDER");
  const std::string folder = argv[1];
  must(driver<CUresult (*)(unsigned)>("cuInit")(0), "driver");
  CUdevice device;
  must(driver<CUresult (*)(CUdevice*, int)>("cuDeviceGet")(&device, 0), "device");
  CUcontext context;
  must(driver<CUresult (*)(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, device), "context");
  must(driver<CUresult (*)(CUcontext)>("cuCtxSetCurrent")(context), "context");

  std::ifstream text(folder + "/workload.txt");
  std::string row, word, title;
  if (!std::getline(text, row)) fail("cannot read " + folder + "/workload.txt");
  std::istringstream(row) >> word >> word >> title;
  size_t count = 0;
  std::getline(text, row);
  std::istringstream(row) >> word >> count;
  std::vector<CUmodule> modules(count);
  for (size_t i = 0; i < count; ++i) {
    std::vector<char> ptx = contents(folder + "/" + std::to_string(i) + ".ptx");
    ptx.push_back(0);
    must(driver<CUresult (*)(CUmodule*, const void*)>("cuModuleLoadData")(&modules[i], ptx.data()), "PTX");
  }
  std::getline(text, row);
  std::istringstream(row) >> word >> count;
  std::vector<Buffer> buffers(count);
  for (size_t i = 0; i < count; ++i) {
    Buffer& buffer = buffers[i];
    std::getline(text, row);
    std::istringstream(row) >> buffer.name >> buffer.type >> buffer.count;
    buffer.bytes = buffer.count * element_bytes(buffer.type);
    const std::vector<char> initial = contents(folder + "/" + std::to_string(i) + ".initial");
    if (initial.size() != buffer.bytes) fail("contents of " + buffer.name + " have another size");
    must(mem_alloc(&buffer.address, buffer.bytes), "memory for " + buffer.name);
    must(to_device(buffer.address, initial.data(), buffer.bytes), "copy of " + buffer.name);
  }
  bool good = true;
  std::printf("%s\n", title.c_str());
  while (std::getline(text, row) && row != "end") {
    std::istringstream line(row);
    line >> word;
    if (word == "launch") {
      launch(line, text, modules, buffers);
    } else if (word == "copy") {
      size_t to, from;
      line >> to >> from;
      must(driver<CUresult (*)(CUdeviceptr, CUdeviceptr, size_t)>("cuMemcpyDtoD_v2")(
               buffers.at(to).address, buffers.at(from).address, buffers.at(from).bytes),
           "copy");
    } else if (word == "fill") {
      size_t to;
      std::string type;
      double value;
      line >> to >> type >> value;
      std::vector<char> all(buffers.at(to).bytes);
      for (size_t at = 0; at < all.size(); at += element_bytes(type)) put(type, value, &all[at]);
      must(to_device(buffers[to].address, all.data(), all.size()), "fill");
    } else if (word == "output") {
      must(driver<CUresult (*)()>("cuCtxSynchronize")(), "kernels");
      good &= compare(line, folder, buffers);
    }
  }
  std::printf("%s: %s\n", title.c_str(), good ? "as the reference" : "DIFFERS");
  return good ? 0 : 1;
}
