#pragma once

#include <string>

#include "platforms/engine/netlist/platform.h"
#include "platforms/report/kernel_figures.h"

namespace strata::cli {

/// by_launch.csv: one row per launch, in trace order; docs/guide/running.md defines its columns. `end`: the
/// core cycle in which the run ended, for launches that did not finish.
std::string by_launch_csv(const platforms::Platform& platform, const platforms::KernelRecorders& kernels,
                          Cycle end);

/// Launches that overlapped others: their rows have no figures of caches and DRAM.
std::size_t overlapped_launches(const platforms::KernelRecorders& kernels);

}  // namespace strata::cli
