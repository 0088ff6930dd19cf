#include "models/memory_controller/memory_controller_core.h"

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

constexpr int read = RequestQueues::read;
constexpr int write = RequestQueues::write;

template <class Visit>
inline void for_each_bank(std::uint64_t banks, Visit&& visit) {
  for (; banks != 0; banks &= banks - 1) visit(__builtin_ctzll(banks));
}

constexpr DramCommand column_command(bool is_write) {
  return is_write ? DramCommand::wr : DramCommand::rd;
}

}  // namespace

MemoryControllerCore::MemoryControllerCore(const MemoryControllerParams& params,
                                           const std::vector<DramRule>& rules)
    : timing_set_(params.timing),
      timing_(params.timing, without_refresh(rules, params.refresh != RefreshPolicy::all_bank,
                                             params.refresh != RefreshPolicy::per_bank)),
      queues_(params.timing.banks()),
      planner_(params, queues_, timing_),
      refresh_(params),
      dual_(params.timing.command_bus == CommandBus::dual),
      adaptive_(params.page_policy == PagePolicy::adaptive),
      cap_(params.starvation_cap == 0 ? never / 2 : static_cast<Cycle>(params.starvation_cap)),
      read_latency_(static_cast<Cycle>(params.timing.nCL + params.timing.nBL)),
      capacity_{params.read_queue, params.write_queue},
      room_(capacity_),
      high_(static_cast<int>(std::floor(params.drain_high * params.write_queue)) + 1),
      low_(static_cast<int>(std::ceil(params.drain_low * params.write_queue)) - 1),
      owed_(refresh_.due()) {
  closed_row_.fill(-1);
  // Activated requests hold no queue entry but live until their last burst: at most one a bank.
  const auto entries =
      static_cast<std::size_t>(params.read_queue + params.write_queue + params.timing.banks());
  pool_ = std::make_unique<DramRequest[]>(entries);
  for (std::size_t i = 0; i < entries; ++i) release(pool_[i]);
}

MemoryControllerCore::Admission MemoryControllerCore::admit(const DramRequest& request, Cycle now) {
  const std::uint32_t serial = serial_++;
  ++stats_.accepted;
  ++(request.write ? stats_.writes : request.atomic ? stats_.atomics : stats_.reads);
  if (!request.write && forwards(request)) {
    ++stats_.forwarded_reads;
    return Admission::forwarded;
  }
  DramRequest& entry = fresh(request);
  entry.accepted = now;
  entry.serial = serial;
  if (reading_ahead_ && waits_ahead(entry)) return Admission::queued;
  (arrivals_ == nullptr ? arrivals_ : last_arrival_->next) = &entry;
  last_arrival_ = &entry;
  ++arriving_[entry.write ? 1 : 0];
  --room_[entry.write ? 1 : 0];
  if (entry.atomic) --room_[1];  // for its write
  next_ = std::min(next_, owed_);
  owed_ = never;
  next_ = std::min(next_, std::max(now + 1, could_issue(entry)));
  if (!entry.write) next_ = std::min(next_, now + cap_ + 1);  // it may end a drain by then
  return Admission::queued;
}

bool MemoryControllerCore::forwards(const DramRequest& request) const {
  if (arrivals_ == nullptr && !queues_.any_write()) return false;
  const DramRequest* newest = nullptr;
  for (const DramRequest* w = arrivals_; w != nullptr; w = w->next)
    if (w->write && w->bank == request.bank && w->row == request.row && w->column == request.column)
      newest = w;
  if (newest == nullptr) newest = queues_.find_write(request);
  return newest != nullptr && (request.chunks & ~newest->chunks) == 0;
}

