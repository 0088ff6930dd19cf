#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "models/common/instruction_source.h"
#include "traces/accelsim/opcode_table.h"

namespace strata::traces {

/// What the head of a `.traceg` file says.
struct KernelHeader {
  KernelInfo info;
  std::string tracer_version;    ///< as written: `1.2`, `5`
  bool values_at_end = false;    ///< versions from 6: lines end with two immediates, and values or NoVal
  bool position_prefix = false;  ///< versions below 3: each line begins `ctax ctay ctaz warp`
  bool line_info = false;        ///< each line begins with a source line number
  // Of traces that Strata wrote from PTX, whose arithmetic is known by its number and units only:
  bool branches_are_arithmetic = false;  ///< control flow counts as arithmetic
  bool merges_runs = false;          ///< arithmetic without registers that follows each other is one record
  std::shared_ptr<CodeLines> lines;  ///< grows while instructions are read; null without `line_info`
  const OpcodeTable* opcodes = nullptr;
  Address shared_base = 0;  ///< window of generic addresses that are shared memory
  Address local_base = 0;
  bool local_is_interleaved = false;  ///< addresses of local memory are those of hardware, not of each thread
  std::optional<Dim3> cluster;  ///< thread blocks of a cluster, where the file says it before its blocks
};

}  // namespace strata::traces
