#pragma once

#include "models/common/access_watch_if.h"

namespace strata {

/// An L1, alone or in a node, of which observers may also ask what it holds.
class WatchedL1 : public WatchedAccesses {
 public:
  /// All sectors of the line are there, and an access would hit. Changes nothing.
  virtual bool holds(Address line, std::uint8_t sectors) const = 0;

 protected:
  ~WatchedL1() = default;
};

}  // namespace strata
