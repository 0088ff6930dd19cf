#pragma once

#include <functional>

#include "tb/machines/machine.h"

namespace strata::tb {

/// True when a machine still fails in the same way.
using StillFails = std::function<bool(const Machine&)>;

/// Leaves out what is not needed and makes the rest small, as long as it still fails; tries at most `tries`
/// machines.
Machine shrink(Machine machine, const StillFails& still_fails, int tries);

}  // namespace strata::tb
