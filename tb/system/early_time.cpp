// A user's program that makes an sc_time before Strata can set the resolution: SystemC has fixed it to
// 1 ps.
#include <systemc>

#include "platforms/cli/program.h"

namespace {
const sc_core::sc_time period(10, sc_core::SC_NS);
}

int main(int argc, char* argv[]) {
  return period == sc_core::SC_ZERO_TIME ? 2 : strata::cli::run_program(argc, argv);
}
