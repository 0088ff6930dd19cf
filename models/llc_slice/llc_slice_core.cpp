#include "models/llc_slice/llc_slice_core.h"

namespace strata {
namespace {

bool writes(const Access& access) {
  return access.access_class == AccessClass::store || access.access_class == AccessClass::atomic;
}

bool belongs(unsigned application, ApplicationSet whose) {
  return (whose & only_application(static_cast<int>(application_place(application)))) != 0;
}

bool belongs(const TagEntry& entry, ApplicationSet whose) {
  return belongs(entry.owner(), whose);
}

}  // namespace

LlcSliceCore::LlcSliceCore(const LlcSliceParams& params, const AddressMap& map, std::uint64_t seed)
    : params_(params),
      map_(map),
      write_through_(params.write == LlcSliceParams::Write::through ? every_application : 0),
      line_bits_(__builtin_ctzll(params.line)),
      line_chunks_(static_cast<std::uint8_t>((1U << (params.line / chunk_bytes)) - 1)),
      index_(params.sets(), params.set_index, map),
      tags_(params.sets(), params.ways, params.replacement, seed),
      mshrs_(params.mshrs, params.merges) {}

inline LlcApplicationCounts& LlcSliceCore::count(const Access& access) {
  ++stats_.accesses;
  ++(access.access_class == AccessClass::store    ? stats_.writes
     : access.access_class == AccessClass::atomic ? stats_.atomics
                                                  : stats_.reads);
  LlcApplicationCounts& mine = counts_[application_place(access.application)];
  ++mine.accesses;
  return mine;
}

inline LlcDecision LlcSliceCore::hit(Access& access, std::uint32_t set, int position) {
  const bool write = writes(access);
  if (write && through(access) && !write_room()) return {LlcOutcome::stall, LlcStall::write_queue};
  TagEntry& entry = tags_.hit(set, position);
  entry.set_owner(access.application);
  ++count(access).hits;
  ++stats_.hits;
  if (!write) {
    ++stats_.read_hits;
    if (access.access_class == AccessClass::read_only_load) entry.set_read_only(true);
    return {LlcOutcome::hit};
  }
  if (entry.read_only()) {
    entry.set_read_only(false);
    note_read_only_store(access);
  }
  ++(access.access_class == AccessClass::store ? stats_.write_hits : stats_.atomic_hits);
  if (!through(access)) {
    entry.set_dirty(true);
    return {LlcOutcome::hit};
  }
  ++stats_.write_throughs;
  return {LlcOutcome::hit, LlcStall::none, MshrFile::none,
          queue_write(access.line, access.chunks, access.application)};
}

LlcDecision LlcSliceCore::begin_in(std::uint32_t set, Access& access, bool reply_room) {
  const std::uint64_t number = access.line >> line_bits_;
  const int position = tags_.find(set, number);
  if (position == TagArray::absent) return miss(access, number, set, reply_room);
  if (!reply_room) return {LlcOutcome::stall, LlcStall::reply_queue};
  return hit(access, set, position);
}

LlcDecision LlcSliceCore::miss(Access& access, std::uint64_t number, std::uint32_t set, bool reply_room) {
  const bool store = access.access_class == AccessClass::store;
  const int pending = mshrs_.find(number);
  if (store && through(access)) {  // the fetch under way, if any, was asked for first and takes the bytes in
    if (!reply_room) return {LlcOutcome::stall, LlcStall::reply_queue};
    if (!write_room()) return {LlcOutcome::stall, LlcStall::write_queue};
    ++count(access).misses;
    ++stats_.misses;
    ++stats_.write_arounds;
    ++stats_.write_throughs;
    return {LlcOutcome::done, LlcStall::none, MshrFile::none,
            queue_write(access.line, access.chunks, access.application)};
  }
  if (pending != MshrFile::none) {
    if (!mshrs_.can_merge(pending)) return {LlcOutcome::stall, LlcStall::merge_limit};
    mshrs_.merge(pending, access);
    count(access);
    ++stats_.merges;
    return {LlcOutcome::miss_merged, LlcStall::none, pending};
  }
  if (store && access.chunks == line_chunks_) {
    if (!reply_room) return {LlcOutcome::stall, LlcStall::reply_queue};
    if (tags_.entry(set, tags_.victim(set)).dirty() && !write_room())
      return {LlcOutcome::stall, LlcStall::write_queue};
    ++count(access).misses;
    ++stats_.misses;
    ++stats_.write_allocations;
    return {LlcOutcome::done, LlcStall::none, MshrFile::none,
            install(set, TagEntry(number, access.application, true))};
  }
  if (mshrs_.full()) return {LlcOutcome::stall, LlcStall::mshr_full};
  ++count(access).misses;
  ++stats_.misses;
  ++stats_.fetches;
  if (!writes(access)) ++stats_.read_misses;
  return {LlcOutcome::miss_new, LlcStall::none, mshrs_.allocate(number, access, set)};
}

LlcApplicationCounts LlcSliceCore::counted(ApplicationSet whose) const {
  LlcApplicationCounts sum;
  for (unsigned a = 0; a < max_applications; ++a)
    if (belongs(a, whose)) {
      sum.accesses += counts_[a].accesses;
      sum.hits += counts_[a].hits;
      sum.misses += counts_[a].misses;
    }
  return sum;
}

int LlcSliceCore::fetches(ApplicationSet whose) const {
  return mshrs_.count([whose](const Access& first) { return belongs(first.application, whose); });
}

void LlcSliceCore::reset_stats() {
  stats_ = {};
  counts_ = {};
}

MemoryWrite LlcSliceCore::install(std::uint32_t set, TagEntry entry) {
  const TagEntry evicted = tags_.insert(set, entry);
  if (!evicted.valid()) return {};
  ++stats_.evictions;
  if (!evicted.dirty()) return {};
  ++stats_.dirty_evictions;
  return queue_write(evicted.number() << line_bits_, line_chunks_, evicted.owner());
}

MemoryWrite LlcSliceCore::queue_write(Address line, std::uint8_t chunks, unsigned application) {
  ++writes_queued_;
  ++stats_.memory_writes;
  return {line, chunks, static_cast<std::uint8_t>(application)};
}

bool LlcSliceCore::has_atomic(const AccessFifo& waiters) const {
  AccessFifo rest = waiters;
  if (rest.empty()) return false;
  for (const Access* waiter = &rest.front(); waiter != nullptr; waiter = waiter->next)
    if (waiter->access_class == AccessClass::atomic) return true;
  return false;
}

bool LlcSliceCore::can_fill(int mshr) const {
  const std::uint32_t set = mshrs_.set(mshr);
  int needed = tags_.entry(set, tags_.victim(set)).dirty() ? 1 : 0;
  const AccessFifo waiters = mshrs_.waiters(mshr);
  if (write_through_ != 0 && has_atomic(waiters) && through(waiters.front())) ++needed;
  return writes_queued_ + needed <= params_.write_queue;
}

LlcFilled LlcSliceCore::fill(int mshr, Cycle) {
  LlcFilled filled;
  const std::uint64_t number = mshrs_.number(mshr);
  const std::uint32_t set = mshrs_.set(mshr);
  filled.waiters = mshrs_.release(mshr);
  bool dirty = false;
  bool read_only = false;
  std::uint8_t owner = 0;
  std::uint8_t changed = 0;
  const Access& asked = filled.waiters.front();  // all waiters are of one application: no two share a line
  const bool passes = through(asked);
  for (const Access* waiter = &filled.waiters.front(); waiter != nullptr; waiter = waiter->next) {
    owner = waiter->application;
    if (waiter->access_class == AccessClass::read_only_load) read_only = true;
    if (!writes(*waiter)) continue;
    dirty = true;
    changed |= waiter->chunks;
  }
  ++stats_.fills;
  if (read_only && dirty) {
    read_only = false;
    note_read_only_store(asked);
  }
  TagEntry entry(number, owner, dirty && !passes);
  entry.set_read_only(read_only);
  filled.victim = install(set, entry);
  if (dirty && passes) {
    ++stats_.write_throughs;
    filled.through = queue_write(number << line_bits_, changed, owner);
  }
  return filled;
}

bool LlcSliceCore::take_read_only_store(Address& line) {
  if (!read_only_stored_) return false;
  read_only_stored_ = false;
  line = read_only_line_;
  return true;
}

// Where lines have no replicas, a line may well be read-only in one kernel and written by the next.
void LlcSliceCore::note_read_only_store(const Access& access) {
  const int application = static_cast<int>(application_place(access.application));
  if ((replicating_ & only_application(application)) == 0) return;
  ++stats_.read_only_stores;
  read_only_stored_ = true;
  read_only_line_ = access.line;
}

bool LlcSliceCore::is_replica(const TagEntry& entry) const {
  const Location home = map_.locate(entry.number() << line_bits_);
  return home.channel * map_.slices_per_channel() + home.slice != own_slice_;
}

// What a slice holds beside its own lines. Its own may be written by the next kernel: they are ordinary
// lines.
void LlcSliceCore::drop_replicas(ApplicationSet whose) {
  stats_.flushed_lines += tags_.drop([&](TagEntry& entry) {
    if (!belongs(entry, whose)) return false;
    if (entry.read_only() && is_replica(entry)) return true;
    entry.set_read_only(false);
    return false;
  });
}

void LlcSliceCore::forget_read_only(ApplicationSet whose) {
  tags_.drop([&](TagEntry& entry) {
    if (belongs(entry, whose)) entry.set_read_only(false);
    return false;
  });
}

void LlcSliceCore::drop(ApplicationSet whose) {
  stats_.flushed_lines += tags_.drop([&](const TagEntry& entry) { return belongs(entry, whose); });
}

bool LlcSliceCore::flush_step(LlcFlush what, ApplicationSet whose, MemoryWrite& write) {
  if (what == LlcFlush::replicas) {
    ++stats_.flushes;
    drop_replicas(whose);
    return false;
  }
  for (; flush_set_ < tags_.sets(); ++flush_set_) {
    WayMask dirty = 0;
    for (int way = 0; way < tags_.ways(); ++way) {
      const TagEntry& entry = tags_.entry(flush_set_, way);
      if (entry.dirty() && belongs(entry, whose)) dirty |= only_way(way);
    }
    if (dirty == 0) continue;
    TagEntry& entry = tags_.entry(flush_set_, tags_.keeper(flush_set_, dirty));
    entry.set_dirty(false);
    ++stats_.flush_writes;
    write = queue_write(entry.number() << line_bits_, line_chunks_, entry.owner());
    return true;
  }
  flush_set_ = 0;
  if (what == LlcFlush::none) {
    ++stats_.write_backs;
    return false;
  }
  ++stats_.flushes;
  drop(whose);
  return false;
}

void LlcSliceCore::count_stall(LlcStall reason, Cycle cycles) {
  stats_.stall_cycles += cycles;
  if (reason == LlcStall::mshr_full) ++stats_.mshr_full_stalls;
  if (reason == LlcStall::merge_limit) ++stats_.merge_limit_stalls;
  if (reason == LlcStall::write_queue) ++stats_.write_queue_stalls;
  if (reason == LlcStall::reply_queue) ++stats_.reply_queue_stalls;
}

bool LlcSliceCore::contains(Address line) const {
  return tags_.find(index_(line), line >> line_bits_) != TagArray::absent;
}

bool LlcSliceCore::dirty(Address line) const {
  const std::uint32_t set = index_(line);
  const int position = tags_.find(set, line >> line_bits_);
  return position != TagArray::absent && tags_.entry(set, position).dirty();
}

std::uint64_t LlcSliceCore::dirty_lines(ApplicationSet whose) const {
  return tags_.count([&](const TagEntry& entry) { return entry.dirty() && belongs(entry, whose); });
}

}  // namespace strata
