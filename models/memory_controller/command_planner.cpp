#include "models/memory_controller/command_planner.h"

namespace strata {

CommandPlanner::CommandPlanner(const MemoryControllerParams& params, const RequestQueues& queues,
                               const DramTiming& timing)
    : queues_(queues),
      timing_(timing),
      policy_(params.page_policy),
      idle_least_(static_cast<Cycle>(params.idle_close_min)),
      idle_most_(static_cast<Cycle>(params.idle_close_max)),
      cap_(params.starvation_cap == 0 ? never / 2 : static_cast<Cycle>(params.starvation_cap)) {
  if (params.page_policy == PagePolicy::timeout || params.page_policy == PagePolicy::adaptive)
    idle_close_.fill(static_cast<Cycle>(params.idle_close));
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
    const DramRequest& hit = *queues_.oldest_hit(direction_, bank);
    const int kind = queues_.shared() && hit.write ? 1 : 0;
    const Cycle at = std::max(base[kind], timing_.earliest_in_bank(commands[kind], bank));
    if (at > column_.at) return;
    if (held_back(hit, at)) return;
    const Cycle key = hit_priority + hit.accepted;
    if (column_.beaten_by(at, key)) column_ = {at, key, bank};
  });
}

void CommandPlanner::plan_act(Cycle from) {
  Candidate best;
  const Cycle base = std::max(from, timing_.earliest_on_channel(DramCommand::act));
  for_each_bank(queues_.waiting_banks(direction_) & ~queues_.open_banks() & ~claimed_, [&](int bank) {
    const Cycle at = std::max(base, timing_.earliest_in_bank(DramCommand::act, bank));
    const Cycle age = queues_.oldest_age(direction_, bank);
    if (best.beaten_by(at, age)) best = {at, age, bank};
  });
  act_ = best;
}

// For the oldest waiting request of each bank that wants another row: when nobody owns the bank, and no row
// hit stands before it any more.
void CommandPlanner::plan_pre(Cycle from) {
  Candidate best;
  const Cycle base = std::max(from, timing_.earliest_on_channel(DramCommand::pre));
  const std::uint64_t hits = queues_.hit_banks(direction_);
  for_each_bank(
      queues_.waiting_banks(direction_) & queues_.open_banks() & ~queues_.active_banks() & ~claimed_,
      [&](int bank) {
        Cycle at = std::max(base, timing_.earliest_in_bank(DramCommand::pre, bank));
        if ((hits & bit(bank)) != 0) {
          const DramRequest& oldest = *queues_.oldest(direction_, bank);
          if (&oldest == queues_.oldest_hit(direction_, bank)) return;
          at = std::max(at, patience(oldest) + 1);
        }
        const Cycle age = queues_.oldest_age(direction_, bank);
        if (best.beaten_by(at, age)) best = {at, age, bank};
      });
  pre_ = best;
  if (policy_ != PagePolicy::open) plan_page_policy(from);
}

// Rows that nobody waits for, after everything that somebody waits for.
void CommandPlanner::plan_page_policy(Cycle from) {
  const std::uint64_t wanted = queues_.active_banks() | queues_.hit_banks(RequestQueues::read) |
                               queues_.hit_banks(RequestQueues::write) | claimed_;
  for_each_bank(queues_.open_banks() & ~wanted, [&](int bank) {
    const Cycle at =
        std::max({from, timing_.earliest(DramCommand::pre, bank), queues_.last_use(bank) + idle_close(bank)});
    if (at < pre_.at) pre_ = {at, never, bank};
  });
}

// An arrival is young: it matters only as the first of its bank or as its first row hit.
void CommandPlanner::arrived(const DramRequest& request, Cycle now) {
  if (policy_ != PagePolicy::open) pre_valid_ = false;
  if (queues_.queue_of(request.write) != direction_) return;
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
  act_valid_ = false;
  if (policy_ != PagePolicy::open) pre_valid_ = false;
  // Its waiting hits stand behind it, unless it was activated for the other direction, or theirs may be
  // another.
  if (!queues_.shared() && queues_.active(bank)->write == (direction_ == RequestQueues::write)) {
    offer_active(bank, now + 1);
  } else {
    column_valid_ = false;
  }
}

void CommandPlanner::precharged(int bank, Cycle now) {
  pre_valid_ = false;
  if (column_.bank == bank)
    column_valid_ = false;  // its hit had waited less than the request that is overdue
  if ((queues_.waiting_banks(direction_) & ~claimed_ & bit(bank)) == 0) return;
  const Cycle at = std::max(now + 1, timing_.earliest(DramCommand::act, bank));
  const Cycle age = queues_.oldest_age(direction_, bank);
  if (act_.beaten_by(at, age)) act_ = {at, age, bank};
}

void CommandPlanner::transferred(int bank, Cycle now) {
  column_valid_ = false;
  if (policy_ != PagePolicy::open || pre_.bank == bank) {
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