DramRequest MemoryControllerCore::alone(const DramRequest& request, Cycle now) const {
  DramRequest told = request;
  const auto bank = static_cast<int>(request.bank);
  const TimingSet& t = timing_set_;
  const auto first = [&](DramCommand command, Cycle from) {
    return std::max(from, timing_.earliest(command, bank));
  };
  const std::int64_t open = queues_.open_row(bank);
  Cycle cas = now + 1;
  told.conflict = open >= 0 && open != request.row;
  told.activated = told.first_command = never;
  if (open != request.row) {
    Cycle activate = now + 1;
    if (told.conflict) {
      told.first_command = first(DramCommand::pre, now + 1);
      activate = told.first_command + static_cast<Cycle>(t.nRP);
    }
    told.activated = first(DramCommand::act, activate);
    cas = told.activated + static_cast<Cycle>(request.write ? t.nRCDWR : t.nRCDRD);
  }
  told.first_cas = first(column_command(request.write), cas);
  if (told.first_command == never) told.first_command = std::min(told.activated, told.first_cas);
  told.accepted = told.first_cas + static_cast<Cycle>((request.bursts - 1) * std::max(t.nBL, t.nCCDL));
  return told;
}

// The first cycle in which an arrival can make a difference. A lower bound: its turn may come later.
Cycle MemoryControllerCore::could_issue(const DramRequest& request) const {
  const int reads = waiting_reads(request.accepted) + arriving_[read];
  const int writes = queues_.size(write) + arriving_[write];
  const bool settled =
      planner_.direction() == read ? reads > 0 && writes < high_ : reads == 0 || writes > low_;
  const bool foreseen = planner_.direction() != direction_ && request.accepted <= undecided_;
  if (!settled || foreseen) return 0;  // the direction may turn, or not turn as planned
  if ((request.write ? write : read) != planner_.direction()) return never;
  const std::int64_t open = queues_.open_row(request.bank);
  const DramCommand command = open == request.row ? column_command(request.write)
                              : open < 0          ? DramCommand::act
                                                  : DramCommand::pre;
  return timing_.earliest(command, request.bank);
}

// The oldest request accepted before `now` that the scheduler has not seen, or null.
DramRequest* MemoryControllerCore::next_arrival(Cycle now) {
  const Cycle arrival = arrivals_ == nullptr ? never : arrivals_->accepted;
  const Cycle turned = turning_ == nullptr ? never : turning_->accepted;
  if (std::min(arrival, turned) >= now) return nullptr;
  DramRequest*& list = arrival <= turned ? arrivals_ : turning_;
  DramRequest* request = list;
  if (&list == &arrivals_) --arriving_[request->write ? 1 : 0];
  list = request->next;
  return request;
}

// Show the scheduler what was accepted before `now`. The direction is decided in every cycle from the queue
// sizes of that cycle; where sizes changed in between, catch up.
void MemoryControllerCore::integrate(Cycle now) {
  while (DramRequest* next = next_arrival(now)) {
    DramRequest& request = *next;
    if (turn_due_ && undecided_ < request.accepted) turn(request.accepted);
    resized(request.accepted);
    queues_.insert(request);
    planner_.arrived(request, now);
  }
}

bool MemoryControllerCore::read_overdue(Cycle now) const {
  if (now - oldest_read_ <= cap_) return false;
  oldest_read_ = now;
  for_each_bank(queues_.waiting_banks(read), [&](int bank) {
    oldest_read_ = std::min(oldest_read_, queues_.oldest(read, bank)->accepted);
  });
  return now - oldest_read_ > cap_;
}

int MemoryControllerCore::next_direction(Cycle now) const {
  const int reads = waiting_reads(now);
  const int writes = queues_.size(write);
  if (direction_ == read) return reads == 0 || (writes >= high_ && !read_overdue(now)) ? write : read;
  return reads > 0 && (writes <= low_ || read_overdue(now)) ? read : write;
}

void MemoryControllerCore::turn(Cycle now) {
  const int to = next_direction(now);
  if (to == write && direction_ == read && waiting_reads(now) > 0) ++stats_.write_drains;
  direction_ = to;
  turn_due_ = false;
}

bool MemoryControllerCore::active_ready(Cycle now) const {
  bool ready = false;
  for_each_bank(queues_.active_banks(), [&](int bank) {
    ready = ready || timing_.earliest(column_command(queues_.active(bank)->write), bank) <= now;
  });
  return ready;
}

