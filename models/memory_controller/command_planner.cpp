#include "models/memory_controller/command_planner.h"

namespace strata {

CommandPlanner::CommandPlanner(const MemoryControllerParams& params, const RequestQueues& queues,
                               const DramTiming& timing)
    : queues_(queues),
      timing_(timing),
      scheduler_(DramSchedulerRow::table().at(params.scheduler).make(params)),
      row_policy_(RowPolicyRow::table().at(params.page_policy).make(params)),
      by_age_(params.scheduler == DramOrder::fr_fcfs),
      closes_rows_(params.page_policy != PagePolicy::open),
      cap_(params.starvation_cap == 0 ? never / 2 : static_cast<Cycle>(params.starvation_cap)) {
  policy_closed_.fill(-1);
}

void CommandPlanner::plan_anew(int direction, Cycle from) {
  if (direction_ != direction) invalidate();
  direction_ = direction;
  if (!column_valid_ || column_.at < from) plan_column(from);
  if (!act_valid_ || act_.at < from) plan_act(from);
  if (!pre_valid_ || pre_.at < from) plan_pre(from);
  column_valid_ = act_valid_ = pre_valid_ = true;
  if (claimed_ != 0) refresh_ = next_refresh_step(from);  // rare: worked out anew each time
}

void CommandPlanner::claim(std::uint64_t banks, DramCommand command, int bank) {
  claimed_ = banks;
  refresh_command_ = command;
  refresh_bank_ = bank;
  invalidate();
}

void CommandPlanner::release() {
  claimed_ = 0;
  refresh_ = Candidate{};
  invalidate();
}

// Rows whose owners are done are closed one by one; when all are, the refresh itself.
Candidate CommandPlanner::next_refresh_step(Cycle from) const {
  Candidate step;
  const std::uint64_t open = claimed_ & queues_.open_banks();
  if (open == 0) {
    step.at = std::max(from, timing_.earliest(refresh_command_, refresh_bank_));
    return step;
  }
  for_each_bank(open & ~queues_.active_banks(), [&](int bank) {
    const Cycle at = std::max(from, timing_.earliest(DramCommand::pre, bank));
    if (at < step.at) step = {at, 0, bank};
  });
  return step;
}

void CommandPlanner::offer_active(int bank, Cycle from) {
  const DramRequest& request = *queues_.active(bank);
  const Cycle at = std::max(from, timing_.earliest(column_command(request.write), bank));
  if (column_.beaten_by(at, request.accepted)) column_ = {at, request.accepted, bank};
}

void CommandPlanner::plan_column(Cycle from) {
  column_ = Candidate{};
  for_each_bank(queues_.active_banks(), [&](int bank) { offer_active(bank, from); });
  const DramCommand commands[] = {column_command(direction_ == RequestQueues::write), DramCommand::wr};
  const Cycle base[] = {std::max(from, timing_.earliest_on_channel(commands[0])),
                        queues_.shared() ? std::max(from, timing_.earliest_on_channel(commands[1])) : never};
  for_each_bank(queues_.hit_banks(direction_) & ~claimed_, [&](int bank) {
    const DramRequest& hit = *first_hit(bank);
    const int kind = queues_.shared() && hit.write ? 1 : 0;
    const Cycle at = std::max(base[kind], timing_.earliest_in_bank(commands[kind], bank));
    if (at > column_.at) return;
    if (held_back(hit, at)) return;
    const Cycle key = hit_priority + rank(hit);
    if (column_.beaten_by(at, key)) column_ = {at, key, bank};
  });
}

void CommandPlanner::plan_act(Cycle from) {
  Candidate best;
  const Cycle base = std::max(from, timing_.earliest_on_channel(DramCommand::act));
  for_each_bank(queues_.waiting_banks(direction_) & ~queues_.open_banks() & ~claimed_, [&](int bank) {
    const Cycle at = std::max(base, timing_.earliest_in_bank(DramCommand::act, bank));
    const Cycle key = by_age_ ? queues_.oldest_age(direction_, bank) : rank(*first(bank));
    if (best.beaten_by(at, key)) best = {at, key, bank};
  });
  act_ = best;
}

// For the oldest waiting request of each bank that wants another row: when no request owns the bank, and no
// row hit stands before it any more.
void CommandPlanner::plan_pre(Cycle from) {
  Candidate best;
  const Cycle base = std::max(from, timing_.earliest_on_channel(DramCommand::pre));
  const std::uint64_t hits = queues_.hit_banks(direction_);
  for_each_bank(
      queues_.waiting_banks(direction_) & queues_.open_banks() & ~queues_.active_banks() & ~claimed_,
      [&](int bank) {
        Cycle at = std::max(base, timing_.earliest_in_bank(DramCommand::pre, bank));
        if ((hits & bit(bank)) != 0) {
          const DramRequest& waits = *first(bank);
          const DramRequest& hit = *first_hit(bank);
          if (&waits == &hit) return;
          if (lets_pass(hit, waits)) at = std::max(at, patience(waits) + 1);
        }
        const Cycle key = by_age_ ? queues_.oldest_age(direction_, bank) : rank(*first(bank));
        if (best.beaten_by(at, key)) best = {at, key, bank};
      });
  pre_ = best;
  if (closes_rows_) plan_page_policy(from);
}

// Rows that no request waits for come after all other work.
void CommandPlanner::plan_page_policy(Cycle from) {
  const std::uint64_t wanted = queues_.active_banks() | queues_.hit_banks(RequestQueues::read) |
                               queues_.hit_banks(RequestQueues::write) | claimed_;
  for_each_bank(queues_.open_banks() & ~wanted, [&](int bank) {
    const Cycle close_at =
        row_policy_->close_at({bank, queues_.open_row(bank), queues_.last_use(bank), queues_.columns(bank)});
    const Cycle at = std::max({from, timing_.earliest(DramCommand::pre, bank), close_at});
    if (at < pre_.at) pre_ = {at, never, bank};
  });
}

DramRequest* CommandPlanner::least_rank(DramRequest* from, std::int64_t row) const {
  DramRequest* least = nullptr;
  Cycle rank_of_least = never;
  for (DramRequest* request = from; request != nullptr; request = request->next) {
    if (row >= 0 && request->row != row) continue;
    const Cycle rank = scheduler_->rank(*request);
    if (least != nullptr && rank >= rank_of_least) continue;
    least = request;
    rank_of_least = rank;
  }
  return least;
}

void CommandPlanner::serves(const DramRequest& request, bool active) {
  if (by_age_) return;
  scheduler_->served(request, !active && first(request.bank) != &request);
}

std::uint64_t CommandPlanner::hits_lost_to(const DramRequest& first, Cycle now) const {
  if (now > patience(first)) return 0;
  std::uint64_t lost = 0;
  const std::int64_t open = queues_.open_row(first.bank);
  for (const DramRequest* hit = queues_.oldest_hit(direction_, first.bank); hit != nullptr; hit = hit->next)
    if (hit->row == open) ++lost;
  return lost;
}

// An arrival is young: it matters only as the first of its bank or as its first row hit.
void CommandPlanner::arrived(const DramRequest& request, Cycle now) {
  if (closes_rows_) pre_valid_ = false;
  if (queues_.queue_of(request.write) != direction_) return;
  if (!by_age_) return invalidate();
  const int bank = request.bank;
  if ((claimed_ & bit(bank)) != 0) return;
  const DramRequest* oldest = queues_.oldest(direction_, bank);
  if (queues_.open_row(bank) == request.row) {
    if (queues_.oldest_hit(direction_, bank) != &request) return;
    if (pre_.bank == bank) pre_valid_ = false;  // it must not overtake the hit
    const Cycle at = std::max(now, timing_.earliest(column_command(request.write), bank));
    if (held_back(request, at)) return;
    const Cycle key = hit_priority + request.accepted;
    if (column_.beaten_by(at, key)) column_ = {at, key, bank};
    return;
  }
  if (oldest != &request || queues_.active(bank) != nullptr) return;
  const bool closed = queues_.open_row(bank) < 0;
  Candidate& best = closed ? act_ : pre_;
  const Cycle at = std::max(now, timing_.earliest(closed ? DramCommand::act : DramCommand::pre, bank));
  if (best.beaten_by(at, request.accepted)) best = {at, request.accepted, bank};
}

void CommandPlanner::activated(int bank, Cycle now) {
  if (!by_age_) return invalidate();
  act_valid_ = false;
  if (closes_rows_) pre_valid_ = false;
  // Its waiting hits come after it, unless it was activated for the other direction, or theirs may be
  // another.
  if (!queues_.shared() && queues_.active(bank)->write == (direction_ == RequestQueues::write)) {
    offer_active(bank, now + 1);
  } else {
    column_valid_ = false;
  }
}

void CommandPlanner::precharged(int bank, Cycle now) {
  if (!by_age_) return invalidate();
  pre_valid_ = false;
  if (column_.bank == bank)
    column_valid_ = false;  // its hit had waited less than the request that is overdue
  if ((queues_.waiting_banks(direction_) & ~claimed_ & bit(bank)) == 0) return;
  const Cycle at = std::max(now + 1, timing_.earliest(DramCommand::act, bank));
  const Cycle age = queues_.oldest_age(direction_, bank);
  if (act_.beaten_by(at, age)) act_ = {at, age, bank};
}

void CommandPlanner::transferred(int bank, Cycle now) {
  if (!by_age_) return invalidate();
  column_valid_ = false;
  if (closes_rows_ || pre_.bank == bank) {
    pre_valid_ = false;
    return;
  }
  const std::uint64_t waiting = queues_.waiting_banks(direction_) & bit(bank);
  if ((waiting & queues_.hit_banks(direction_)) != 0 &&
      queues_.oldest(direction_, bank) != queues_.oldest_hit(direction_, bank))
    pre_valid_ = false;  // the oldest waits beside row hits, up to its patience
  const std::uint64_t closing = queues_.waiting_banks(direction_) & ~queues_.hit_banks(direction_) &
                                ~queues_.active_banks() & ~claimed_;
  if ((closing & bit(bank)) == 0) return;
  const Cycle at = std::max(now + 1, timing_.earliest(DramCommand::pre, bank));
  const Cycle age = queues_.oldest_age(direction_, bank);
  if (pre_.beaten_by(at, age)) pre_ = {at, age, bank};
}

}  // namespace strata
