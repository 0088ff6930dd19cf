#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::traces {

struct OpenOptions {
  bool strict =
      false;  ///< `check`: also refuses accesses whose addresses are lost, which a simulation accepts
  std::uint64_t seed = 1;  ///< seed of the run, used by synthetic streams without one
};

/// Opens a source of instructions:
/// - a `kernelslist.g`, or a directory that holds one, or a single `.traceg` / `.traceg.xz` / `.tracez`
///   (Accel-Sim);
/// - a record file (known by its first bytes, whatever its name);
/// - `synthetic:SPEC`, e.g. `synthetic:random:footprint=4MiB,loads=64` (docs/guide/trace-formats.md).
/// Throws TraceError (files) or ConfigError (synthetic specs).
std::unique_ptr<InstructionSource> open_trace(const std::string& path_or_spec, OpenOptions options = {});

/// The files that the source reads, now or later: none of them may be written meanwhile.
std::vector<std::string> files_of(const InstructionSource& source);

/// Notes for the user about deviations from the file: skipped calls of a list, by name and number, and marks
/// of the tracer in fetched CTAs.
std::vector<std::string> notes_of(const InstructionSource& source);

}  // namespace strata::traces
