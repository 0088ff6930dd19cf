#pragma once

#include <algorithm>
#include <vector>

#include "models/dram_channel/dram_timing.h"
#include "models/memory_controller/command_calendar.h"
#include "models/memory_controller/memory_controller_params.h"
#include "models/memory_controller/memory_controller_stats.h"
#include "models/memory_controller/request_queues.h"
#include "models/memory_controller/request_start.h"

namespace strata {

/// An ACT or a PRE.
struct RowCommand {
  DramCommand command;
  int bank;
  std::int64_t row;
  Cycle at;
};

/// Plans the column commands of a controller that serves nothing but reads, ahead of their time.
///
/// A read of an open row is planned when it comes, and the one that a row is opened for with its ACT. The
/// rest is as in MemoryControllerCore, cycle for cycle: PRE and ACT issue oldest first, in cycles in which no
/// column command wants the command bus. What differs is who gets a cycle of the data bus that two banks
/// want: there, a read that waits for its row's ACT, then the older one; here, the one planned first.
///
/// Works on the queues, the timing and the statistics of its core: at any time that can go on command by
/// command, with all that is planned taken for issued.
class ReadAhead {
 public:
  ReadAhead(const MemoryControllerParams& params, RequestQueues& queues, DramTiming& timing,
            MemoryControllerStats& stats);

  /// The core hands over: no write waits or is under way. Plan from `now` on; those planned are appended.
  void begin(Cycle now, std::vector<DramRequest*>& planned);
  /// The core takes over: tell the timing of the reads that are planned.
  void end();
  /// A read has been accepted. True when it is planned; otherwise wait() must follow, with its queue entry.
  bool plan(DramRequest& request);
  void wait(DramRequest& request);
  /// Issue the row command of `now`. Reads that are planned thereby have left their queues and are appended.
  /// Returns the number of queue entries that the command has freed.
  int step(Cycle now, std::vector<DramRequest*>& planned);
  /// The next cycle in which step() may issue something.
  Cycle next() const { return next_; }
  template <class Visit>
  void take_commands(Visit&& visit) {
    for (const RowCommand& command : commands_) visit(command);
    commands_.clear();
  }

  /// Planned row hits hold their queue entries until their last RD. Returns how many have been given back by
  /// `now` since the last call.
  int leave(Cycle now);
  int leaving() const { return static_cast<int>(leaving_.size()); }
  Cycle next_leave() const {
    return leaving_.empty() ? never : *std::min_element(leaving_.begin(), leaving_.end());
  }

 private:
  struct Group {      // of banks
    Cycle first = 0;  // what came before the core handed over allows no earlier RD
    Cycle last = 0;   // RD planned
    int bank = -1;    // of that; -1: none since
  };

  void plan_hits(int bank, Cycle now, std::vector<DramRequest*>& planned);
  /// When the bank may have its next row command, for the oldest request that waits for it.
  Cycle row_ready(int bank) const {
    return timing_.earliest(queues_.open_row(bank) < 0 ? DramCommand::act : DramCommand::pre, bank);
  }
  void precharge(DramRequest& request, Cycle at);
  int activate(int bank, Cycle at, Cycle now, std::vector<DramRequest*>& planned);
  Cycle read(DramRequest& request, Cycle from);
  void open(DramRequest& request, Cycle at);
  bool calm(Cycle now) { return calendar_.busy(now) <= calm_; }
  bool overdue(const DramRequest& request, Cycle now) const { return now > request.accepted + cap_; }

  RequestQueues& queues_;
  DramTiming& timing_;
  MemoryControllerStats& stats_;
  CommandCalendar calendar_;
  int calm_;
  Cycle patience_;
  Cycle cap_;
  Cycle read_latency_;  // RD to the end of its data
  Cycle next_ = never;
  std::vector<Group> group_reads_;
  std::vector<Cycle> leaving_;
  std::vector<RowCommand> commands_;
};

}  // namespace strata
