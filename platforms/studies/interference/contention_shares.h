#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::platforms {

/// By aggressor: shares or numbers of a victim's misses.
using Shares = std::vector<double>;
/// By victim.
using ShareMatrix = std::vector<Shares>;

/// Counters of a few applications that run side by side.
struct ContentionCounts {
  std::vector<std::uint64_t> misses;
  std::vector<std::vector<std::uint64_t>> demotions, evictions;  ///< [victim][aggressor]
};

/// All shares of a victim without demotions are 0.
Shares gdc_shares(const ContentionCounts& counts, int victim);
/// Self-evictions are left out, as in the paper's formula, or are charged to the victim itself.
Shares plob_shares(const ContentionCounts& counts, int victim, bool with_self = false);
/// Values divided by their sum.
Shares normalized(Shares values);
/// Shares of the contenders alone, without the victim's own share.
Shares of_contenders(Shares shares, int victim);

/// wbd of the paper: the Euclidean distance between two breakdowns; at most sqrt 2 if the shares add up to 1.
double breakdown_distance(const Shares& a, const Shares& b);
double mean_absolute_error(const Shares& estimate, const Shares& truth);
/// Pairs that two breakdowns order differently; `left_out` is not counted (-1: all count).
int rank_inversions(const Shares& a, const Shares& b, int left_out);

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
