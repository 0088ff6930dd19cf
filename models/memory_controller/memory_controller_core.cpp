#include "models/memory_controller/memory_controller_core.h"

#include <algorithm>

namespace strata {
namespace {

/// A command issues in cycle `at` on behalf of a request. The first command of a request decides whether it
/// counts as row hit, miss or conflict.
void start(DramRequest& request, DramCommand command, Cycle at, MemoryControllerStats& stats) {
  if (request.first_command != never) return;
  request.first_command = at;
  ++stats.started;
  if (command == DramCommand::pre) {
    ++stats.row_conflicts;
    request.conflict = true;
  } else {
    ++(command == DramCommand::act ? stats.row_misses : stats.row_hits);
  }
}

}  // namespace

MemoryControllerCore::MemoryControllerCore(const MemoryControllerParams& params,
                                           const std::vector<DramRule>& rules)
    : timing_set_(params.timing),
      line_bursts_(params),
      timing_(params.timing, without_refresh(rules, params.refresh != RefreshPolicy::all_bank,
                                             params.refresh != RefreshPolicy::per_bank)),
      queues_(params.timing.banks(), params.shared_queue != 0),
      planner_(params, queues_, timing_),
      drain_(params, queues_),
      refresh_(params),
      read_latency_(static_cast<Cycle>(params.timing.nCL + params.timing.nBL)),
      owed_(refresh_.due()),
      pool_(params, params.timing.banks()) {}

MemoryControllerCore::Admission MemoryControllerCore::admit(const DramRequest& request, Cycle now) {
  const std::uint32_t serial = serial_++;
  ++stats_.accepted;
  ++(request.write ? stats_.writes : request.atomic ? stats_.atomics : stats_.reads);
  if (!request.write && forwards(request)) {
    ++stats_.forwarded_reads;
    return Admission::forwarded;
  }
  DramRequest& entry = pool_.fresh(request);
  entry.accepted = now;
  entry.serial = serial;
  arrivals_.came(entry);
  pool_.take(entry.write, entry.bursts);
  if (entry.atomic) pool_.take(true, entry.bursts);  // for its write
  next_ = std::min(next_, owed_);
  owed_ = never;
  next_ = std::min(next_, std::max(now + 1, could_issue(entry)));
  if (!entry.write) next_ = std::min(next_, drain_.patience(now));  // it may end a drain by then
  return Admission::queued;
}

bool MemoryControllerCore::forwards(const DramRequest& request) const {
  if (arrivals_.first_came() == nullptr && !queues_.any_write()) return false;
  const DramRequest* newest = nullptr;
  for (const DramRequest* w = arrivals_.first_came(); w != nullptr; w = w->next)
    if (w->write && w->bank == request.bank && w->row == request.row && w->column == request.column)
      newest = w;
  if (newest == nullptr) newest = queues_.find_write(request);
  return newest != nullptr && (request.sectors & ~newest->sectors) == 0;
}

// The first cycle in which an arrival can make a difference. A lower bound: its turn may come later.
Cycle MemoryControllerCore::could_issue(const DramRequest& request) const {
  const int reads = queues_.size(RequestQueues::read) + arrivals_.count(RequestQueues::read);
  const int writes = queues_.size(RequestQueues::write) + arrivals_.count(RequestQueues::write);
  const bool foreseen = planner_.direction() != drain_.direction() && request.accepted <= drain_.undecided();
  if (!drain_.keeps(planner_.direction(), reads, writes) || foreseen)
    return 0;  // the planned direction may change
  if (queues_.queue_of(request.write) != planner_.direction()) return never;
  const std::int64_t open = queues_.open_row(request.bank);
  const DramCommand command = open == request.row ? column_command(request.write)
                              : open < 0          ? DramCommand::act
                                                  : DramCommand::pre;
  return timing_.earliest(command, request.bank);
}

// Shows the scheduler what was accepted before `now`. The direction is decided in every cycle from the queue
// sizes of that cycle; cycles with changed sizes are made up for.
void MemoryControllerCore::integrate(Cycle now) {
  while (DramRequest* next = arrivals_.take(now)) {
    DramRequest& request = *next;
    if (drain_.due() && drain_.undecided() < request.accepted)
      stats_.write_drains += drain_.turn(request.accepted);
    drain_.resized(request.accepted);
    queues_.insert(request);
    planner_.arrived(request, now);
  }
}

bool MemoryControllerCore::active_ready(Cycle now) const {
  bool ready = false;
  for_each_bank(queues_.active_banks(), [&](int bank) {
    ready = ready || timing_.earliest(column_command(queues_.active(bank)->write), bank) <= now;
  });
  return ready;
}

int MemoryControllerCore::advance(Cycle now, std::array<IssuedCommand, 2>& out) {
  if (!arrivals_.empty()) integrate(now);
  if (refresh_.due() <= now && !planner_.claiming() && (refresh_wanted() || refresh_.last_chance() <= now)) {
    refresh_.begin(now);
    planner_.claim(refresh_.banks(), refresh_.by_bank() ? DramCommand::refpb : DramCommand::refab,
                   refresh_.bank());
  }
  // The queue sizes stay as they are, but a read has become overdue: decide anew.
  if (drain_.direction() == RequestQueues::write && !drain_.due() && queues_.size(RequestQueues::read) > 0 &&
      drain_.read_overdue(now))
    drain_.resized(now - 1);
  // On a single bus a ready step of a refresh, or a ready activated request, goes first, and the direction
  // is not even looked at.
  const bool refresh_first = !timing_.dual_bus() && planner_.refresh_from(now) <= now;
  if (drain_.due() && !timing_.dual_bus() && drain_.undecided() + 1 == now &&
      (refresh_first || active_ready(now))) {
    drain_.put_off(now);
  } else if (drain_.due()) {
    stats_.write_drains += drain_.turn(now);
  }
  planner_.plan(drain_.direction(), now);

  int count = 0;
  if (!refresh_first && planner_.column().at <= now) {
    out[static_cast<std::size_t>(count++)] = issue_column(now);
    if (timing_.dual_bus()) {  // the row command bus looks at the queues after the column command
      if (drain_.due()) stats_.write_drains += drain_.turn(now);
      planner_.plan(drain_.direction(), now);
    }
  }
  if (timing_.dual_bus() || count == 0) {
    if (planner_.refresh().at <= now) {
      out[static_cast<std::size_t>(count++)] = issue_refresh(now);
    } else if (planner_.row().at <= now) {
      out[static_cast<std::size_t>(count++)] = issue_row(now);
    }
  }
  book_next(now);
  return count;
}

// A due refresh begins now, because no request waits for its banks or postponed refreshes are made up for.
bool MemoryControllerCore::refresh_wanted() const {
  return refresh_.making_up() || (refresh_.banks() & (queues_.waiting_banks(RequestQueues::read) |
                                                      queues_.waiting_banks(RequestQueues::write))) == 0;
}

void MemoryControllerCore::book_next(Cycle now) {
  planner_.plan(drain_.coming(now + 1), now + 1);
  next_ = planner_.next();
  if (refresh_.enabled()) {
    const Cycle claim = refresh_wanted() ? refresh_.due() : refresh_.last_chance();
    if (!planner_.claiming()) next_ = std::min(next_, std::max(now + 1, claim));
    owed_ = never;
    if (idle()) std::swap(owed_, next_);
  }
  if (planner_.direction() == RequestQueues::write && queues_.size(RequestQueues::read) > 0)
    next_ = std::min(next_, drain_.overdue_from(now));  // that read may end the drain
  if (const DramRequest* turned = arrivals_.first_turned(); turned != nullptr)
    next_ = std::min(next_, std::max(now, turned->accepted) + 1);
  for (const DramRequest* late = arrivals_.first_came(); late != nullptr; late = late->next)
    next_ = std::min(next_, std::max(late->accepted + 1, could_issue(*late)));
}

IssuedCommand MemoryControllerCore::issue_row(Cycle now) {
  const Candidate choice = planner_.row();
  const int bank = choice.bank;
  if (queues_.open_row(bank) >= 0) return precharge(bank, choice.key == never, now);
  DramRequest& request = *planner_.first(bank);
  start(request, DramCommand::act, now, stats_);
  ++stats_.activates;
  request.activated = now;
  if (planner_.opened(bank, request.row)) ++stats_.policy_reopened;
  queues_.activate(request);
  pool_.give_back(request.write, request.bursts);
  drain_.resized(now);
  timing_.issue(DramCommand::act, bank, now);
  planner_.activated(bank, now);
  return {DramCommand::act, bank, request.row, -1, &request, false};
}

IssuedCommand MemoryControllerCore::issue_refresh(Cycle now) {
  const int open = planner_.refresh().bank;
  if (open >= 0) {
    ++stats_.refresh_precharges;
    planner_.closed_for_others(open, false);
    return close_row(open, nullptr, queues_.open_row(open), now);
  }
  const int bank = refresh_.bank();
  const DramCommand command = refresh_.by_bank() ? DramCommand::refpb : DramCommand::refab;
  ++stats_.refreshes;
  stats_.refresh_delay += now - refresh_.due();
  timing_.issue(command, bank, now);
  refresh_.done(now);
  planner_.release();
  return {command, bank, -1, -1, nullptr, false};
}

IssuedCommand MemoryControllerCore::precharge(int bank, bool by_policy, Cycle now) {
  if (by_policy) {
    ++stats_.policy_precharges;
    const std::int64_t row = queues_.open_row(bank);
    planner_.closed_by_policy(bank, row);
    return close_row(bank, nullptr, row, now);
  }
  DramRequest* request = planner_.first(bank);
  start(*request, DramCommand::pre, now, stats_);
  const bool starved = queues_.oldest_hit(planner_.direction(), bank) != nullptr;
  if (starved) {
    ++stats_.starved;
    stats_.lost_row_hits += planner_.hits_lost_to(*request, now);
  }
  planner_.closed_for_others(bank, !starved);
  return close_row(bank, request, request->row, now);
}

IssuedCommand MemoryControllerCore::close_row(int bank, DramRequest* request, std::int64_t row, Cycle now) {
  ++stats_.precharges;
  queues_.precharge(bank);
  timing_.issue(DramCommand::pre, bank, now);
  planner_.precharged(bank, now);
  return {DramCommand::pre, bank, row, -1, request, false};
}

bool MemoryControllerCore::close_idle_row(Cycle now, std::optional<IssuedCommand>& issued) {
  bool open = false;
  for (int bank = 0; bank < timing_set_.banks(); ++bank) {
    if (queues_.open_row(bank) < 0) continue;
    open = true;
    if (planner_.claiming() || timing_.earliest(DramCommand::pre, bank) > now) continue;
    planner_.closed_for_others(bank, false);
    issued = close_row(bank, nullptr, queues_.open_row(bank), now);
    book_next(now);
    break;
  }
  return open;
}

IssuedCommand MemoryControllerCore::issue_column(Cycle now) {
  const int bank = planner_.column().bank;
  const bool active = planner_.column_is_active();
  DramRequest& request = active ? *queues_.active(bank) : *planner_.first_hit(bank);
  const DramCommand command = column_command(request.write);
  start(request, command, now, stats_);
  ++stats_.bursts;
  planner_.serves(request, active);
  if (request.first_cas == never) {
    request.first_cas = now;
    (request.write ? stats_.write_wait : stats_.read_wait) += now - request.accepted;
  }
  const int column = request.column + line_bursts_.column(request.sectors, request.issued);
  IssuedCommand issued{command, bank, request.row, column, &request, false};
  if (++request.issued == request.bursts) {
    issued.last = true;
    finish(request, active, now);
  }
  queues_.touch(bank, now);
  timing_.issue(command, bank, now);
  planner_.transferred(bank, now);
  return issued;
}

void MemoryControllerCore::finish(DramRequest& request, bool active, Cycle now) {
  if (active) {
    queues_.finish_active(request.bank);
  } else {
    queues_.remove(request);
    pool_.give_back(request.write, request.bursts);
    drain_.resized(now);
  }
  ++(request.write ? stats_.writes_finished : stats_.reads_finished);
  if (!request.write) stats_.read_latency.add(now + read_latency_ - request.accepted);
  if (request.atomic && !request.write) {
    // An atomic's second half is a write of the same line, accepted when the data has been read. Its entry in
    // the write queue was set aside with its first half.
    DramRequest& entry = pool_.fresh(request);
    entry.write = true;
    entry.owner = nullptr;
    entry.accepted = now + read_latency_;
    entry.previous = nullptr;
    arrivals_.turned(entry);
  }
  pool_.release(request);
}

const DramRequest* MemoryControllerCore::oldest() const {
  const DramRequest* found = nullptr;
  const auto consider = [&](const DramRequest* request) {
    if (request != nullptr && (found == nullptr || request->accepted < found->accepted)) found = request;
  };
  for_each_bank(queues_.active_banks(), [&](int bank) { consider(queues_.active(bank)); });
  for (const int direction : {RequestQueues::read, RequestQueues::write})
    for_each_bank(queues_.waiting_banks(direction),
                  [&](int bank) { consider(queues_.oldest(direction, bank)); });
  consider(arrivals_.first_came());
  consider(arrivals_.first_turned());
  return found;
}

}  // namespace strata
