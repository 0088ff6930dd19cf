#pragma once

#include "models/dram_channel/dram_timing.h"
#include "models/memory_controller/memory_controller_params.h"
#include "models/memory_controller/request_queues.h"

namespace strata {

/// A command that could issue: the bank says which request it serves.
struct Candidate {
  Cycle at = never;   ///< first cycle in which it may issue
  Cycle key = never;  ///< breaks ties: the least goes first
  int bank = -1;
  bool beaten_by(Cycle cycle, Cycle other) const { return cycle < at || (cycle == at && other < key); }
};

/// Knows the next column, ACT and PRE command of one direction, in the order of MemoryControllerCore. It
/// looks again only at what the last event can have changed: an arrival or a command touches one bank and,
/// through the channel's rules, the commands of its own kind.
class CommandPlanner {
 public:
  CommandPlanner(const MemoryControllerParams& params, const RequestQueues& queues, const DramTiming& timing);

  /// Make the plan good for `direction` from cycle `from` on.
  void plan(int direction, Cycle from);
  int direction() const { return direction_; }

  const Candidate& column() const { return column_; }
  /// Requests that own their bank come before row hits.
  bool column_is_active() const { return column_.key < hit_priority; }
  const Candidate& row() const { return act_.beaten_by(pre_.at, pre_.key) ? pre_ : act_; }
  Cycle next() const { return std::min({column_.at, act_.at, pre_.at}); }

  /// What has happened, told after the queues and the timing have taken it in.
  void arrived(const DramRequest& request, Cycle now);
  void activated(int bank, Cycle now);
  void precharged(int bank, Cycle now);
  void transferred(int bank, Cycle now);

 private:
  static constexpr Cycle hit_priority = Cycle{1} << 62;

  void plan_column(Cycle from);
  void plan_act(Cycle from);
  void plan_pre(Cycle from);
  void plan_page_policy(Cycle from);
  void offer_active(int bank, Cycle from);
  std::uint64_t precharge_banks(Cycle from) const;
  bool overdue(const DramRequest& request, Cycle now) const { return now - request.accepted > cap_; }

  const RequestQueues& queues_;
  const DramTiming& timing_;
  PagePolicy policy_;
  Cycle idle_close_;
  Cycle cap_;  // age beyond which a request is no longer overtaken by row hits
  int direction_ = RequestQueues::read;
  Candidate column_;
  Candidate act_;
  Candidate pre_;
  bool column_valid_ = false;
  bool act_valid_ = false;
  bool pre_valid_ = false;
};

}  // namespace strata
