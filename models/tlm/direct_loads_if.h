#pragma once

#include <cstdint>

#include <tlm>

#include "models/common/ledger_places.h"
#include "models/common/units.h"

namespace strata {

/// A load that waits at a cache without a transaction: what its SM has to know when it is answered. Cycles of
/// the ledger clock: its birth, the first in which it could have left, and that in which it left.
struct WaitingLoad {
  Cycle birth = 0, turn = 0, sent = 0;
  std::uint8_t warp = 0, slot = 0;
};

/// What it waited for: the data were there in cycle `data` of the ledger clock. Its cycles until then and
/// from then on are charged where.
struct WaitedFor {
  Cycle data = 0;
  Place merge = no_place, fill = no_place;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
};

/// Loads without a transaction: what a cache offers to the block at the other end of a binding of ours on
/// which nobody listens. It finds and counts what it would of a transaction.
class DirectLoadsIf {
 public:
  static constexpr Cycle under_way = never - 1;
  /// A load of `chunks` of a line that comes now: the cycle of its answer if it hits and is answered at once.
  /// Else nothing has changed: `under_way` when it may wait_now(), else never.
  virtual Cycle hit_now(Address line, std::uint8_t chunks, Cycle now) = 0;
  /// That load waits for its line from now on. Its answer comes to the WaitingLoadsIf at the other end.
  virtual void wait_now(const WaitingLoad& load, Cycle now) = 0;
  /// A load of this line will come, likely in the next cycle: ask for what it will look at.
  virtual void expect(Address line) = 0;

 protected:
  ~DirectLoadsIf() = default;
};

/// The other end, where it can do with answers without a transaction. It never holds any answer.
class WaitingLoadsIf {
 public:
  /// The answer leaves the cache in cycle `now` for socket `port`, its index.
  virtual void load_answered(int port, const WaitingLoad& load, const WaitedFor& waited, Cycle now) = 0;

 protected:
  ~WaitingLoadsIf() = default;
};

}  // namespace strata
