#pragma once

#include <algorithm>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// The read ports of a router's input: each passes one packet at a time to an output.
class ReadPorts {
 public:
  /// The first cycle from `from` on in which one of `ports` ports is free. Calls come in order of `from`:
  /// what is free by then is forgotten.
  Cycle free_from(Cycle from, std::size_t ports) {
    while (first_ < busy_until_.size() && busy_until_[first_] <= from) ++first_;
    if (first_ == busy_until_.size()) {
      busy_until_.clear();
      first_ = 0;
    }
    const std::size_t busy = busy_until_.size() - first_;
    return busy < ports ? from : busy_until_[first_ + busy - ports];
  }
  /// One more is busy up to a cycle.
  void take(Cycle until) {
    busy_until_.insert(
        std::upper_bound(busy_until_.begin() + static_cast<std::ptrdiff_t>(first_), busy_until_.end(), until),
        until);
  }

 private:
  std::vector<Cycle> busy_until_;  // from first_ on, in rising order
  std::size_t first_ = 0;
};

}  // namespace strata
