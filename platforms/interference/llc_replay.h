#pragma once

#include <vector>

#include "platforms/interference/contention_shares.h"
#include "platforms/interference/llc_stream.h"

namespace strata::platforms {

/// Misses of each application when only some of them use the LLC: their requests of a recorded stream, in its
/// order, through slices as those of the platform, whose fetches take no time.
std::vector<std::uint64_t> replayed_misses(const std::vector<LlcRequest>& stream, const Platform& platform,
                                           ApplicationSet who);

/// Shapley values: how many misses of each of `count` applications are due to each, from the misses of every
/// set of them. What an application misses alone is its own. `misses_of(set)`: by application.
template <class MissesOf>
Shares shapley_values(int count, int victim, MissesOf misses_of) {
  Shares values(static_cast<std::size_t>(count));
  const int contenders = count - 1;
  const auto misses = [&](ApplicationSet who) {
    return static_cast<double>(misses_of(who | only_application(victim))[static_cast<std::size_t>(victim)]);
  };
  values[static_cast<std::size_t>(victim)] = misses(0);
  for (int a = 0; a < count; ++a) {
    if (a == victim) continue;
    const ApplicationSet both = only_application(a) | only_application(victim);
    for (ApplicationSet before = 0; before < only_application(count); ++before) {
      if ((before & both) != 0) continue;
      const int size = __builtin_popcount(before);
      double orders =
          1.0 / contenders;  // of all orders, those in which just these come before: s! (n-1-s)! / n!
      for (int i = 1; i <= size; ++i) orders *= static_cast<double>(i) / (contenders - i);
      values[static_cast<std::size_t>(a)] += orders * (misses(before | only_application(a)) - misses(before));
    }
  }
  return values;
}

}  // namespace strata::platforms
