#pragma once

#include <string>
#include <vector>

#include "platforms/studies/interference/contention_shares.h"

namespace strata::platforms {

/// A matrix of shares: a row for each victim, a column for each aggressor.
struct HeatPanel {
  std::string title;
  ShareMatrix rows;
};

/// An SVG picture of several matrices of the same kernels side by side: darker means a larger share. Each
/// cell shows its number, so that the picture does not depend on colours.
std::string heat_map(const std::string& title, const std::vector<std::string>& names,
                     const std::vector<HeatPanel>& panels);

}  // namespace strata::platforms
