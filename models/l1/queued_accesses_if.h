#pragma once

#include "models/common/access.h"

namespace strata {

/// What a design with queues of its own offers its shell: accesses enter, wait, and leave for the
/// cache in an order that is the design's.
class QueuedAccessesIf {
 public:
  /// False when there is no room: nothing has changed.
  virtual bool enter(Access& access) = 0;
  /// When one may leave: from its cycle `ready` on; never when there is none.
  virtual Cycle earliest() const = 0;
  /// The one whose turn it is in cycle `now`. Needs earliest() <= now.
  virtual Access& take(Cycle now) = 0;
  /// The last one taken could not enter the cache, and is the next.
  virtual void put_back(Access& access) = 0;

 protected:
  ~QueuedAccessesIf() = default;
};

}  // namespace strata
