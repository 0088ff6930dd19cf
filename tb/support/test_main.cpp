#define CATCH_CONFIG_RUNNER
#include "tb/support/catch.h"

int main(int argc, char* argv[]) {
  return strata::tb::run_tests(argc, argv);
}
