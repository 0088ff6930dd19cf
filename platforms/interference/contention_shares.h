#pragma once

#include <cstdint>
#include <vector>

namespace strata::platforms {

/// By aggressor: shares of a victim's misses, or numbers of them.
using Shares = std::vector<double>;
/// By victim.
using ShareMatrix = std::vector<Shares>;

/// What is counted of a few applications that run side by side.
struct ContentionCounts {
  std::vector<std::uint64_t> misses;
  std::vector<std::vector<std::uint64_t>> demotions, evictions;  ///< [victim][aggressor]
};

/// Of a victim without demotions all shares are 0.
Shares gdc_shares(const ContentionCounts& counts, int victim);
/// Self-evictions are left out, as the paper's formula does, or count for the victim itself.
Shares plob_shares(const ContentionCounts& counts, int victim, bool with_self = false);
/// Values over their sum.
Shares normalized(Shares values);
/// Of the contenders alone: the victim's own share is left out.
Shares of_contenders(Shares shares, int victim);

/// wbd of the paper: the Euclidean distance between two breakdowns; at most sqrt 2 between shares that add up
/// to 1.
double breakdown_distance(const Shares& a, const Shares& b);
double mean_absolute_error(const Shares& estimate, const Shares& truth);
/// Pairs that two breakdowns put in opposite orders, `left_out` not counted (-1: all count).
int rank_inversions(const Shares& a, const Shares& b, int left_out);

}  // namespace strata::platforms
