#pragma once

#include <string>
#include <vector>

#include "traces/ptx/ptx_options.h"

namespace strata::cli {

/// Prints the behaviour of the loads of workloads in the L1s of the papers that name them, beside the figures
/// of those papers. No CTA starts after `window` thread instructions.
void print_l1_table(const std::vector<std::string>& specs, const traces::PtxOptions& options,
                    std::uint64_t window);

}  // namespace strata::cli
