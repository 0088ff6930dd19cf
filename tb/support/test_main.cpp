#include "tb/support/test_runner.h"

int main(int argc, char* argv[]) {
  return strata::tb::run_tests(argc, argv);
}
