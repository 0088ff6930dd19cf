// libFuzzer target over the PTX front end: docs/contributing.md says how to run it. With STRATA_FUZZ_RUN=1 it
// also runs the kernels.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "models/common/faults.h"
#include "tb/fuzz/ptx_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool run = std::getenv("STRATA_FUZZ_RUN") != nullptr;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (!strata::tb::check_ptx(text) || !run) return 0;
  try {
    strata::tb::run_ptx(strata::traces::PtxProgram::parse(text, "fuzz.ptx"));
  } catch (const strata::TraceError&) {
  } catch (const strata::ConfigError&) {
  }
  return 0;
}
