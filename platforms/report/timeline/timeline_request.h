#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "models/tlm/block.h"
#include "platforms/report/timeline/timeline_file.h"

namespace strata::platforms {

/// A wait of a request in a block: cycles of one row of its ledger.
struct TimelineWait {
  Place place;
  Cycle begin, end;
};

/// The DRAM command that a request caused.
struct TimelineCommand {
  std::string_view name;
  int bank = 0;
  std::int64_t row = 0;
  int column = -1;
};

/// A stay in a block, from arrival to departure of the request. In the block that made the request: its whole
/// life.
struct TimelineHop {
  const Block* block;
  Cycle begin, end;
  std::vector<TimelineWait> waits;
  TimelineCommand command = {};  // without a name: none
};

/// A request of an SM, or of another module that makes accesses, with all accesses that other blocks made for
/// it.
struct TimelineRequest {
  std::uint64_t number;
  Access who;  ///< a copy: class, line, requester; its ledger is the last one seen
  Cycle birth, end;
  bool unfinished = false;
  int open = 0;                  ///< accesses in flight: its own and those made for it
  std::deque<TimelineHop> hops;  ///< the first is in the block that made it
};

/// One access in flight.
struct TimelineAccess {
  using Rows = std::array<std::uint32_t, most_places>;

  Access* access;
  std::shared_ptr<TimelineRequest> request;  ///< null: none is shown
  std::shared_ptr<TimelineAccess> parent;    ///< the access it was made for, if that is shown
  const Block* origin;
  const Block* holder;
  std::size_t hop = 0;  ///< index of the present stay in the request
  Cycle birth = 0;
  Cycle mark = 0;  ///< the ledger up to here and `rows` is already in `waits` of the hops
  Rows rows{};
  bool answered = false;  ///< back at its initiator, which may have more to charge
  bool held = false;      ///< the recorder holds a reference to it
  bool over = false;      ///< its ledger is complete; its memory may be reused
  std::vector<std::shared_ptr<TimelineAccess>> children;  ///< accesses whose ledgers it may still add
};

}  // namespace strata::platforms
