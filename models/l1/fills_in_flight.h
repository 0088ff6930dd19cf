#pragma once

#include <vector>

#include "models/common/access.h"

namespace strata {

/// The fill requests of a cache that have no reply yet, by number, and the accesses that they were made for.
class FillsInFlight {
 public:
  explicit FillsInFlight(int fetches) : access_of_(static_cast<std::size_t>(fetches)) {}

  void begin(int fetch, const Access& access) {
    access_of_[static_cast<std::size_t>(fetch)] = &access;
    ++count_;
  }
  void end(int fetch) {
    access_of_[static_cast<std::size_t>(fetch)] = nullptr;
    --count_;
  }
  int count() const { return count_; }
  /// A fill of this line has no reply yet.
  bool has(Address line) const {
    for (const Access* const access : access_of_)
      if (access != nullptr && access->line == line) return true;
    return false;
  }
  int capacity() const { return static_cast<int>(access_of_.size()); }
  /// The access that was born first, for the wait-for graph; null when there is none.
  const Access* oldest() const {
    const Access* found = nullptr;
    for (const Access* const access : access_of_)
      if (access != nullptr && (found == nullptr || access->birth < found->birth)) found = access;
    return found;
  }

 private:
  std::vector<const Access*> access_of_;  // that waits for this fill; null: it is not in flight
  int count_ = 0;
};

}  // namespace strata
