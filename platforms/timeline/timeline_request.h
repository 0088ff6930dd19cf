#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "models/tlm/block.h"
#include "platforms/timeline/timeline_file.h"

namespace strata::platforms {

/// A wait of a request in a block: cycles of one row of its ledger.
struct TimelineWait {
  Place place;
  Cycle begin, end;
};

/// The command of a DRAM channel that a request led to.
struct TimelineCommand {
  std::string_view name;
  int bank = 0;
  std::int64_t row = 0;
  int column = -1;
};

/// A stay in a block: from when the request came until it went on. Of the block that made it: all its life.
struct TimelineHop {
  const Block* block;
  Cycle begin, end;
  std::vector<TimelineWait> waits;
  TimelineCommand command = {};  // without a name: none
};

/// What an SM, or whoever makes accesses, has asked for, with all that others have asked for on its behalf.
struct TimelineRequest {
  std::uint64_t number;
  Access who;  ///< a copy: class, line, who asked; its ledger is the last that was seen
  Cycle birth, end;
  bool unfinished = false;
  int open = 0;                  ///< accesses under way: its own and those made on its behalf
  std::deque<TimelineHop> hops;  ///< the first is that of the block that made it
};

/// One access on its way.
struct TimelineAccess {
  using Rows = std::array<std::uint32_t, most_places>;

  Access* access;
  std::shared_ptr<TimelineRequest> request;  ///< null: none that is shown
  std::shared_ptr<TimelineAccess> parent;    ///< on whose behalf, where that is shown
  const Block* origin;
  const Block* holder;
  std::size_t hop = 0;  ///< of the request: the present stay
  Cycle birth = 0;
  Cycle mark = 0;  ///< up to here and `rows` the ledger is in `waits` of the hops
  Rows rows{};
  bool answered = false;  ///< back at its origin, which may have more to charge
  bool held = false;      ///< a reference of ours keeps it
  bool over = false;      ///< its ledger is complete, its memory may be somebody else's
  std::vector<std::shared_ptr<TimelineAccess>> children;  ///< whose ledgers it may still take over
};

}  // namespace strata::platforms
