#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "platforms/cli/arguments.h"
#include "traces/ptx/ptx.h"

namespace strata::cli {

/// Options of verbs that may interpret kernels: what PTX lacks until it is machine code.
void add_ptx_options(Arguments& arguments);
traces::PtxOptions ptx_options(const Arguments& arguments);

/// A trace as open_trace() takes it, or `workload:NAME[@SCALE]`. `seed` is that of the run.
std::unique_ptr<InstructionSource> open_source(const std::string& trace,
                                               const traces::PtxOptions& options = {},
                                               std::uint64_t seed = 1);

/// The files that a source of that name is read from.
std::vector<std::string> input_files(const std::string& trace, const InstructionSource& source);

}  // namespace strata::cli
