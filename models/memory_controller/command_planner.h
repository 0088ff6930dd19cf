#pragma once

#include "models/dram_channel/dram_timing.h"
#include "models/memory_controller/dram_scheduler.h"
#include "models/memory_controller/memory_controller_params.h"
#include "models/memory_controller/request_queues.h"
#include "models/memory_controller/row_policy.h"

namespace strata {

/// A command that could issue: the bank says which request it serves.
struct Candidate {
  Cycle at = never;   ///< first cycle in which it may issue
  Cycle key = never;  ///< breaks ties: the least goes first
  int bank = -1;
  bool beaten_by(Cycle cycle, Cycle other) const { return cycle < at || (cycle == at && other < key); }
};

/// Knows the next column, ACT and PRE command of one direction, in the order of MemoryControllerCore. In the
/// order of FR-FCFS it looks again only at what the last event can have changed: an arrival or a command
/// touches one bank and, through the channel's rules, the commands of its own kind. With any other scheduler
/// it looks at everything again.
class CommandPlanner {
 public:
  CommandPlanner(const MemoryControllerParams& params, const RequestQueues& queues, const DramTiming& timing);

  /// Makes the plan valid for `direction` from cycle `from` on.
  void plan(int direction, Cycle from) {
    // What was possible before `from` and did not issue competes with all that has become possible since.
    const bool good = direction_ == direction && column_valid_ && act_valid_ && pre_valid_ && claimed_ == 0 &&
                      column_.at >= from && act_.at >= from && pre_.at >= from;
    if (!good) plan_anew(direction, from);
  }
  int direction() const { return direction_; }

  const Candidate& column() const { return column_; }
  /// Requests that own their bank come before row hits.
  bool column_is_active() const { return column_.key < hit_priority; }
  const Candidate& row() const { return act_.beaten_by(pre_.at, pre_.key) ? pre_ : act_; }
  /// The next step of the refresh that has claimed banks: a PRE, or the refresh itself (bank -1).
  const Candidate& refresh() const { return refresh_; }
  Cycle next() const { return std::min({column_.at, act_.at, pre_.at, refresh_.at}); }
  /// next() of the refresh alone, computed without the plan.
  Cycle refresh_from(Cycle from) const { return claimed_ == 0 ? never : next_refresh_step(from).at; }

  /// A refresh wants these banks: nothing new begins there, and open rows are closed once their owners are
  /// done. `command` (of `bank`) ends the claim.
  void claim(std::uint64_t banks, DramCommand command, int bank);
  void release();
  bool claiming() const { return claimed_ != 0; }

  /// Events; call these after the queues and the timing have been updated.
  void arrived(const DramRequest& request, Cycle now);
  void activated(int bank, Cycle now);
  void precharged(int bank, Cycle now);
  void transferred(int bank, Cycle now);
  /// Replans everything.
  void invalidate() { column_valid_ = act_valid_ = pre_valid_ = false; }

  /// The request of the least rank in a bank with waiting requests, and the one among those for its open row
  /// (null without any).
  DramRequest* first(int bank) const { return first_of(queues_.oldest(direction_, bank), -1); }
  DramRequest* first_hit(int bank) const {
    return first_of(queues_.oldest_hit(direction_, bank), queues_.open_row(bank));
  }
  /// A column command of `request` issues; call this before the queues are updated.
  void serves(const DramRequest& request, bool active);
  /// Row hits that wait, and whose row is closed for `first` before the cap on waiting is reached.
  std::uint64_t hits_lost_to(const DramRequest& first, Cycle now) const;

  /// The row policy has closed a row; or another row, or a refresh, wanted the bank: then the policy could
  /// have closed it before, if it should have.
  void closed_by_policy(int bank, std::int64_t row) { policy_closed_[bank_index(bank)] = row; }
  void closed_for_others(int bank, bool policy_was_late) {
    if (policy_was_late) row_policy_->closed_too_late(bank);
    policy_closed_[bank_index(bank)] = -1;
  }
  /// A row is opened. True when the policy has just closed it: too early.
  bool opened(int bank, std::int64_t row) {
    const bool early = policy_closed_[bank_index(bank)] == row;
    if (early) row_policy_->closed_too_early(bank);
    policy_closed_[bank_index(bank)] = -1;
    return early;
  }

 private:
  static constexpr Cycle hit_priority = Cycle{1} << 62;

  void plan_anew(int direction, Cycle from);
  void plan_column(Cycle from);
  void plan_act(Cycle from);
  void plan_pre(Cycle from);
  void plan_page_policy(Cycle from);
  void offer_active(int bank, Cycle from);
  Candidate next_refresh_step(Cycle from) const;
  static std::size_t bank_index(int bank) { return static_cast<std::size_t>(bank); }
  /// The request of the least rank among those from `from` on in the list of a bank, and for `row` (-1: any).
  DramRequest* first_of(DramRequest* from, std::int64_t row) const {
    return by_age_ ? from : least_rank(from, row);
  }
  DramRequest* least_rank(DramRequest* from, std::int64_t row) const;
  Cycle rank(const DramRequest& request) const {
    return by_age_ ? request.accepted : scheduler_->rank(request);
  }
  bool lets_pass(const DramRequest& hit, const DramRequest& first) const {
    return by_age_ || scheduler_->lets_pass(hit, first);
  }
  /// The last cycle in which row hits of its bank may pass a request.
  Cycle patience(const DramRequest& request) const { return request.accepted + cap_; }
  /// In cycle `at` `hit` must not pass the first request of its bank.
  bool held_back(const DramRequest& hit, Cycle at) const {
    const DramRequest& waits = *first(hit.bank);
    return &waits != &hit && (at > patience(waits) || !lets_pass(hit, waits));
  }

  const RequestQueues& queues_;
  const DramTiming& timing_;
  std::unique_ptr<DramScheduler> scheduler_;
  std::unique_ptr<RowPolicy> row_policy_;
  bool by_age_;       // FR-FCFS: requests go by age, and row hits pass
  bool closes_rows_;  // the row policy may close some
  Cycle cap_;         // age beyond which a request is no longer overtaken by row hits
  int direction_ = RequestQueues::read;
  Candidate column_;
  Candidate act_;
  Candidate pre_;
  bool column_valid_ = false;
  bool act_valid_ = false;
  bool pre_valid_ = false;

  std::uint64_t claimed_ = 0;  // banks that a refresh wants
  DramCommand refresh_command_ = DramCommand::refab;
  int refresh_bank_ = 0;
  Candidate refresh_;
  std::array<std::int64_t, max_banks> policy_closed_;  // row that the policy closed last; -1 = none
};

}  // namespace strata
