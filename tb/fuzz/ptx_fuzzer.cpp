// libFuzzer target over the PTX front end: docs/contributing.md says how to run it.
#include <cstddef>
#include <cstdint>

#include "tb/fuzz/ptx_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  strata::tb::check_ptx(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
