#pragma once

#include <string>
#include <vector>

#include "platforms/interference/contention_shares.h"

namespace strata::platforms {

/// A matrix of shares: a row for each victim, a column for each aggressor.
struct HeatPanel {
  std::string title;
  ShareMatrix rows;
};

/// An SVG picture of some matrices of the same kernels side by side: the darker, the larger the share. Each
/// cell has its figure, so that nothing hangs on colours.
std::string heat_map(const std::string& title, const std::vector<std::string>& names,
                     const std::vector<HeatPanel>& panels);

}  // namespace strata::platforms
