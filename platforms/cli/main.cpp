#include "platforms/cli/program.h"

int main(int argc, char* argv[]) {
  return strata::cli::run_program(argc, argv);
}
