#include "platforms/cli/program.h"
#include "platforms/session/heap_pages.h"

#ifdef STRATA_EARLY_HEAP
// Before libraries begin: SystemC clears three megabytes then. Sanitizers come first where there are some.
[[gnu::used, gnu::section(".preinit_array")]] static void (*before_libraries)() =
    strata::platforms::use_large_heap_pages;
#endif

int main(int argc, char* argv[]) {
  return strata::cli::run_program(argc, argv);
}
