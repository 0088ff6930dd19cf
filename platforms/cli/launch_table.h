#pragma once

#include <string>

#include "platforms/netlist/platform.h"
#include "platforms/report/kernel_figures.h"

namespace strata::cli {

/// by_launch.csv: a row a launch, in the order of the trace; docs/guide/running.md defines its columns.
/// `end`: core cycle in which the run ended, of launches that did not.
std::string by_launch_csv(const platforms::Platform& platform, const platforms::KernelRecorders& kernels,
                          Cycle end);

/// Launches that ran beside others: their rows have no figures of caches and DRAM.
std::size_t overlapped_launches(const platforms::KernelRecorders& kernels);

}  // namespace strata::cli
