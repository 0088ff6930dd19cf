#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/memory_controller/command_planner.h"
#include "models/memory_controller/issued_command.h"
#include "models/memory_controller/line_bursts.h"
#include "models/memory_controller/memory_controller_params.h"
#include "models/memory_controller/memory_controller_stats.h"
#include "models/memory_controller/read_ahead.h"
#include "models/memory_controller/refresh_schedule.h"
#include "models/memory_controller/request_arrivals.h"
#include "models/memory_controller/request_pool.h"
#include "models/memory_controller/write_drain.h"

namespace strata {

/// FR-FCFS over the banks of one channel (Rixner et al., ISCA 2000), with a read and a write queue.
///
/// In every cycle, in this order: (1) requests whose row was opened for them, oldest first; (2) waiting
/// requests of the present direction that hit an open row, oldest first; (3) row commands for the oldest
/// waiting request of each bank, oldest first: ACT when the bank is closed, PRE when another row is open,
/// nobody owns the bank and no waiting request of this direction hits that row. On a dual command bus (1)-(2)
/// and (3) issue in the same cycle. WriteDrain says which direction goes first. A request leaves its queue
/// with its ACT, or with its last burst when it hits. A refresh that is due claims its banks: requests that
/// own one finish, no other begins there, and its PREs and the refresh itself go before all other commands of
/// their bus.
///
/// Event-driven: call advance() in cycle next_action(); cycles in between have nothing to issue. An idle
/// channel books nothing: what it owes by then is caught up with before it is used again.
class MemoryControllerCore {
 public:
  explicit MemoryControllerCore(const MemoryControllerParams& params)
      : MemoryControllerCore(params, dram_rules(params.timing)) {}
  /// With other rules than the timing set's own: for tests.
  MemoryControllerCore(const MemoryControllerParams& params, const std::vector<DramRule>& rules);

  bool has_room(bool write) const { return pool_.room(write) > 0; }
  bool has_room_for_atomic() const { return has_room(false) && has_room(true); }
  enum class Admission { queued, forwarded };
  /// Take a request (a copy) in cycle `now`; its commands issue from now + 1 on. At most one a cycle, in
  /// order of time, and only with room. Forwarded: a queued write has all that the read wants; nothing is
  /// kept.
  Admission admit(const DramRequest& request, Cycle now);

  /// From now on reads are planned ahead (ReadAhead) while the rules keep the direction to reads: for lt.
  /// Ignored with refreshes or a page policy that closes rows.
  void read_ahead(const MemoryControllerParams& params);
  bool reading_ahead() const { return reading_ahead_; }
  /// While reading ahead, for reads that are no atomics and that no write forwards(): as admit(), but in any
  /// order of time. It is cycle `now`, in which or after which the read is `accepted`. Null when the read has
  /// been planned: `request` tells its way. Else its queue entry.
  DramRequest* admit_ahead(DramRequest& request, Cycle accepted, Cycle now);
  /// The same in short for a read that hits an open row nobody else waits for.
  bool hits_ahead(const DramLocation& where) const { return reading_ahead_ && ahead_->hits(where); }
  ReadAhead::Columns admit_hit(int bank, int bursts, Cycle accepted, Cycle now) {
    ++serial_;
    ++stats_.accepted;
    ++stats_.reads;
    pool_.take(false);
    return ahead_->plan_hit(bank, bursts, accepted, now);
  }
  /// Visit the reads that advance() has planned since the last call.
  template <class Visit>
  void take_planned(Visit&& visit) {
    for (std::size_t i = 0; i < planned_.size(); ++i) {  // a visit may lead to an admission
      visit(*planned_[i]);
      pool_.release(*planned_[i]);
    }
    planned_.clear();
  }
  /// Visit the row commands of reading ahead since the last call.
  template <class Visit>
  void take_commands(Visit&& visit) {
    if (ahead_ != nullptr) ahead_->take_commands(visit);
  }
  /// How many planned reads hold their entries, as far as leave() has told.
  int leaving() const { return ahead_ == nullptr ? 0 : ahead_->leaving(); }
  /// Planned reads hold their entries until their commands issue: has_room() holds for `now` after this.
  void leave(Cycle now) {
    if (ahead_ != nullptr) pool_.give_back(false, ahead_->leave(now));
  }
  /// The next cycle in which leave() frees an entry.
  Cycle next_leave() const { return ahead_ == nullptr ? never : ahead_->next_leave(); }

  /// What would become of a request that came in cycle `now` if nobody else waited: its milestones, and in
  /// `accepted` the cycle of its last column command.
  DramRequest alone(const DramRequest& request, Cycle now) const;
  /// A queued write has all that the read wants.
  bool forwards(const DramRequest& request) const;

  /// Issue what `now` allows: at most one row and one column command. Returns how many.
  int advance(Cycle now, std::array<IssuedCommand, 2>& out);
  /// The next cycle in which advance() may issue something; never when there is nothing to do.
  Cycle next_action() const { return next_; }
  /// The next cycle in which an idle channel refreshes. Before anything else in cycle t, and before reading
  /// statistics, call advance(owed()) while owed() <= t. Never without refresh, or with work.
  Cycle owed() const { return owed_; }

  /// Nothing is queued or under way; refreshes may be owed.
  bool idle() const { return queued(false) == 0 && queued(true) == 0 && queues_.active_banks() == 0; }
  /// Waiting requests of a direction, those accepted in this cycle included.
  int queued(bool write) const { return pool_.used(write) - (write ? 0 : leaving()); }
  int capacity(bool write) const { return pool_.capacity(write); }
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
  bool may_begin_ahead(Cycle now) const;
  void begin_ahead(Cycle now);
  Cycle next_ahead(Cycle now) const;
  bool waits_ahead(DramRequest& entry);
  bool go_on_ahead(Cycle now);
  void end_ahead(Cycle now, Cycle changed);

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
  std::unique_ptr<ReadAhead> ahead_;  // null: never
  bool reading_ahead_ = false;
  std::vector<DramRequest*> planned_;
  MemoryControllerStats stats_;
};

}  // namespace strata
