// The linker of the driver: PTX texts behind each other, which is how modules of several are read here.
#include <fstream>
#include <iterator>

#include "traces/cuda/driver/driver_call.h"

using namespace strata::cuda;

namespace {

constexpr int input_fat_binary = 2;  // CUjitInputType
struct Linker {
  std::string text;
};

/// PTX, or the PTX of a fat binary; machine code adds none.
void add(Device& device, Handle linker, const void* data, std::size_t bytes) {
  Module& module = device.load(data, bytes);
  at<Linker>(linker).text += module.text() + "\n";
  device.unload(module);
}

}  // namespace

STRATA_CUDA_CALL cuLinkCreate_v2(unsigned, int*, void**, Handle* to) {
  return guarded([&](Device&) { *to = new Linker; });
}
STRATA_CUDA_CALL cuLinkAddData_v2(Handle linker, int type, void* data, std::size_t bytes, const char*,
                                  unsigned, int*, void**) {
  return guarded(
      [&](Device& device) { add(device, linker, data, type == input_fat_binary ? SIZE_MAX : bytes); });
}
STRATA_CUDA_CALL cuLinkAddFile_v2(Handle linker, int, const char* path, unsigned, int*, void**) {
  return guarded([&](Device& device) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw CallError(file_not_found);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    add(device, linker, content.data(), content.size());
  });
}
STRATA_CUDA_CALL cuLinkComplete(Handle linker, void** image, std::size_t* bytes) {
  return guarded([&](Device&) {
    std::string& text = at<Linker>(linker).text;
    *image = text.data();
    if (bytes != nullptr) *bytes = text.size() + 1;
  });
}
STRATA_CUDA_CALL cuLinkDestroy(Handle linker) {
  return guarded([&](Device&) { delete &at<Linker>(linker); });
}
