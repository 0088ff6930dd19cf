#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "models/dram_channel/dram_timing.h"
#include "models/memory_controller/command_planner.h"
#include "models/memory_controller/line_bursts.h"
#include "models/memory_controller/memory_controller_params.h"
#include "models/memory_controller/memory_controller_stats.h"
#include "models/memory_controller/refresh_schedule.h"
#include "models/memory_controller/request_queues.h"
#include "models/memory_controller/write_drain.h"

namespace strata {

/// One command on its way to the channel.
struct IssuedCommand {
  DramCommand command;
  int bank;
  std::int64_t row;
  int column;            ///< -1 unless RD or WR
  DramRequest* request;  ///< null for refreshes and for a PRE of refresh or page policy; valid until the
                         ///< core's next admit() or advance()
  bool last;             ///< the request's last burst: it has left the controller
};

/// Schedules the banks of one channel, with a read and a write queue, or with one for both, in which a
/// request takes an entry for each of its column commands.
///
/// In every cycle, in this order: (1) requests whose row was opened for them, oldest first; (2) waiting
/// requests of the present direction that hit an open row; (3) row commands for the first waiting request of
/// each bank: ACT when the bank is closed, PRE when another row is open, no request owns the bank and no
/// waiting request of this direction that hits that row may pass. DramScheduler gives the order in (2) and
/// (3) and says which row hits may pass; RowPolicy closes rows that nothing waits for. On a dual command bus
/// (1)-(2) and (3) issue in the same cycle. WriteDrain says which direction goes first. A request leaves its
/// queue with its ACT, or with its last burst when it hits. A refresh that is due claims its banks: requests
/// that own one finish, no other begins there, and its PREs and the refresh itself go before all other
/// commands of their bus.
///
/// Event-driven: call advance() in cycle next_action(); cycles in between have nothing to issue. An idle
/// channel schedules nothing: the refreshes that it owes are issued before it is used again.
class MemoryControllerCore {
 public:
  explicit MemoryControllerCore(const MemoryControllerParams& params)
      : MemoryControllerCore(params, dram_rules(params.timing)) {}
  /// With other rules than the timing set's own: for tests.
  MemoryControllerCore(const MemoryControllerParams& params, const std::vector<DramRule>& rules);

  /// For a request of so many column commands.
  bool has_room(bool write, int bursts = 1) const { return pool_.has_room(write, bursts); }
  bool has_room_for_atomic(int bursts = 1) const { return pool_.has_room_for_atomic(bursts); }
  enum class Admission { queued, forwarded };
  /// Take a request (a copy) in cycle `now`; its commands issue from now + 1 on. At most one a cycle, in
  /// order of time, and only with room. Forwarded: a queued write has all that the read wants; nothing is
  /// kept.
  Admission admit(const DramRequest& request, Cycle now);

  /// A queued write has all that the read wants.
  bool forwards(const DramRequest& request) const;

  /// Issue what `now` allows: at most one row and one column command. Returns how many.
  int advance(Cycle now, std::array<IssuedCommand, 2>& out);
  /// The next cycle in which advance() may issue something; never when there is nothing to do.
  Cycle next_action() const { return next_; }
  /// The next cycle in which an idle channel refreshes. Before anything else in cycle t, and before reading
  /// statistics, call advance(owed()) while owed() <= t. Never without refresh, or with work.
  Cycle owed() const { return owed_; }

  /// Closes one row of an idle channel that owes nothing, if `now` allows it; at most one in a cycle. Returns
  /// false when no row is open.
  bool close_idle_row(Cycle now, std::optional<IssuedCommand>& issued);

  /// Nothing is queued or in flight; refreshes may be owed.
  bool idle() const { return queued(false) == 0 && queued(true) == 0 && queues_.active_banks() == 0; }
  /// Waiting requests of a direction, those accepted in this cycle included.
  int queued(bool write) const { return pool_.used(write); }
  int capacity(bool write) const { return pool_.capacity(write); }
  /// The queue of a write, or of a read: 0 or 1.
  std::size_t queue_of(bool write) const { return static_cast<std::size_t>(queues_.queue_of(write)); }
  int active() const { return __builtin_popcountll(queues_.active_banks()); }
  /// The request that has waited longest, or null: for the wait-for graph.
  const DramRequest* oldest() const;
  const LineBursts& line_bursts() const { return line_bursts_; }
  const MemoryControllerStats& stats() const { return stats_; }
  void reset_stats() { stats_ = {}; }
  void count_stall(bool write) { ++(write ? stats_.write_stalls : stats_.read_stalls); }

 private:
  void integrate(Cycle now);
  bool active_ready(Cycle now) const;
  Cycle could_issue(const DramRequest& request) const;
  IssuedCommand issue_row(Cycle now);
  IssuedCommand issue_column(Cycle now);
  IssuedCommand issue_refresh(Cycle now);
  IssuedCommand precharge(int bank, bool by_policy, Cycle now);
  IssuedCommand close_row(int bank, DramRequest* request, std::int64_t row, Cycle now);
  bool refresh_wanted() const;
  void book_next(Cycle now);
  void finish(DramRequest& request, bool active, Cycle now);

  TimingSet timing_set_;
  LineBursts line_bursts_;
  DramTiming timing_;
  RequestQueues queues_;
  CommandPlanner planner_;
  WriteDrain drain_;
  RefreshSchedule refresh_;
  Cycle read_latency_;  // RD to the end of its data
  Cycle next_ = never;
  Cycle owed_;  // see owed()
  RequestArrivals arrivals_;
  std::uint32_t serial_ = 0;  // of the next request
  RequestPool pool_;
  MemoryControllerStats stats_;
};

}  // namespace strata
