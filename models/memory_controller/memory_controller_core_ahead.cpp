// How MemoryControllerCore takes turns with ReadAhead.
#include "models/memory_controller/memory_controller_core.h"

namespace strata {
namespace {

constexpr int read = RequestQueues::read;
constexpr int write = RequestQueues::write;
// Beside waiting writes reads are planned on, but not when a drain is near, which would overtake them; and to
// begin anew takes so many reads that their turn does not end soon.
constexpr int drain_notice = 8;
constexpr int many_reads = 8;

}  // namespace

void MemoryControllerCore::read_ahead(const MemoryControllerParams& params) {
  if (params.refresh != RefreshPolicy::none || params.page_policy != PagePolicy::open) return;
  ahead_ = std::make_unique<ReadAhead>(params, queues_, timing_, stats_);
  reading_ahead_ = true;
}

DramRequest* MemoryControllerCore::admit_ahead(DramRequest& request, Cycle accepted, Cycle now) {
  request.accepted = accepted;
  request.serial = serial_++;
  ++stats_.accepted;
  ++stats_.reads;
  pool_.take(false);
  if (ahead_->plan(request, now)) return nullptr;
  DramRequest& entry = pool_.fresh(request);
  ahead_->wait(entry);
  next_ = std::min(next_, ahead_->next());
  return &entry;
}

// As long as the rules keep the direction to reads.
bool MemoryControllerCore::may_begin_ahead(Cycle now) const {
  const int writes = queues_.size(write);
  // More entries are in use with a write that has just come, or one that is set aside for an atomic.
  if (arrivals_.first_turned() != nullptr || pool_.used(true) != writes) return false;
  for (std::uint64_t banks = queues_.active_banks(); banks != 0; banks &= banks - 1)
    if (queues_.active(__builtin_ctzll(banks))->write) return false;
  return writes == 0 || (writes < drain_.high() - drain_notice && queues_.size(read) >= many_reads &&
                         drain_.coming(now + 1) == read);
}

void MemoryControllerCore::begin_ahead(Cycle now) {
  reading_ahead_ = true;
  drain_.serve_reads();
  while (DramRequest* request = arrivals_.take(never)) queues_.insert(*request);
  drain_.plan_until(0);
  ahead_->begin(now + 1, planned_);
  next_ = next_ahead(now);
}

Cycle MemoryControllerCore::next_ahead(Cycle now) const {
  if (queues_.size(write) == 0 || queues_.size(read) > 0) return ahead_->next();
  return std::min(ahead_->next(), std::max(now, ahead_->last_leave()) + 1);  // then it is the writes' turn
}

// A write that comes while reads go first waits in its queue. False when it is its turn, or when an atomic
// comes.
bool MemoryControllerCore::waits_ahead(DramRequest& entry) {
  const Cycle now = entry.accepted;
  const bool reads = queues_.size(read) > 0 || ahead_->last_leave() > now;
  if (!entry.write || !reads || queues_.size(write) + 1 >= drain_.high() - drain_notice) {
    end_ahead(now, 0);
    return false;
  }
  pool_.take(true);
  queues_.insert(entry);
  next_ = std::min(next_, next_ahead(now));
  return true;
}

// False when writes wait and reads do not any more.
bool MemoryControllerCore::go_on_ahead(Cycle now) {
  if (queues_.size(write) > 0 && queues_.size(read) == 0 && ahead_->last_leave() < now) {
    end_ahead(now, now - 1);
    return false;
  }
  pool_.give_back(false, ahead_->step(now, planned_));
  next_ = next_ahead(now);
  return true;
}

// Go on command by command, with all that is planned taken for issued. The sizes of the queues have changed
// last in `changed`.
void MemoryControllerCore::end_ahead(Cycle now, Cycle changed) {
  reading_ahead_ = false;
  ahead_->end();
  planner_.invalidate();
  drain_.resized(changed);
  drain_.plan_until(ahead_->last_leave() + 1);
  next_ = now + 1;
}

}  // namespace strata
