#pragma once

#include "models/tlm/module_kind.h"

namespace strata::tb {

/// `faulty_slice`: takes the place of an LLC slice, answers every request after 20 cycles without a memory,
/// and makes the mistake that its parameter `fault` names with the answer number `at` (and only there). With
/// `fault: none` it is a correct module.
const ModuleKind& faulty_slice_kind();

}  // namespace strata::tb
