// libFuzzer over one parser, which the environment variable STRATA_FUZZ_PARSER names; tb/fuzz/fuzz_all starts
// it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tb/fuzz/parsers.h"

namespace {

std::unique_ptr<strata::tb::FuzzFolder> folder;
strata::tb::FuzzedParser parser{};

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* wanted = std::getenv("STRATA_FUZZ_PARSER");
  for (const strata::tb::FuzzedParser& one : strata::tb::fuzzed_parsers())
    if (wanted != nullptr && std::string(wanted) == one.name) parser = one;
  if (parser.read == nullptr) {
    std::fprintf(stderr, "STRATA_FUZZ_PARSER must name one of");
    for (const strata::tb::FuzzedParser& one : strata::tb::fuzzed_parsers())
      std::fprintf(stderr, " %s", one.name);
    std::fprintf(stderr, "\n");
    std::exit(1);
  }
  folder = std::make_unique<strata::tb::FuzzFolder>();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  strata::tb::take(parser, *folder, {reinterpret_cast<const char*>(data), size});
  return 0;
}

/// SystemC's library asks for it.
extern "C" int sc_main(int, char*[]) {
  return 0;
}
