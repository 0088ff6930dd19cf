#define CATCH_CONFIG_RUNNER  // Catch2 2: compile the runner here
#include "tb/support/test_runner.h"

#include "tb/support/catch.h"

int strata::tb::run_tests(int argc, char* argv[]) {
  Catch::Session session;
#if !__has_include(<catch2/catch_all.hpp>)
  session.configData().warnings = Catch::WarnAbout::NoTests;  // Catch2 3 fails by itself
#endif
  return session.run(argc, argv);
}
