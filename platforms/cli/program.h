#pragma once

namespace strata::cli {

/// The `strata` program: the whole of a `main` that is linked with Strata::cli. A STRATA_PLUGIN beside it
/// adds modules and kinds of traces to those that Strata comes with (docs/guide/plugins.md).
int run_program(int argc, char* argv[]);

}  // namespace strata::cli
