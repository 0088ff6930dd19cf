#include "models/cache/geometry.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace strata {
namespace {

constexpr std::uint64_t most_sets = 65535;

/// The number of ways nearest to `ways` with which the size is a whole number of sets, the larger of two; 0:
/// none.
int ways_for(Bytes size, int ways, Bytes line) {
  int best = 0;
  for (int other = 1; other <= most_ways; ++other) {
    const std::uint64_t set = line * static_cast<std::uint64_t>(other);
    if (size < set || size % set != 0 || size / set > most_sets) continue;
    if (best == 0 || std::abs(other - ways) <= std::abs(best - ways)) best = other;
  }
  return best;
}

}  // namespace

Faults check_geometry(Bytes size, int ways, Bytes line, SetIndex::Kind index) {
  const std::uint64_t set = line * static_cast<std::uint64_t>(ways);
  if (set == 0) return {};  // blamed by the ranges
  const bool whole = size >= set && size % set == 0;
  if (whole && size / set <= most_sets) {
    if (SetIndex::allows(size / set, index)) return {};
    return {param_fault(
        "set_index",
        "is fermi, but $.size=" + to_text(size) + " with $.ways=" + std::to_string(ways) + " makes " +
            std::to_string(size / set) + " sets; allowed: 32 or 64 sets, with so many ways $.size=" +
            to_text(Bytes(32 * set)) + " or " + to_text(Bytes(64 * set)) + "; or plain, hashed, polynomial")};
  }
  const int other = ways_for(size, ways, line);
  const std::string keeps = other == 0 ? "" : ", which goes with $.ways=" + std::to_string(other);
  const std::string text = whole ? "makes " + std::to_string(size / set) + " sets" + keeps +
                                       "; allowed: at most " + std::to_string(most_sets)
                                 : "is " + to_text(size) + keeps + "; allowed" +
                                       (other == 0 ? "" : " with " + std::to_string(ways)) +
                                       ": a multiple of ways x line = " + to_text(Bytes(set));
  const std::uint64_t sets = size < set ? 1 : std::min(size / set, most_sets);
  return {param_fault("size", text + ", e.g. " + to_text(Bytes(sets * set)))};
}

}  // namespace strata
