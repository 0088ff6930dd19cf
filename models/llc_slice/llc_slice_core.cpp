#include "models/llc_slice/llc_slice_core.h"

#include <algorithm>

namespace strata {
namespace {

bool has_atomic(const AccessFifo& waiters) {
  if (waiters.empty()) return false;
  for (const Access* waiter = &waiters.front(); waiter != nullptr; waiter = waiter->next)
    if (waiter->access_class == AccessClass::atomic) return true;
  return false;
}

}  // namespace

LlcSliceCore::LlcSliceCore(const LlcSliceParams& params, const AddressMap& map, std::uint64_t seed)
    : line_bits_(static_cast<std::uint8_t>(__builtin_ctzll(params.line))),
      sector_in_line_(static_cast<std::uint8_t>(params.line / sector_bytes - 1)),
      whole_(FillUnits(params.line, params.sector).in_line() == 1 &&
             params.allocation == Allocation::on_fill && params.mshr_sectors == 0),
      tags_(params.sets(), params.ways, params.allocation, params.replacement, seed),
      index_(params.sets(), params.set_index, map),
      units_(params.line, params.sector),
      params_(params),
      map_(map),
      mshrs_(params.mshrs, params.merges),
      limit_(params.mshr_sectors),
      write_through_(params.write == LlcSliceParams::Write::through ? every_application : 0) {
  stats_.by_sector = !whole_;
  stats_.by_lanes = params.atomic_lanes_per_cycle != 0;
  stats_.prefetch.reported = params.prefetches();
}

inline LlcApplicationCounts& LlcSliceCore::count(const Access& access, std::uint8_t asked) {
  stats_.count_request(access.access_class);
  if (access.prefetch) ++stats_.prefetch_reads;
  if (!whole_) stats_.asked_sectors += units_.count(units_.touched(asked));
  LlcApplicationCounts& mine = counts_[application_place(access.application)];
  ++mine.accesses;
  return mine;
}

// The access has found the tag of its line.
inline TagEntry& LlcSliceCore::use(const LlcFound& found, const Access& access) {
  if (line_watch_ != nullptr) line_watch_->used(found.set, found.way, access);
  return tags_.hit(found.set, found.way, &access);
}

inline void LlcSliceCore::hit_load(Access& access, const LlcFound& found) {
  TagEntry& entry = use(found, access);
  entry.set_owner(access.application);
  if (access.access_class == AccessClass::read_only_load) entry.set_read_only(true);
  LlcApplicationCounts& mine = counts_[application_place(access.application)];
  ++mine.accesses;
  ++mine.hits;
  stats_.count_request(AccessClass::load);
  if (access.prefetch) ++stats_.prefetch_reads;
  stats_.count_hit(AccessClass::load);
  if (!whole_) stats_.asked_sectors += units_.count(units_.touched(found.asked));
}

// Of a store, by the rule of Nsight Compute's lts__t_sectors_op_write_lookup_hit: `fetched` sectors are not
// here and the store does not bring them, or does not allocate them.
inline void LlcSliceCore::count_store(const LlcFound& found, std::uint8_t fetched) {
  stats_.store_sectors += FillUnits::sectors_in(found.asked);
  stats_.store_hit_sectors += FillUnits::sectors_in(static_cast<std::uint8_t>(found.asked & ~fetched));
}

inline void LlcSliceCore::count_miss(const Access& access, const LlcFound& found) {
  ++count(access, found.asked).misses;
  ++stats_.misses;
  if (found.way != TagArray::absent) ++stats_.sector_misses;
  if (line_watch_ != nullptr) line_watch_->missed(access);
}

// A line that is here is written.
inline void LlcSliceCore::change(const LlcFound& found, const Access& access) {
  TagEntry& entry = tags_.entry(found.set, found.way);
  if (entry.read_only()) {
    entry.set_read_only(false);
    note_read_only_store(access);
  }
  if (through(access)) return;
  entry.set_dirty(true);
  tags_.state(found.set, found.way).dirty |= units_.touched(found.asked);
}

inline LlcDecision LlcSliceCore::hit(Access& access, const LlcFound& found) {
  const bool write = carries_request_data(access.access_class);
  if (write && through(access) && !write_room()) return {LlcOutcome::stall, LlcStall::write_queue};
  if (!write) {
    hit_load(access, found);
    return {LlcOutcome::hit};
  }
  use(found, access).set_owner(access.application);
  ++count(access, found.asked).hits;
  stats_.count_hit(access.access_class);
  change(found, access);
  if (access.access_class == AccessClass::store) count_store(found, 0);
  if (!through(access)) return {LlcOutcome::hit};
  ++stats_.write_throughs;
  return {LlcOutcome::hit, LlcStall::none, MshrFile::none,
          queue_write(found.number << line_bits_, found.asked, access.application)};
}

LlcDecision LlcSliceCore::begin(Access& access, Cycle, bool reply_room) {
  const std::uint64_t number = access.line >> line_bits_;
  const std::uint32_t set = index_(access.line);
  const int way = tags_.find(set, number);
  if (way == TagArray::absent || !whole_ || carries_request_data(access.access_class))
    return look(access, number, set, way, reply_room);
  if (!reply_room) return {LlcOutcome::stall, LlcStall::reply_queue};
  hit_load(access, {number, set, way, 0, 0});  // nothing of it is missing, whatever it asks for
  return {LlcOutcome::hit};
}

// What is no load that finds its whole line.
LlcDecision LlcSliceCore::look(Access& access, std::uint64_t number, std::uint32_t set, int way,
                               bool reply_room) {
  LlcFound found{number, set, way, asked_by(access), 0};
  found.missing = units_.touched(found.asked);
  if (way == TagArray::absent) return miss(access, found, reply_room);
  if (!whole_) {
    found.missing &= static_cast<std::uint8_t>(~tags_.state(set, way).valid);
    if (found.missing != 0) return miss(access, found, reply_room);
  }
  if (!reply_room) return {LlcOutcome::stall, LlcStall::reply_queue};
  return hit(access, found);
}

LlcDecision LlcSliceCore::write_around(Access& access, const LlcFound& found) {
  if (!write_room()) return {LlcOutcome::stall, LlcStall::write_queue};
  count_miss(access, found);
  count_store(found, found.missing);
  if (!whole_) stats_.missed_sectors += units_.count(found.missing);
  ++stats_.write_arounds;
  ++stats_.write_throughs;
  return {LlcOutcome::done, LlcStall::none, MshrFile::none,
          queue_write(found.number << line_bits_, found.asked, access.application)};
}

// A store that brings all of the sectors that are missing.
LlcDecision LlcSliceCore::write_sectors(Access& access, const LlcFound& found) {
  const std::uint8_t sectors = units_.touched(found.asked);
  LlcDecision done{LlcOutcome::done};
  if (found.way == TagArray::absent) {
    const int way = tags_.victim_way(found.set);
    if (way == SectoredTags::no_victim) return {LlcOutcome::stall, LlcStall::set_full};
    if (tags_.entry(found.set, way).dirty() && !write_room())
      return {LlcOutcome::stall, LlcStall::write_queue};
    done.write =
        install(found.set, way, TagEntry(found.number, access.application, true), {sectors, sectors}, access);
  } else {
    use(found, access).set_owner(access.application);
    tags_.state(found.set, found.way).valid |= sectors;
    change(found, access);
  }
  count_miss(access, found);
  count_store(found, 0);
  if (!whole_) stats_.missed_sectors += units_.count(found.missing);
  ++stats_.write_allocations;
  return done;
}

// The way of a line that is allocated with its miss, and what it writes back.
LlcDecision LlcSliceCore::reserve(const Access& access, const LlcFound& found) {
  LlcDecision decision{LlcOutcome::miss_new};
  int way = found.way;
  if (tags_.on_miss() && way == TagArray::absent) {
    way = tags_.victim_way(found.set);
    if (way == SectoredTags::no_victim) return {LlcOutcome::stall, LlcStall::set_full};
    if (tags_.entry(found.set, way).dirty() && !write_room())
      return {LlcOutcome::stall, LlcStall::write_queue};
    decision.write = install(found.set, way, TagEntry(found.number, access.application, false), {}, access);
  }
  if (way != TagArray::absent) tags_.reserve(found.set, way);
  return decision;
}

// The access takes its place in an MSHR: one of its own, or `pending`. `fresh`: what it is the first to wait
// for.
[[gnu::always_inline]] inline LlcDecision LlcSliceCore::begin_fetch(Access& access, const LlcFound& found,
                                                                    std::uint8_t sectors, int pending,
                                                                    std::uint8_t& fresh) {
  if (!whole_ && !limit_.allows(units_.count(sectors))) return {LlcOutcome::stall, LlcStall::mshr_full};
  LlcDecision decision{LlcOutcome::miss_new};
  decision.mshr = pending;
  decision.sectors = sectors;
  if (pending == MshrFile::none) {
    if (mshrs_.full()) return {LlcOutcome::stall, LlcStall::mshr_full};
    if (!whole_) {
      const LlcDecision reserved = reserve(access, found);
      if (reserved.outcome == LlcOutcome::stall) return reserved;
      decision.write = reserved.write;
    }
    decision.mshr = mshrs_.allocate(found.number, access, found.set);
  } else {
    mshrs_.merge(pending, access);
  }
  // It waits for what is fetched for it and for what is under way, and brings the rest itself.
  fresh = mshrs_.issue(decision.mshr, found.missing);
  const unsigned own = fresh & ~unsigned{sectors};
  access.tag = static_cast<std::uint16_t>(own << 8 | (found.missing & ~own));
  if (!whole_) {
    if (found.way != TagArray::absent) use(found, access);
    const unsigned sent = units_.count(sectors);
    limit_.sent(sent);
    stats_.fetched_sectors += sent;
    stats_.missed_sectors += units_.count(fresh);
  }
  return decision;
}

// The access waits, for `sectors` to fetch or for those that are under way.
[[gnu::always_inline]] inline LlcDecision LlcSliceCore::fetch(Access& access, const LlcFound& found,
                                                              std::uint8_t sectors, int pending) {
  std::uint8_t fresh = 0;
  LlcDecision decision = begin_fetch(access, found, sectors, pending, fresh);
  if (decision.outcome == LlcOutcome::stall) return decision;
  if (access.access_class == AccessClass::store)
    count_store(found, static_cast<std::uint8_t>(found.missing & ~units_.covered(found.asked)));
  if (sectors == 0) {
    count(access, found.asked);
    stats_.count_merge(access.access_class);
    decision.outcome = LlcOutcome::miss_merged;
    return decision;
  }
  count_miss(access, found);
  stats_.count_fetch(access.access_class);
  return decision;
}

LlcDecision LlcSliceCore::begin_prefetch(Access& access) {
  LlcFound found{access.line >> line_bits_, index_(access.line), 0, asked_by(access), 0};
  found.way = tags_.find(found.set, found.number);
  found.missing = units_.touched(found.asked);
  if (found.way != TagArray::absent)
    found.missing &= static_cast<std::uint8_t>(~tags_.state(found.set, found.way).valid);
  std::uint8_t fresh = 0;
  const LlcDecision decision = begin_fetch(access, found, found.missing, MshrFile::none, fresh);
  if (decision.outcome == LlcOutcome::stall) return decision;
  ++stats_.fetches;
  if (!whole_) stats_.asked_sectors += units_.count(units_.touched(found.asked));
  if (found.way != TagArray::absent) ++stats_.sector_misses;
  return decision;
}

Address LlcSliceCore::victim(Address line) const {
  const std::uint32_t set = index_(line);
  if (tags_.find(set, line >> line_bits_) != TagArray::absent) return no_line;
  const int way = tags_.victim_way(set);
  if (way == SectoredTags::no_victim || !tags_.entry(set, way).valid()) return no_line;
  return tags_.entry(set, way).number() << line_bits_;
}

LlcDecision LlcSliceCore::miss(Access& access, const LlcFound& found, bool reply_room) {
  const bool store = access.access_class == AccessClass::store;
  const int pending = mshrs_.find(found.number);
  const std::uint8_t issued = pending == MshrFile::none ? std::uint8_t{0} : mshrs_.under_way(pending);
  const std::uint8_t given = store ? units_.covered(found.asked) : std::uint8_t{0};  // needs no fetch
  const bool around = store && through(access);  // what is under way, if any, takes the bytes in
  if (around || (found.missing & (~given | issued)) == 0) {
    if (!reply_room) return {LlcOutcome::stall, LlcStall::reply_queue};
    return around ? write_around(access, found) : write_sectors(access, found);
  }
  if (pending != MshrFile::none && !can_merge(pending, found.missing))
    return {LlcOutcome::stall, LlcStall::merge_limit};
  return fetch(access, found, static_cast<std::uint8_t>(found.missing & ~(given | issued)), pending);
}

Cycle LlcSliceCore::execute(const Access& atomic) {
  if (params_.atomic_lanes_per_cycle == 0) return 1;
  const auto at_once = static_cast<unsigned>(params_.atomic_lanes_per_cycle);
  const unsigned lanes = std::max(1U, atomic.lanes.sum(atomic.sectors));
  const unsigned transactions = (lanes + at_once - 1) / at_once;
  unsigned cycles = transactions;
  // What no access reads is added up before it is added to memory; results are those of one lane after the
  // other.
  if (params_.atomic_same_address != 0 && !atomic.reduces) {
    const auto together = static_cast<unsigned>(params_.atomic_same_address);
    cycles = std::max(cycles, (atomic.lanes.most_same(atomic.sectors) + together - 1) / together);
  }
  stats_.reductions += atomic.reduces ? 1 : 0;
  stats_.atomic_lanes += lanes;
  stats_.atomic_transactions += transactions;
  stats_.atomic_conflict_cycles += cycles - transactions;
  return static_cast<Cycle>(cycles);
}

int LlcSliceCore::fetches(ApplicationSet whose) const {
  return mshrs_.count([whose](const Access& first) { return belongs(first.application, whose); });
}

void LlcSliceCore::reset_stats() {
  const bool by_sector = stats_.by_sector, by_lanes = stats_.by_lanes;
  const PrefetchStats prefetch = stats_.prefetch;
  stats_ = {};
  stats_.prefetch = prefetch;
  stats_.prefetch.reset();
  stats_.by_sector = by_sector;
  stats_.by_lanes = by_lanes;
  counts_ = {};
}

MemoryWrite LlcSliceCore::install(std::uint32_t set, int way, TagEntry entry, LineState state,
                                  const Access& by) {
  if (line_watch_ != nullptr) line_watch_->placed(set, way, by);
  const auto [evicted, left] = tags_.install(set, way, entry, state, &by);
  if (!evicted.valid()) return {};
  ++stats_.evictions;
  if (!evicted.dirty()) return {};
  ++stats_.dirty_evictions;
  return write_back(evicted, left);
}

MemoryWrite LlcSliceCore::write_back(const TagEntry& entry, const LineState& state) {
  stats_.written_sectors += units_.count(state.dirty);
  return queue_write(entry.number() << line_bits_, state.dirty, entry.owner());
}

MemoryWrite LlcSliceCore::queue_write(Address line, std::uint8_t sectors, unsigned application) {
  ++writes_queued_;
  ++stats_.memory_writes;
  return {line, sectors, static_cast<std::uint8_t>(application)};
}

bool LlcSliceCore::can_fill(int mshr) const {
  const std::uint32_t set = mshrs_.set(mshr);
  int needed = 0;
  if (!tags_.on_miss() && tags_.entry(set, tags_.victim(set)).dirty() &&
      (whole_ || tags_.find(set, mshrs_.number(mshr)) == TagArray::absent))
    ++needed;
  const AccessFifo& waiters = mshrs_.waiters(mshr);
  if (write_through_ != 0 && has_atomic(waiters) && through(waiters.front())) ++needed;
  return writes_queued_ + needed <= params_.write_queue;
}

// The last sectors under way are here.
[[gnu::always_inline]] inline LlcServed LlcSliceCore::serve_all(int mshr, std::uint8_t sectors) {
  LlcServed served;
  served.sectors = sectors;
  served.waiters = mshrs_.take_waiters(mshr);
  for (const Access* waiter = &served.waiters.front(); waiter != nullptr; waiter = waiter->next)
    served.note(*waiter, asked_by(*waiter));
  return served;
}

// Those who have all they wait for leave. A store brings sectors of its own, for which those behind it may
// wait.
LlcServed LlcSliceCore::serve(int mshr, std::uint8_t sectors) {
  LlcServed served;
  served.sectors = sectors;
  AccessFifo waiters = mshrs_.take_waiters(mshr), staying;
  while (!waiters.empty()) {
    Access& waiter = waiters.pop();
    waiter.tag &= static_cast<std::uint16_t>(~unsigned{served.sectors});
    if ((waiter.tag & 0xffU) != 0) {
      staying.push(waiter);
      continue;
    }
    served.sectors |= static_cast<std::uint8_t>(waiter.tag >> 8);
    served.note(waiter, asked_by(waiter));
    served.waiters.push(waiter);
  }
  mshrs_.restore_waiters(mshr, staying);
  return served;
}

LlcFilled LlcSliceCore::fill(int mshr, std::uint8_t sectors) {
  LlcFilled filled;
  const std::uint64_t number = mshrs_.number(mshr);
  const std::uint32_t set = mshrs_.set(mshr);
  const Access& asked = mshrs_.waiters(mshr).front();  // all are of one application: no two share a line
  const LlcServed served =
      sectors == mshrs_.under_way(mshr) ? serve_all(mshr, sectors) : serve(mshr, sectors);
  const bool passes = served.changed != 0 && through(asked);
  filled.waiters = served.waiters;
  if (!whole_) limit_.came(units_.count(sectors));
  ++stats_.fills;
  const int way = whole_ ? TagArray::absent : tags_.find(set, number);
  const bool here = way != TagArray::absent;
  TagEntry entry = here ? tags_.entry(set, way) : TagEntry(number, 0, false);
  entry.set_owner(asked.application);
  if (served.read_only) entry.set_read_only(true);
  if (served.changed != 0 && entry.read_only()) {
    entry.set_read_only(false);
    note_read_only_store(asked);
  }
  // Of sectors that were here when a store came and have gone since, its part is here again.
  LineState state;
  if (served.changed != 0 && !passes) state.dirty = units_.touched(served.changed);
  if (state.dirty != 0) entry.set_dirty(true);
  state.valid = served.sectors | state.dirty;
  if (here) {
    tags_.entry(set, way) = entry;
    tags_.state(set, way).valid |= state.valid;
    tags_.state(set, way).dirty |= state.dirty;
  } else {
    filled.victim = install(set, tags_.victim_way(set), entry, state, asked);
  }
  if (mshrs_.arrive(mshr, served.sectors) == 0) {
    if (here) tags_.unreserve(set, way);
    mshrs_.release(mshr);
  }
  if (!passes) return filled;
  ++stats_.write_throughs;
  filled.through = queue_write(number << line_bits_, served.changed, asked.application);
  return filled;
}

void LlcSliceCore::count_stall(LlcStall reason, Cycle cycles) {
  stats_.stall_cycles += cycles;
  if (reason == LlcStall::mshr_full) ++stats_.mshr_full_stalls;
  if (reason == LlcStall::merge_limit) ++stats_.merge_limit_stalls;
  if (reason == LlcStall::set_full) ++stats_.set_full_stalls;
  if (reason == LlcStall::write_queue) ++stats_.write_queue_stalls;
  if (reason == LlcStall::reply_queue) ++stats_.reply_queue_stalls;
}

bool LlcSliceCore::contains(Address line, std::uint8_t sectors) const {
  const std::uint32_t set = index_(line);
  const int way = tags_.find(set, line >> line_bits_);
  return way != TagArray::absent && (sectors & units_.line() & ~tags_.state(set, way).valid) == 0;
}

bool LlcSliceCore::dirty(Address line) const {
  const std::uint32_t set = index_(line);
  const int position = tags_.find(set, line >> line_bits_);
  return position != TagArray::absent && tags_.entry(set, position).dirty();
}

std::uint64_t LlcSliceCore::dirty_lines(ApplicationSet whose) const {
  return tags_.count([&](const TagEntry& entry) { return entry.dirty() && belongs(entry.owner(), whose); });
}

// ---- flushes, read-only lines, warm lines ----

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
    if (!belongs(entry.owner(), whose)) return false;
    if (entry.read_only() && is_replica(entry)) return true;
    entry.set_read_only(false);
    return false;
  });
}

