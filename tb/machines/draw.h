#pragma once

#include <cstdint>

#include "tb/machines/catalog.h"
#include "tb/machines/machine.h"

namespace strata::tb {

/// Case `number` of `seed`: a platform, often scaled down, with some variants, settings and timings, and
/// programs small enough to take a fraction of a second. Everything lies in its documented range; the whole
/// may still be refused.
Machine draw_machine(std::uint64_t seed, std::uint64_t number, const Catalog& catalog);

}  // namespace strata::tb
