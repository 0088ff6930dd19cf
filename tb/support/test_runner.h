#pragma once

namespace strata::tb {

/// Run what the command line names. Naming no test is a failure.
int run_tests(int argc, char* argv[]);

}  // namespace strata::tb
