#include <systemc>

#include "tb/contract/contract.h"

int sc_main(int argc, char* argv[]) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  return strata::contract::contract_main(argc, argv, strata::platforms::built_in_modules());
}