int MemoryControllerCore::advance(Cycle now, std::array<IssuedCommand, 2>& out) {
  if (reading_ahead_ && go_on_ahead(now)) return 0;
  if (ahead_ != nullptr && !ahead_->bus_free(now)) {  // taken by a read that was planned
    next_ = now + 1;
    return 0;
  }
  if (planned_until_ != 0 && planned_until_ <= now) {
    resized(planned_until_ - 1);
    planned_until_ = 0;
  }
  if (arrivals_ != nullptr || turning_ != nullptr) integrate(now);
  if (refresh_.due() <= now && !planner_.claiming() && (refresh_wanted() || refresh_.last_chance() <= now)) {
    making_up_ = making_up_ || refresh_.last_chance() <= now;
    planner_.claim(refresh_.banks(), refresh_.by_bank() ? DramCommand::refpb : DramCommand::refab,
                   refresh_.bank());
  }
  // The queue sizes stay as they are, but a read has become overdue: decide anew.
  if (direction_ == write && !turn_due_ && queues_.size(read) > 0 && read_overdue(now)) resized(now - 1);
  // On a single bus a step of a refresh, or an activated request, that is ready goes first, and the direction
  // is not even looked at.
  const bool refresh_first = !dual_ && planner_.refresh_from(now) <= now;
  if (turn_due_ && !dual_ && undecided_ + 1 == now && (refresh_first || active_ready(now))) {
    undecided_ = now;
  } else if (turn_due_) {
    turn(now);
  }
  planner_.plan(direction_, now);

  int count = 0;
  if (!refresh_first && planner_.column().at <= now) {
    out[static_cast<std::size_t>(count++)] = issue_column(now);
    if (dual_) {  // the row command bus looks at the queues after the column command
      if (turn_due_) turn(now);
      planner_.plan(direction_, now);
    }
  }
  if (dual_ || count == 0) {
    if (planner_.refresh().at <= now) {
      out[static_cast<std::size_t>(count++)] = issue_refresh(now);
    } else if (planner_.row().at <= now) {
      out[static_cast<std::size_t>(count++)] = issue_row(now);
    }
  }
  book_next(now);
  return count;
}

// A refresh that is due need not be postponed: nobody waits for its banks, or postponed ones are made up for.
bool MemoryControllerCore::refresh_wanted() const {
  return making_up_ || (refresh_.banks() & (queues_.waiting_banks(read) | queues_.waiting_banks(write))) == 0;
}

void MemoryControllerCore::book_next(Cycle now) {
  if (ahead_ != nullptr && may_begin_ahead(now)) return begin_ahead(now);
  planner_.plan(turn_due_ ? next_direction(now + 1) : direction_, now + 1);
  next_ = planner_.next();
  if (refresh_.enabled()) {
    const Cycle claim = refresh_wanted() ? refresh_.due() : refresh_.last_chance();
    if (!planner_.claiming()) next_ = std::min(next_, std::max(now + 1, claim));
    owed_ = never;
    if (idle()) std::swap(owed_, next_);
  }
  if (planner_.direction() == write && queues_.size(read) > 0)
    next_ = std::min(next_, std::max(now, oldest_read_ + cap_) + 1);  // that read may end the drain
  if (turning_ != nullptr) next_ = std::min(next_, std::max(now, turning_->accepted) + 1);
  if (planned_until_ != 0) next_ = std::min(next_, std::max(now + 1, planned_until_));
  for (const DramRequest* late = arrivals_; late != nullptr; late = late->next)
    next_ = std::min(next_, std::max(late->accepted + 1, could_issue(*late)));
}

// The queue sizes have changed in `now`.
void MemoryControllerCore::resized(Cycle now) {
  turn_due_ = true;
  undecided_ = now;
}

IssuedCommand MemoryControllerCore::issue_row(Cycle now) {
  const Candidate choice = planner_.row();
  const int bank = choice.bank;
  if (queues_.open_row(bank) >= 0) return precharge(bank, choice.key == never, now);
  DramRequest& request = *queues_.oldest(planner_.direction(), bank);
  start(request, DramCommand::act, now, stats_);
  ++stats_.activates;
  request.activated = now;
  judge_policy(request);
  queues_.activate(request);
  ++room_[request.write ? 1 : 0];
  resized(now);
  timing_.issue(DramCommand::act, bank, now);
  planner_.activated(bank, now);
  return {DramCommand::act, bank, request.row, -1, &request, false};
}

