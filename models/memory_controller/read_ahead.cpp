#include "models/memory_controller/read_ahead.h"

namespace strata {
namespace {

constexpr int reads = RequestQueues::read;

}  // namespace

ReadAhead::ReadAhead(const MemoryControllerParams& params, RequestQueues& queues, DramTiming& timing,
                     MemoryControllerStats& stats)
    : queues_(queues),
      timing_(timing),
      stats_(stats),
      calendar_(params.timing),
      cap_(params.starvation_cap == 0 ? never / 2 : static_cast<Cycle>(params.starvation_cap)),
      read_latency_(static_cast<Cycle>(params.timing.nCL + params.timing.nBL)),
      row_precharge_(static_cast<Cycle>(params.timing.nRP)),
      group_reads_(static_cast<std::size_t>(params.timing.bank_groups)) {}

void ReadAhead::begin(Cycle now, std::vector<DramRequest*>& planned) {
  calendar_.slide(now);
  for (std::size_t group = 0; group < group_reads_.size(); ++group)
    group_reads_[group].first = std::max(timing_.earliest_on_channel(DramCommand::rd),
                                         timing_.earliest_in_group(DramCommand::rd, group));
  for (std::uint64_t banks = queues_.active_banks(); banks != 0; banks &= banks - 1) {
    const int bank = __builtin_ctzll(banks);
    DramRequest& request = *queues_.active(bank);
    queues_.finish_active(bank);
    read(request, now);
    planned.push_back(&request);
  }
  for (std::uint64_t banks = queues_.hit_banks(reads); banks != 0; banks &= banks - 1)
    plan_hits(__builtin_ctzll(banks), now, planned);
  next_act_ = next_pre_ = queues_.waiting_banks(reads) == 0 ? never : now;
}

void ReadAhead::end() {
  for (Group& group : group_reads_) {
    if (group.bank >= 0) timing_.issue(DramCommand::rd, group.bank, group.last);
    group.bank = -1;
  }
}

bool ReadAhead::plan(DramRequest& request, Cycle now) {
  const int bank = request.bank;
  const Cycle from = request.accepted + 1;
  calendar_.slide(now);
  const bool others = (queues_.waiting_banks(reads) >> bank & 1) != 0;
  if (queues_.open_row(bank) == request.row) {
    if (others && overdue(*queues_.oldest(reads, bank), from)) return false;
    leaving_.add(read(request, from), now);
    return true;
  }
  // Nothing can come between that would take cycle `from` from its row command.
  if (others || next() <= from || row_ready(bank) > from || !calendar_.row_free(from)) return false;
  if (!may_open_ahead(bank, queues_.waiting_banks(reads), from)) return false;
  Cycle act = from;
  if (queues_.open_row(bank) >= 0) {
    precharge(request, from);
    act = calendar_.next_row(timing_.earliest(DramCommand::act, bank));
  }
  open(request, act);
  leaving_.add(act, now);
  return true;
}

void ReadAhead::wait(DramRequest& request) {
  queues_.insert(request);
  if (queues_.oldest(reads, request.bank) == &request) expect(request.bank, request.accepted + 1);
}

// The next row command of a bank.
void ReadAhead::expect(int bank, Cycle from) {
  Cycle& next = queues_.open_row(bank) < 0 ? next_act_ : next_pre_;
  next = std::min(next, std::max(from, row_ready(bank)));
}

// Among banks that wait for `command`: the oldest request that may have it in `now`, and when the next may.
ReadAhead::Choice ReadAhead::choose(std::uint64_t banks, DramCommand command, Cycle now) const {
  Choice choice;
  if (banks == 0) return choice;
  const Cycle base = timing_.earliest_on_channel(command);
  if (base > now) {
    choice.next = base;
    return choice;
  }
  for (; banks != 0; banks &= banks - 1) {
    const int bank = __builtin_ctzll(banks);
    const Cycle age = queues_.oldest_age(reads, bank);
    const Cycle ready = std::max(timing_.earliest_in_bank(command, bank), age + 1);
    if (ready > now) {
      choice.next = std::min(choice.next, ready);
      continue;
    }
    if (choice.bank >= 0) choice.next = now + 1;
    if (age > choice.age) continue;
    choice.bank = bank;
    choice.age = age;
  }
  return choice;
}

int ReadAhead::step(Cycle now, std::vector<DramRequest*>& planned) {
  calendar_.slide(now);
  const Cycle at = calendar_.next_row(now);
  if (at > now) {
    next_act_ = std::max(next_act_, at);
    next_pre_ = std::max(next_pre_, at);
    return 0;
  }
  const std::uint64_t waiting = queues_.waiting_banks(reads);
  Choice act;
  Choice pre;
  if (next_act_ <= now) {
    act = choose(waiting & ~queues_.open_banks(), DramCommand::act, now);
    next_act_ = act.next;
  }
  if (next_pre_ <= now) {
    pre = choose(waiting & queues_.open_banks(), DramCommand::pre, now);
    next_pre_ = pre.next;
  }
  if (act.bank < 0 && pre.bank < 0) return 0;
  int freed = 0;
  const bool opens = act.age < pre.age;
  const int bank = opens ? act.bank : pre.bank;
  if (opens) {
    freed = activate(bank, now, now, planned);
    if (pre.bank >= 0) next_pre_ = now + 1;
    if (next_act_ != never) next_act_ = std::max(next_act_, timing_.earliest_on_channel(DramCommand::act));
  } else {
    precharge(*queues_.oldest(reads, bank), now);
    if (act.bank >= 0) next_act_ = now + 1;
    if (may_open_ahead(bank, waiting & ~(std::uint64_t{1} << bank), now))
      freed = activate(bank, calendar_.next_row(timing_.earliest(DramCommand::act, bank)), now, planned);
  }
  if ((queues_.waiting_banks(reads) >> bank & 1) != 0) expect(bank, now + 1);
  return freed;
}

void ReadAhead::precharge(DramRequest& request, Cycle at) {
  const int bank = request.bank;
  start(request, DramCommand::pre, at, stats_);
  ++stats_.precharges;
  if (queues_.oldest_hit(reads, bank) != nullptr) ++stats_.starved;
  queues_.precharge(bank);
  calendar_.take_row(at);
  timing_.issue(DramCommand::pre, bank, at);
  commands_.push_back({DramCommand::pre, bank, request.row, at});
}

void ReadAhead::open(DramRequest& request, Cycle at) {
  start(request, DramCommand::act, at, stats_);
  ++stats_.activates;
  request.activated = at;
  queues_.open(request.bank, request.row);
  calendar_.take_row(at);
  timing_.issue(DramCommand::act, request.bank, at);
  commands_.push_back({DramCommand::act, request.bank, request.row, at});
  read(request, at);
}

// Returns the number of queue entries that are free at once.
int ReadAhead::activate(int bank, Cycle at, Cycle now, std::vector<DramRequest*>& planned) {
  DramRequest& request = *queues_.oldest(reads, bank);
  queues_.remove(request);
  open(request, at);
  planned.push_back(&request);
  plan_hits(bank, now, planned);
  if (at <= now) return 1;
  leaving_.add(at, now);
  return 0;
}

// Those that have waited for the row that is now open.
void ReadAhead::plan_hits(int bank, Cycle now, std::vector<DramRequest*>& planned) {
  while (DramRequest* hit = queues_.oldest_hit(reads, bank)) {
    const DramRequest* oldest = queues_.oldest(reads, bank);
    if (hit != oldest && overdue(*oldest, now)) return;
    queues_.remove(*hit);
    leaving_.add(read(*hit, std::max(now, hit->accepted + 1)), now);
    planned.push_back(hit);
  }
}

// The column commands of a request; returns the cycle of the last.
Cycle ReadAhead::read(DramRequest& request, Cycle from) {
  const Columns columns = columns_of(request.bank, request.bursts - request.issued, from);
  start(request, DramCommand::rd, columns.first, stats_);
  if (request.first_cas == never) {
    request.first_cas = columns.first;
    stats_.read_wait += columns.first - request.accepted;
  }
  request.last_cas = columns.last;
  finish(columns.last, request.accepted);
  return columns.last;
}

}  // namespace strata
