#pragma once

#include <vector>

#include "models/common/stats.h"

namespace strata {

/// A module that serves several SMs and can tell them apart, at the cost of a few instructions an access.
class RequesterCountsIf {
 public:
  /// From now on. Before simulation starts.
  virtual void count_requesters() = 0;
  /// What it has counted of each SM of the platform up to the last that has asked, a part of its stats()
  /// under the same names; empty: it does not tell them apart.
  virtual std::vector<const StatSet*> by_requester() const = 0;

 protected:
  ~RequesterCountsIf() = default;
};

}  // namespace strata
