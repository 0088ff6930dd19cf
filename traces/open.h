#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::traces {

struct OpenOptions {
  bool strict =
      false;  ///< `check`: also refuse what a simulation could live with (accesses whose addresses are lost)
  std::uint64_t seed = 1;  ///< of the run: that of synthetic streams whose spec gives none
};

/// Open a source of instructions:
/// - a `kernelslist.g`, or a directory that holds one, or a single `.traceg` / `.traceg.xz` / `.tracez`
///   (Accel-Sim);
/// - a record file (known by its first bytes, whatever its name);
/// - `synthetic:SPEC`, e.g. `synthetic:random:footprint=4MiB,loads=64` (docs/guide/trace-formats.md).
/// Throws TraceError (files) or ConfigError (synthetic specs).
std::unique_ptr<InstructionSource> open_trace(const std::string& path_or_spec, OpenOptions options = {});

/// The files that such a source reads, now or later: none of them may be written meanwhile.
std::vector<std::string> files_of(const InstructionSource& source);

/// What such a source has read otherwise than as it stands there, a line each, to be told once: calls of a
/// list that were passed over, by name and number; marks of the tracer, of what was fetched.
std::vector<std::string> notes_of(const InstructionSource& source);

}  // namespace strata::traces
