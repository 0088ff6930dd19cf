#include "models/l1/l1_sectored.h"

#include <string>

#include "models/cache/replacement.h"

namespace strata {

void L1SectoredParams::for_each_param(ParamVisitor& v) {
  L1PrivateParams::for_each_param(v);
  for_each_sector_param(v);
  v.flag({"line_valid", "",
          "Lines of several sectors are counted with a valid bit of their own beside those of their sectors; "
          "runs are the same"},
         line_valid);
}

Faults L1SectoredParams::validate() const {
  Faults faults = L1PrivateParams::validate();
  append_sector_faults(faults, line);
  return faults;
}

void L1SectoredStats::for_each_stat(StatVisitor& v) const {
  L1Stats::for_each_stat(v);
  v.counter({"asked_sectors", "sectors", "sectors that loads through the tags, stores and atomics asked for"},
            asked_sectors);
  v.counter({"missed_sectors", "sectors",
             "of these: fetched by loads, and written by stores and atomics that did not find them"},
            missed_sectors);
  v.counter({"sector_misses", "accesses", "misses that found their line, but not all they asked for"},
            sector_misses);
  v.counter({"fetched_sectors", "sectors", "sectors that misses asked for"}, fetched_sectors);
  v.counter({"set_full_stalls", "accesses",
             "accesses held back because every way of their set was reserved (allocation: on_miss)"},
            set_full_stalls);
  const std::string fetches = "misses" + std::string(prefetch.issued_too());
  v.law(fetches + " >= sector_misses");
  v.law("fetched_sectors >= " + fetches);
  v.law("missed_sectors >= fetched_sectors");
  v.law("asked_sectors >= missed_sectors");
  v.law(fetches + allocations_too() + " >= evictions");
}

L1Sectored::L1Sectored(const L1SectoredParams& params, std::uint64_t seed, L1SectoredStats* stats)
    : CacheDesign(params.mshrs * FillUnits(params.line, params.sector).in_line()),
      index_(params.sets(), params.set_index, params.shared),
      line_bits_(__builtin_ctzll(params.line)),
      units_(params.line, params.sector),
      tags_(params.sets(), params.ways, params.allocation, params.replacement, seed),
      mshrs_(params.mshrs, params.merges),
      limit_(params.mshr_sectors),
      under_way_(static_cast<std::size_t>(params.mshrs)),
      fetches_(under_way_.size() * static_cast<std::size_t>(units_.in_line())),
      stats_(stats == nullptr ? own_stats_ : *stats),
      params_(params),
      carve_out_(params.carve_out, params.size, params.ways) {}

StorageFields L1Sectored::storage(const L1SectoredParams& params) {
  StorageFields fields = L1Private::storage(params);
  const std::uint64_t lines = params.sets() * static_cast<std::uint64_t>(params.ways);
  const auto sectors = static_cast<std::uint64_t>(FillUnits(params.line, params.sector).in_line());
  for (StorageField& field : fields)
    if (field.name == "valid")
      field = {"valid sectors", lines, sectors + (params.line_valid && sectors > 1 ? 1U : 0U)};
  if (params.allocation == Allocation::on_miss) fields.push_back({"reserved", lines, 1});
  fields.push_back({"MSHR: issued and stale sectors", static_cast<std::uint64_t>(params.mshrs), 2 * sectors});
  return fields;
}

inline L1Sectored::Found L1Sectored::find(Address line, std::uint8_t sectors) const {
  const std::uint64_t number = line >> line_bits_;
  const std::uint32_t set = index_(number);
  const int way = tags_.find(set, TagEntry(number, 0, false));
  const std::uint8_t here = way == TagArray::absent ? std::uint8_t{0} : tags_.state(set, way).valid;
  return {number, set, way, units_.touched(sectors & ~unsigned{here})};
}

L1Decision L1Sectored::lookup(Access& access, Cycle, bool room) {
  if (access.access_class == AccessClass::store || access.access_class == AccessClass::atomic ||
      access.bypass_l1)
    return begin_bypass(access, room);
  return begin_load(access, room);
}

[[gnu::always_inline]] inline L1Decision L1Sectored::begin_load(Access& access, bool room) {
  const Found found = find(access.line, access.sectors);
  if (found.missing != 0) return params_.perfect ? L1Decision{L1Outcome::hit} : miss(access, found, room);
  tags_.hit(found.set, found.way, &access);
  stats_.asked_sectors += units_.count(units_.touched(access.sectors));
  return {L1Outcome::hit};
}

bool L1Sectored::hit(Address line, std::uint8_t sectors) {
  if (!tags_.is_lru()) return false;  // the policy sees the access
  const Found found = find(line, sectors);
  if (found.missing != 0) return params_.perfect;
  tags_.hit(found.set, found.way);
  stats_.asked_sectors += units_.count(units_.touched(sectors));
  return true;
}

L1Decision L1Sectored::miss(Access& access, const Found& found, bool room) {
  int mshr = mshrs_.find(found.number);
  const bool joins = mshr != MshrFile::none;
  if (joins && (found.missing & under_way(mshr).stale) != 0) {
    if (found.way != TagArray::absent && (tags_.state(found.set, found.way).dirty & access.sectors) != 0)
      return {L1Outcome::stall, L1Stall::merge_limit};  // the LLC does not have all of it
    // The fetch under way may bring data from before a store of this very warp.
    if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
    ++stats_.ordering_bypasses;
    return {L1Outcome::forward};
  }
  if (joins ? !can_merge(mshr, found.missing) : mshrs_.full())
    return {L1Outcome::stall, joins ? L1Stall::merge_limit : L1Stall::mshr_full};
  const auto wanted =
      static_cast<std::uint8_t>(joins ? found.missing & ~mshrs_.under_way(mshr) : found.missing);
  const bool fetches = wanted != 0;
  if (fetches && !limit_.allows(units_.count(wanted))) return {L1Outcome::stall, L1Stall::mshr_full};
  if (fetches && !room) return {L1Outcome::stall, L1Stall::miss_queue};
  int way = found.way;
  if (fetches && way == TagArray::absent && tags_.on_miss()) {
    way = tags_.victim_way(found.set);
    if (way == SectoredTags::no_victim) return {L1Outcome::stall, L1Stall::set_full};
    install(found.set, way, found.number, 0, &access);
  } else if (way != TagArray::absent) {
    tags_.hit(found.set, way, &access);
  }
  if (joins) {
    mshrs_.merge(mshr, access);
  } else {
    mshr = mshrs_.allocate(found.number, access, found.set);
    under_way(mshr) = {};
  }
  UnderWay& state = under_way(mshr);
  access.tag = found.missing;
  stats_.asked_sectors += units_.count(units_.touched(access.sectors));
  if (!fetches) {
    const int last = fetch_of(mshr, found.missing);
    return {L1Outcome::miss_merged, L1Stall::none, 0, static_cast<std::int16_t>(last)};
  }
  if (way != TagArray::absent) tags_.reserve(found.set, way);
  const std::uint8_t fresh = mshrs_.issue(mshr, found.missing);
  state.last = mshr * units_.in_line() + units_.first(fresh);
  fetched_by(state.last) = fresh;
  ++fetching_;
  if (found.way != TagArray::absent) ++stats_.sector_misses;
  const unsigned sent = units_.count(fresh);
  limit_.sent(sent);
  stats_.fetched_sectors += sent;
  stats_.missed_sectors += sent;
  return {L1Outcome::miss_new, L1Stall::none, fresh, static_cast<std::int16_t>(state.last)};
}

// Of the fetches of a register that bring some of these sectors: the last, if it does, or any.
int L1Sectored::fetch_of(int mshr, std::uint8_t sectors) const {
  const int last = under_way_[static_cast<std::size_t>(mshr)].last;
  if ((fetches_[static_cast<std::size_t>(last)] & sectors) != 0) return last;
  int fetch = mshr * units_.in_line();
  while ((fetches_[static_cast<std::size_t>(fetch)] & sectors) == 0) ++fetch;
  return fetch;
}

L1Decision L1Sectored::begin_bypass(const Access& access, bool room) {
  if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
  const bool store = access.access_class == AccessClass::store;
  const bool writes = store || access.access_class == AccessClass::atomic;
  const Found found = find(access.line, access.sectors);
  const std::uint8_t sectors = units_.touched(access.sectors);
  if (store && found.missing == 0) ++stats_.write_hits;
  if (writes) {
    stats_.asked_sectors += units_.count(sectors);
    stats_.missed_sectors += units_.count(found.missing);
  }
  if (store && params_.write == L1PrivateParams::Write::through) {
    if (found.missing == 0) tags_.hit(found.set, found.way, &access);
  } else if (found.missing != sectors) {
    drop(found, sectors);
    ++stats_.write_evictions;
  }
  const int pending = writes ? mshrs_.find(found.number) : MshrFile::none;
  if (pending != MshrFile::none) under_way(pending).stale |= sectors & mshrs_.under_way(pending);
  return {L1Outcome::forward};
}

// The evicted line leaves; a dirty one is to be written.
void L1Sectored::install(std::uint32_t set, int way, std::uint64_t number, std::uint8_t valid,
                         const Access* by) {
  const auto [left, state] = tags_.install(set, way, TagEntry(number, 0, false), {valid, 0}, by);
  if (!left.valid()) return;
  ++stats_.evictions;
  if (state.dirty != 0) [[unlikely]]
    let_go(set, way, left.number(), state.dirty);
}

void L1Sectored::drop(const Found& found, std::uint8_t sectors) {
  LineState& state = tags_.state(found.set, found.way);
  if (const auto dirty = static_cast<std::uint8_t>(state.dirty & sectors); dirty != 0) [[unlikely]] {
    let_go(found.set, found.way, found.number, dirty);
    state.dirty &= static_cast<std::uint8_t>(~dirty);
  }
  state.valid &= static_cast<std::uint8_t>(~sectors);
  if (state.valid == 0 && !tags_.reserved(found.set, found.way)) tags_.invalidate(found.set, found.way);
}

// Those who wait for nothing else leave.
AccessFifo L1Sectored::serve(int mshr, std::uint8_t sectors) {
  AccessFifo waiters = mshrs_.take_waiters(mshr), leaving, staying;
  while (!waiters.empty()) {
    Access& waiter = waiters.pop();
    waiter.tag &= static_cast<std::uint16_t>(~unsigned{sectors});
    (waiter.tag == 0 ? leaving : staying).push(waiter);
  }
  mshrs_.restore_waiters(mshr, staying);
  return leaving;
}

AccessFifo L1Sectored::fill(int fetch) {
  const int mshr = fetch / units_.in_line();
  const std::uint8_t sectors = std::exchange(fetched_by(fetch), std::uint8_t{0});
  UnderWay& state = under_way(mshr);
  keep(mshr, static_cast<std::uint8_t>(sectors & ~state.stale));
  state.stale &= static_cast<std::uint8_t>(~sectors);
  --fetching_;
  limit_.came(units_.count(sectors));
  const AccessFifo leaving = serve(mshr, sectors);
  if (mshrs_.arrive(mshr, sectors) != 0) return leaving;
  const std::uint32_t set = mshrs_.set(mshr);
  const int way = tags_.find(set, TagEntry(mshrs_.number(mshr), 0, false));
  if (way != TagArray::absent) {
    tags_.unreserve(set, way);
    if (tags_.state(set, way).valid == 0) tags_.invalidate(set, way);
  }
  mshrs_.release(mshr);
  return leaving;
}

void L1Sectored::keep(int mshr, std::uint8_t sectors) {
  if (sectors == 0) {
    ++stats_.dropped_fills;
    return;
  }
  const std::uint32_t set = mshrs_.set(mshr);
  const TagEntry line(mshrs_.number(mshr), 0, false);
  if (const int way = tags_.find(set, line); way != TagArray::absent) {
    tags_.state(set, way).valid |= sectors;
  } else {
    install(set, tags_.victim_way(set), line.number(), sectors, &mshrs_.waiters(mshr).front());
  }
}

Address L1Sectored::victim(Address line) const {
  const Found found = find(line, 0);
  const int way = found.way == TagArray::absent ? tags_.victim_way(found.set) : SectoredTags::no_victim;
  if (way == SectoredTags::no_victim || !tags_.entry(found.set, way).valid()) return no_line;
  return tags_.entry(found.set, way).number() << line_bits_;
}

void L1Sectored::share(std::uint64_t shared_bytes) {
  const int ways = carve_out_.ways_beside(shared_bytes);
  if (first_ways(ways) == tags_.usable()) return;
  write_back_all();  // CTAs of other kernels may run
  flush();
  tags_.limit(ways);
}

void L1Sectored::flush() {
  stats_.flushed_lines += valid_lines();
  tags_.invalidate_all();
  for (std::size_t fetch = 0; fetch < fetches_.size(); ++fetch)
    under_way_[fetch / static_cast<std::size_t>(units_.in_line())].stale |= fetches_[fetch];
}

bool L1Sectored::contains(Address line, std::uint8_t sectors) const {
  return params_.perfect || find(line, sectors).missing == 0;
}

std::uint64_t L1Sectored::valid_lines() const {
  std::uint64_t count = 0;
  for (std::uint32_t set = 0; set < tags_.sets(); ++set)
    for (int way = 0; way < tags_.ways(); ++way)
      if (tags_.entry(set, way).valid() && tags_.state(set, way).valid != 0) ++count;
  return count;
}

std::optional<L1Decision> L1Sectored::begin_local(Access& access, bool room) {
  if (access.access_class == AccessClass::atomic) return std::nullopt;
  if (access.access_class == AccessClass::store)
    return access.bypass_l1 ? std::nullopt : std::optional(keep_store(access, room));
  const std::uint64_t number = access.line >> line_bits_;
  const std::uint32_t set = index_(number);
  const int way = tags_.find(set, TagEntry(number, 0, false));
  if (way == TagArray::absent || (tags_.state(set, way).dirty & access.sectors) == 0) return std::nullopt;
  return begin_load(access, room);  // whatever it is to go past: only this L1 has it
}

L1Decision L1Sectored::keep_store(const Access& access, bool room) {
  const Found found = find(access.line, access.sectors);
  const std::uint8_t sectors = units_.touched(access.sectors);
  // What the fetch brings would be older than sectors that have been here since and have left.
  const int mshr = mshrs_.find(found.number);
  if (mshr != MshrFile::none && (under_way(mshr).stale & sectors) != 0)
    return {L1Outcome::stall, L1Stall::merge_limit};
  int way = found.way;
  if (way == TagArray::absent) {
    way = tags_.victim_way(found.set);
    if (way == SectoredTags::no_victim) return {L1Outcome::stall, L1Stall::set_full};
    const bool writes = tags_.entry(found.set, way).valid() && tags_.state(found.set, way).dirty != 0;
    if (writes && !room) return {L1Outcome::stall, L1Stall::miss_queue};
    install(found.set, way, found.number, 0, &access);
    ++stats_.local_allocations;
  } else {
    tags_.hit(found.set, way, &access);
  }
  LineState& state = tags_.state(found.set, way);
  stats_.local_dirtied_sectors +=
      FillUnits::sectors_in(static_cast<std::uint8_t>(access.sectors & ~state.dirty));
  state.dirty |= access.sectors;
  state.valid |= access.sectors;
  if (found.missing == 0) ++stats_.local_store_hits;
  stats_.asked_sectors += units_.count(sectors);
  stats_.missed_sectors += units_.count(found.missing);
  writers_[found.set * static_cast<std::size_t>(tags_.ways()) + static_cast<std::size_t>(way)] = {
      access.sm, access.cluster, access.warp, access.application, access.cta, access.kernel, access.pc};
  return {L1Outcome::kept};
}

void L1Sectored::let_go(std::uint32_t set, int way, std::uint64_t number, std::uint8_t dirty) {
  const std::size_t place = set * static_cast<std::size_t>(tags_.ways()) + static_cast<std::size_t>(way);
  leaving_.push({number << line_bits_, dirty, writers_[place]});
  stats_.local_written_sectors += FillUnits::sectors_in(dirty);
  if (const int mshr = mshrs_.find(number); mshr != MshrFile::none)
    under_way(mshr).stale |= units_.touched(dirty) & mshrs_.under_way(mshr);
}

bool L1Sectored::take_dirty(L1WriteBack& out) {
  if (leaving_.empty()) return false;
  out = leaving_.front();
  leaving_.pop();
  return true;
}

void L1Sectored::write_back_dirty() {
  for (std::uint32_t set = 0; set < tags_.sets(); ++set)
    for (int way = 0; way < tags_.ways(); ++way)
      if (LineState& state = tags_.state(set, way); tags_.entry(set, way).valid() && state.dirty != 0)
        let_go(set, way, tags_.entry(set, way).number(), std::exchange(state.dirty, std::uint8_t{0}));
}

std::uint64_t L1Sectored::dirty_sectors() const {
  std::uint64_t count = 0;
  for (std::uint32_t set = 0; set < tags_.sets(); ++set)
    for (int way = 0; way < tags_.ways(); ++way)
      if (tags_.entry(set, way).valid()) count += FillUnits::sectors_in(tags_.state(set, way).dirty);
  return count;
}

}  // namespace strata
