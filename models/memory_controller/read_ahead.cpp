#include "models/memory_controller/read_ahead.h"

#include <cstdlib>

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
      calm_(std::getenv("CALM") ? atoi(std::getenv("CALM")) : 4),
      patience_(std::getenv("PAT") ? static_cast<Cycle>(atoi(std::getenv("PAT"))) : 0),
      cap_(params.starvation_cap == 0 ? never / 2 : static_cast<Cycle>(params.starvation_cap)),
      read_latency_(static_cast<Cycle>(params.timing.nCL + params.timing.nBL)),
      group_reads_(static_cast<std::size_t>(params.timing.bank_groups)) {
  leaving_.reserve(static_cast<std::size_t>(params.read_queue));
}

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
  next_ = queues_.waiting_banks(reads) == 0 ? never : now;
}

void ReadAhead::end() {
  for (Group& group : group_reads_) {
    if (group.bank >= 0) timing_.issue(DramCommand::rd, group.bank, group.last);
    group.bank = -1;
  }
}

bool ReadAhead::plan(DramRequest& request) {
  const int bank = request.bank;
  const Cycle from = request.accepted + 1;
  calendar_.slide(request.accepted);
  const bool others = (queues_.waiting_banks(reads) >> bank & 1) != 0;
  if (queues_.open_row(bank) == request.row) {
    if (others && overdue(*queues_.oldest(reads, bank), from)) return false;
    leaving_.push_back(read(request, from));
    return true;
  }
  // Nothing can come between that would take cycle `from` from its row command.
  if (others || next_ <= from || row_ready(bank) > from || !calendar_.row_free(from) || !calm(from))
    return false;
  Cycle act = from;
  if (queues_.open_row(bank) >= 0) {
    precharge(request, from);
    act = calendar_.next_row(timing_.earliest(DramCommand::act, bank));
  }
  open(request, act);
  leaving_.push_back(act);
  return true;
}

void ReadAhead::wait(DramRequest& request) {
  queues_.insert(request);
  if (queues_.oldest(reads, request.bank) == &request)
    next_ = std::min(next_, std::max(request.accepted + 1, row_ready(request.bank)));
}

int ReadAhead::step(Cycle now, std::vector<DramRequest*>& planned) {
  calendar_.slide(now);
  int best = -1;
  Cycle age = never;
  Cycle next = never;
  const auto consider = [&](std::uint64_t banks, DramCommand command) {
    if (banks == 0) return;
    const Cycle base = timing_.earliest_on_channel(command);
    if (base > now) {
      next = std::min(next, base);
      return;
    }
    for (; banks != 0; banks &= banks - 1) {
      const int bank = __builtin_ctzll(banks);
      const Cycle ready = timing_.earliest_in_bank(command, bank);
      const Cycle accepted = queues_.oldest_age(reads, bank);
      if (ready > now || accepted >= now) {
        next = std::min(next, std::max(ready, accepted + 1));
      } else if (accepted < age) {
        if (best >= 0) next = now + 1;
        best = bank;
        age = accepted;
      } else {
        next = now + 1;
      }
    }
  };
  const std::uint64_t waiting = queues_.waiting_banks(reads);
  consider(waiting & ~queues_.open_banks(), DramCommand::act);
  consider(waiting & queues_.open_banks(), DramCommand::pre);
  next_ = next;
  if (best < 0) return 0;
  const Cycle at = calendar_.next_row(now);
  if (at > now && (at > now + patience_ || !calm(now))) {
    next_ = at;
    return 0;
  }
  int freed = 0;
  if (queues_.open_row(best) < 0) {
    freed = activate(best, at, now, planned);
  } else {
    precharge(*queues_.oldest(reads, best), at);
    if (calm(now) && (queues_.waiting_banks(reads) & ~queues_.open_banks()) == std::uint64_t{1} << best)
      freed = activate(best, calendar_.next_row(timing_.earliest(DramCommand::act, best)), now, planned);
  }
  if ((queues_.waiting_banks(reads) >> best & 1) != 0)
    next_ = std::min(next_, std::max(now + 1, row_ready(best)));
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
  leaving_.push_back(at);
  return 0;
}

// Those that have waited for the row that is now open.
void ReadAhead::plan_hits(int bank, Cycle now, std::vector<DramRequest*>& planned) {
  while (DramRequest* hit = queues_.oldest_hit(reads, bank)) {
    const DramRequest* oldest = queues_.oldest(reads, bank);
    if (hit != oldest && overdue(*oldest, now)) return;
    queues_.remove(*hit);
    leaving_.push_back(read(*hit, std::max(now, hit->accepted + 1)));
    planned.push_back(hit);
  }
}

// The column commands of a request; returns the cycle of the last.
Cycle ReadAhead::read(DramRequest& request, Cycle from) {
  const int bank = request.bank;
  const std::size_t group = timing_.group_of(bank);
  Group& reads_of_group = group_reads_[group];
  Cycle at = std::max(std::max(from, timing_.earliest_by_bank(DramCommand::rd, bank)), reads_of_group.first);
  at = calendar_.take_read(at, group);
  start(request, DramCommand::rd, at, stats_);
  if (request.first_cas == never) {
    request.first_cas = at;
    stats_.read_wait += at - request.accepted;
  }
  const int bursts = request.bursts - request.issued;
  for (int left = bursts - 1; left > 0; --left) at = calendar_.take_read(at + 1, group);
  stats_.bursts += static_cast<std::uint64_t>(bursts);
  timing_.issue_in_bank(DramCommand::rd, bank, at);
  if (at > reads_of_group.last) {
    reads_of_group.last = at;
    reads_of_group.bank = bank;
  }
  request.last_cas = at;
  ++stats_.reads_finished;
  stats_.read_latency.add(at + read_latency_ - request.accepted);
  return at;
}

int ReadAhead::leave(Cycle now) {
  const auto first = std::remove_if(leaving_.begin(), leaving_.end(), [now](Cycle at) { return at <= now; });
  const int left = static_cast<int>(leaving_.end() - first);
  leaving_.erase(first, leaving_.end());
  return left;
}

}  // namespace strata