// A row that the page policy closed and that is wanted again was closed too early.
void MemoryControllerCore::judge_policy(const DramRequest& opened) {
  std::int64_t& closed = closed_row_[opened.bank];
  if (closed == opened.row) {
    ++stats_.policy_reopened;
    if (adaptive_) planner_.closed_too_early(opened.bank);
  }
  closed = -1;
}

IssuedCommand MemoryControllerCore::issue_refresh(Cycle now) {
  const int open = planner_.refresh().bank;
  if (open >= 0) {
    ++stats_.refresh_precharges;
    closed_row_[static_cast<std::size_t>(open)] = -1;
    return close_row(open, nullptr, queues_.open_row(open), now);
  }
  const int bank = refresh_.bank();
  const DramCommand command = refresh_.by_bank() ? DramCommand::refpb : DramCommand::refab;
  ++stats_.refreshes;
  stats_.refresh_delay += now - refresh_.due();
  timing_.issue(command, bank, now);
  refresh_.done();
  making_up_ = making_up_ && refresh_.due() <= now + 1;
  planner_.release();
  return {command, bank, -1, -1, nullptr, false};
}

IssuedCommand MemoryControllerCore::precharge(int bank, bool by_policy, Cycle now) {
  std::int64_t& closed = closed_row_[static_cast<std::size_t>(bank)];
  if (by_policy) {
    ++stats_.policy_precharges;
    closed = queues_.open_row(bank);
    return close_row(bank, nullptr, closed, now);
  }
  DramRequest* request = queues_.oldest(planner_.direction(), bank);
  start(*request, DramCommand::pre, now, stats_);
  if (queues_.oldest_hit(planner_.direction(), bank) != nullptr) {
    ++stats_.starved;
  } else if (adaptive_) {
    planner_.closed_too_late(bank);
  }
  closed = -1;
  return close_row(bank, request, request->row, now);
}

IssuedCommand MemoryControllerCore::close_row(int bank, DramRequest* request, std::int64_t row, Cycle now) {
  ++stats_.precharges;
  queues_.precharge(bank);
  timing_.issue(DramCommand::pre, bank, now);
  planner_.precharged(bank, now);
  return {DramCommand::pre, bank, row, -1, request, false};
}

IssuedCommand MemoryControllerCore::issue_column(Cycle now) {
  const int bank = planner_.column().bank;
  const bool active = planner_.column_is_active();
  DramRequest& request = active ? *queues_.active(bank) : *queues_.oldest_hit(planner_.direction(), bank);
  const DramCommand command = column_command(request.write);
  start(request, command, now, stats_);
  ++stats_.bursts;
  if (request.first_cas == never) {
    request.first_cas = now;
    (request.write ? stats_.write_wait : stats_.read_wait) += now - request.accepted;
  }
  IssuedCommand issued{command, bank, request.row, request.column + request.issued, &request, false};
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
    ++room_[request.write ? 1 : 0];
    resized(now);
  }
  ++(request.write ? stats_.writes_finished : stats_.reads_finished);
  if (!request.write) stats_.read_latency.add(now + read_latency_ - request.accepted);
  if (request.atomic && !request.write) turn_into_write(request, now);
  release(request);
}

// The second half of an atomic: a write of the same line, accepted when the data has been read. Its entry in
// the write queue was set aside with its first half.
void MemoryControllerCore::turn_into_write(const DramRequest& atomic, Cycle now) {
  DramRequest& entry = fresh(atomic);
  entry.write = true;
  entry.owner = nullptr;
  entry.accepted = now + read_latency_;
  entry.previous = nullptr;
  (turning_ == nullptr ? turning_ : last_turning_->next) = &entry;
  last_turning_ = &entry;
}

const DramRequest* MemoryControllerCore::oldest() const {
  const DramRequest* found = nullptr;
  const auto consider = [&](const DramRequest* request) {
    if (request != nullptr && (found == nullptr || request->accepted < found->accepted)) found = request;
  };
  for_each_bank(queues_.active_banks(), [&](int bank) { consider(queues_.active(bank)); });
  for (const int direction : {read, write})
    for_each_bank(queues_.waiting_banks(direction),
                  [&](int bank) { consider(queues_.oldest(direction, bank)); });
  consider(arrivals_);
  consider(turning_);
  return found;
}

}  // namespace strata
