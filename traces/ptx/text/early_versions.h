#pragma once

#include "traces/ptx/text/module.h"

namespace strata::traces::ptx {

/// `i` in the words of today, where it is of PTX 1.4 (PTX ISA, "Release Notes"): `%tid` and its kin are of 32
/// bits since version 2.0, and may be read as 16. `flushes`, for a target of sm_1x: single precision makes
/// subnormal numbers 0, and `mad` is fused, as it is on all later machines.
void modernize(Instruction& i, bool flushes);

}  // namespace strata::traces::ptx
