#pragma once

#include <map>
#include <vector>

#include "models/common/units.h"
#include "models/tlm/module_kind.h"

namespace strata::tb {

/// Stands in the place of a memory controller and its channel: answers after a random time, holds requests at
/// random, and keeps an image of what was written, which transport_dbg reads: a byte is 1 when a write has
/// reached it.
const ModuleKind& image_memory_kind();

/// Writes that an image_memory has seen.
std::uint64_t writes_of(const Block& image_memory);

}  // namespace strata::tb
