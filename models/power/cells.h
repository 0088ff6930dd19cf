#pragma once

#include <array>

namespace strata::power {

/// Sizes in which inverters of the standard cell library come; areas and leakages of the reference rows step
/// so.
inline constexpr std::array<double, 9> cell_sizes{1, 2, 3, 4, 6, 8, 10, 12, 16};

}  // namespace strata::power
