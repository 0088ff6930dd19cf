#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traces/accelsim/out/instruction_writer.h"
#include "traces/tools.h"

namespace strata::traces {

struct ExportReport {
  std::uint64_t kernels = 0, ctas = 0, instructions = 0, bytes = 0;
  ExportLosses losses;
};

/// Writes a source as a trace that Accel-Sim reads: `kernelslist.g` and `kernel-1.traceg`, `kernel-2.traceg`
/// ... into `folder`, which is there. `compress`: each of these as `.traceg.xz`. Throws ConfigError when
/// something cannot be written.
ExportReport export_accelsim(InstructionSource& source, const std::string& folder, bool compress,
                             const ProgressFn& progress = {});

/// A file that export_accelsim() may have written.
bool is_export_name(std::string_view name);

/// What the trace does not say, a sentence each; empty: nothing.
std::vector<std::string> to_sentences(const ExportLosses& losses);

}  // namespace strata::traces
