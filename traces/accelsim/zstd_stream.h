#pragma once

#include <memory>
#include <string>

#include "traces/accelsim/line_reader.h"

namespace strata::traces {

/// The file begins as zstd frames do.
bool is_zstd(const std::string& path);

/// A text that was compressed with zstd, of one frame or several.
std::unique_ptr<ByteStream> open_zstd(const std::string& path);

}  // namespace strata::traces
