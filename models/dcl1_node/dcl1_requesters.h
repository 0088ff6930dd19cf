#pragma once

#include <array>
#include <vector>

#include "models/common/access.h"
#include "models/common/counts_if.h"
#include "models/l1/cache_design.h"

namespace strata {

/// What a node counts of one requester: a part of the node's own counters, under the same names.
struct DcL1RequesterCounts final : StatSet {
  std::uint64_t requests = 0;
  std::uint64_t accesses = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t merges = 0;
  std::uint64_t bypasses = 0;
  std::uint64_t stores = 0;
  std::uint64_t atomics = 0;
  void count(AccessClass access_class, L1Outcome outcome);
  void for_each_stat(StatVisitor& visitor) const override;
};

/// The accesses that a shared node takes, by who asks: application, and SM of the platform.
class DcL1Requesters {
 public:
  void count(const Access& access, L1Outcome outcome);
  void reset() { *this = {}; }
  const DcL1RequesterCounts& application(int application) const {
    return by_application_[application_place(static_cast<unsigned>(application))];
  }
  std::vector<const StatSet*> by_requester() const;

 private:
  std::array<DcL1RequesterCounts, max_applications> by_application_;
  std::vector<DcL1RequesterCounts> by_sm_;
};

}  // namespace strata
