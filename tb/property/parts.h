#pragma once

#include <set>

#include "tb/support/catch.h"

namespace strata::tb {

/// Sectors or sectors of a line, for plain models: slow, and nothing to get wrong.
using Parts = std::set<int>;

inline Parts parts_of(unsigned mask) {
  Parts parts;
  for (int i = 0; i < 8; ++i)
    if ((mask >> i & 1) != 0) parts.insert(i);
  return parts;
}

inline Parts without(Parts parts, const Parts& others) {
  for (const int other : others) parts.erase(other);
  return parts;
}

inline bool meet(const Parts& a, const Parts& b) {
  return without(a, b).size() != a.size();
}

/// Cheaper than REQUIRE, which is asked millions of times.
inline void must(bool holds, const char* what) {
  if (!holds) FAIL(what);
}

}  // namespace strata::tb
