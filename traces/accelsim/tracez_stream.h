#pragma once

#include <memory>
#include <string>

#include "traces/accelsim/line_reader.h"

namespace strata::traces {

/// The text of a `.tracez` file of Accel-Sim 2.0: a header, pages of instruction lines that are compressed
/// with one dictionary, and an index of them by thread block and warp. It is read in the order of the index;
/// what comes out is a `.traceg`. Layout: docs/guide/trace-formats.md. Throws TraceError, with the place in
/// words.
std::unique_ptr<ByteStream> open_tracez(const std::string& path);

}  // namespace strata::traces
