#pragma once

namespace strata::cli {

/// The `strata` program: call it from a `main` linked with Strata::cli. A STRATA_PLUGIN linked in adds
/// modules and kinds of traces (docs/guide/plugins.md).
int run_program(int argc, char* argv[]);

}  // namespace strata::cli