void LlcSliceCore::forget_read_only(ApplicationSet whose) {
  tags_.drop([&](TagEntry& entry) {
    if (belongs(entry.owner(), whose)) entry.set_read_only(false);
    return false;
  });
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
      if (entry.dirty() && belongs(entry.owner(), whose)) dirty |= only_way(way);
    }
    if (dirty == 0) continue;
    const int way = tags_.last_victim(flush_set_, dirty);
    TagEntry& entry = tags_.entry(flush_set_, way);
    write = write_back(entry, tags_.state(flush_set_, way));
    entry.set_dirty(false);
    tags_.state(flush_set_, way).dirty = 0;
    ++stats_.flush_writes;
    return true;
  }
  flush_set_ = 0;
  if (what == LlcFlush::none) {
    ++stats_.write_backs;
    return false;
  }
  ++stats_.flushes;
  stats_.flushed_lines += tags_.drop([&](const TagEntry& entry) { return belongs(entry.owner(), whose); });
  return false;
}

void LlcSliceCore::drop_all() {
  ++stats_.flushes;
  stats_.flushed_lines += tags_.drop([](const TagEntry&) { return true; });
}

void LlcSliceCore::warm(Address line) {
  const std::uint64_t number = line >> line_bits_;
  if (mshrs_.find(number) != MshrFile::none) return;
  const std::uint32_t set = index_(line);
  const int present = tags_.find(set, number);
  const int way = present == TagArray::absent ? tags_.victim_way(set) : present;
  if (way == SectoredTags::no_victim || (present == TagArray::absent && tags_.entry(set, way).dirty()))
    return;
  if (present != TagArray::absent) {
    tags_.hit(set, way);
    tags_.state(set, way).valid = units_.line();
  } else {
    tags_.install(set, way, TagEntry(number, 0, false), {units_.line(), 0});
  }
}

}  // namespace strata
