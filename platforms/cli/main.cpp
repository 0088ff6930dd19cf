#include "platforms/cli/program.h"
#include "platforms/engine/session/process_usage.h"

#ifdef STRATA_EARLY_HEAP
// Runs before library initializers, because SystemC clears three megabytes there. Sanitizers, if any, run
// first.
[[gnu::used, gnu::section(".preinit_array")]] static void (*before_libraries)() =
    strata::platforms::use_large_heap_pages;
#endif

int main(int argc, char* argv[]) {
  return strata::cli::run_program(argc, argv);
}
