#include <systemc>

#include "tb/support/test_runner.h"

// SystemC owns main(). One test case = one elaboration = one process (CTest runs each case by itself).
int sc_main(int argc, char* argv[]) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  return strata::tb::run_tests(argc, argv);
}
