#pragma once

#include <algorithm>
#include <vector>

#include "models/dram_channel/dram_timing.h"
#include "models/memory_controller/command_calendar.h"
#include "models/memory_controller/dram_address_decoder.h"
#include "models/memory_controller/issued_command.h"
#include "models/memory_controller/leave_calendar.h"
#include "models/memory_controller/memory_controller_params.h"
#include "models/memory_controller/memory_controller_stats.h"
#include "models/memory_controller/request_queues.h"
#include "models/memory_controller/request_start.h"

namespace strata {

/// Plans the column commands of a controller that serves reads, ahead of their time.
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

  /// The core hands over: no write is under way. Plan from `now` on; those planned are appended.
  void begin(Cycle now, std::vector<DramRequest*>& planned);
  /// The core takes over: tell the timing of the reads that are planned.
  void end();
  /// The row is open, and nobody waits for the bank: the short way for most reads.
  bool hits(const DramLocation& where) const {
    return queues_.open_row(where.bank) == where.row &&
           ((queues_.waiting_banks(RequestQueues::read) | queues_.waiting_banks(RequestQueues::write)) >>
                where.bank &
            1) == 0;
  }
  /// The first and the last RD of a read that hits(), `accepted` in cycle `now` or later.
  struct Columns {
    Cycle first;
    Cycle last;
  };
  Columns plan_hit(int bank, int bursts, Cycle accepted, Cycle now) {
    calendar_.slide(now);
    const Columns columns = columns_of(bank, bursts, accepted + 1);
    leaving_.add(columns.last, now);
    ++stats_.started;
    ++stats_.row_hits;
    stats_.read_wait += columns.first - accepted;
    finish(columns.last, accepted);
    return columns;
  }
  /// No command that was planned takes this cycle of the bus of the row commands.
  bool bus_free(Cycle now) {
    calendar_.slide(now);
    return calendar_.row_free(now);
  }
  /// A read is accepted in cycle `now` or later. True when it is planned; otherwise wait() must follow, with
  /// its queue entry.
  bool plan(DramRequest& request, Cycle now);
  void wait(DramRequest& request);
  /// Issue the row command of `now`. Reads that are planned thereby have left their queues and are appended.
  /// Returns the number of queue entries that the command has freed.
  int step(Cycle now, std::vector<DramRequest*>& planned);
  /// The next cycle in which step() may issue something.
  Cycle next() const { return std::min(next_act_, next_pre_); }
  template <class Visit>
  void take_commands(Visit&& visit) {
    for (const RowCommand& command : commands_) visit(command);
    commands_.clear();
  }
  /// Planned row hits hold their queue entries until their last RD. Returns how many have been given back by
  /// `now` since the last call.
  int leave(Cycle now) { return leaving_.take(now); }
  int leaving() const { return leaving_.count(); }
  Cycle last_leave() const { return leaving_.last(); }
  Cycle next_leave() const { return leaving_.next(); }

 private:
  struct Group {      // of banks
    Cycle first = 0;  // what came before the core handed over allows no earlier RD
    Cycle last = 0;   // RD planned
    int bank = -1;    // of that; -1: none since
  };
  struct Choice {
    int bank = -1;
    Cycle age = never;
    Cycle next = never;  // the next
  };
  static constexpr int calm_bus = 12;  // so many of the next 64 cycles are taken at most
  void expect(int bank, Cycle from);
  Choice choose(std::uint64_t banks, DramCommand command, Cycle now) const;
  void plan_hits(int bank, Cycle now, std::vector<DramRequest*>& planned);
  /// When the bank may have its next row command, for the oldest request that waits for it.
  Cycle row_ready(int bank) const {
    return timing_.earliest(queues_.open_row(bank) < 0 ? DramCommand::act : DramCommand::pre, bank);
  }
  void precharge(DramRequest& request, Cycle at);
  int activate(int bank, Cycle at, Cycle now, std::vector<DramRequest*>& planned);
  Cycle read(DramRequest& request, Cycle from);
  Columns columns_of(int bank, int bursts, Cycle from) {
    const std::size_t group = timing_.group_of(bank);
    Group& reads = group_reads_[group];
    from = std::max(std::max(from, timing_.earliest_by_bank(DramCommand::rd, bank)), reads.first);
    const bool spread = calendar_.spread(from, group);
    Columns columns;
    columns.first = columns.last = calendar_.take_read(from, group, spread);
    for (int left = bursts - 1; left > 0; --left)
      columns.last = calendar_.take_read(columns.last + calendar_.distance(spread), group, spread);
    stats_.bursts += static_cast<std::uint64_t>(bursts);
    timing_.issue_in_bank(DramCommand::rd, bank, columns.last);
    if (columns.last > reads.last) {
      reads.last = columns.last;
      reads.bank = bank;
    }
    return columns;
  }
  void finish(Cycle last, Cycle accepted) {
    ++stats_.reads_finished;
    stats_.read_latency.add(last + read_latency_ - accepted);
  }
  void open(DramRequest& request, Cycle at);
  /// An ACT may be planned together with its PRE: no other bank waits for one, none that is precharged later
  /// could have one earlier, and column commands that are still to come will hardly want its cycle of the
  /// command bus.
  bool may_open_ahead(int bank, std::uint64_t others, Cycle now) {
    return (others & ~queues_.open_banks()) == 0 && calendar_.busy(now) <= calm_bus &&
           timing_.earliest_in_bank(DramCommand::act, bank) <= now + row_precharge_;
  }
  bool overdue(const DramRequest& request, Cycle now) const { return now > request.accepted + cap_; }
  RequestQueues& queues_;
  DramTiming& timing_;
  MemoryControllerStats& stats_;
  CommandCalendar calendar_;
  Cycle cap_;
  Cycle read_latency_;      // RD to the end of its data
  Cycle row_precharge_;     // PRE to ACT
  Cycle next_act_ = never;  // no bank may have its ACT earlier
  Cycle next_pre_ = never;
  std::vector<Group> group_reads_;
  LeaveCalendar leaving_;
  std::vector<RowCommand> commands_;
};

}  // namespace strata
