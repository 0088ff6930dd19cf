#pragma once

#include "traces/ptx/global_memory.h"
#include "traces/ptx/ptx_launch.h"
#include "traces/ptx/ptx_options.h"
#include "traces/ptx/ptx_program.h"
#include "traces/ptx/ptx_source.h"

/// CUDA kernels without a GPU: PTX is parsed, interpreted warp by warp and streamed as instructions.
///
///     auto program = PtxProgram::load("saxpy.ptx");
///     PtxSource source([&] {
///       PtxWorkload w;
///       Address x = w.memory.upload(std::vector<float>(n, 1.0f), "x");
///       Address y = w.memory.upload(std::vector<float>(n, 2.0f), "y");
///       w.launches.push_back({program, "saxpy", {n / 256}, {256}, 0, {x, y, 3.0f, n}});
///       return w;
///     });
///     source.run_to_end();                                    // or hand `source` to a platform or a writer
///     auto result = source.memory().load<float>(y, n);        // compare with the reference
///
/// Faults are TraceError: of the file at load time (`file:line: kernel k: ...`), of a launch before it
/// starts, of an instruction with kernel, thread block, thread, PC and source line.
