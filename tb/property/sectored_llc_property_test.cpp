// The core of an LLC slice against a plain model written from its description.
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "models/llc_slice/llc_slice_core.h"
#include "tb/property/parts.h"
#include "tb/support/catch.h"
#include "tb/support/long_mode.h"

namespace strata::tb {

/// An LLC slice with sectors as its description has it: sets are lists of lines, masks are sets of numbers,
/// nothing is fast.
class NaiveSlice {
 public:
  /// What it says of an access, and the core must say.
  struct Said {
    LlcOutcome outcome = LlcOutcome::hit;
    LlcStall stall = LlcStall::none;
    unsigned fetched = 0;  // sectors
    Address written = 0;
    unsigned written_sectors = 0;
  };

  /// What is written to memory with a fill, and who is answered.
  struct Filled {
    std::vector<std::size_t> answered;
    std::map<Address, unsigned> written;
  };

  NaiveSlice(const LlcSliceParams& params, int sector_sectors)
      : params_(params), sector_(sector_sectors), sets_(params.sets()) {}

  Said begin(std::size_t id, const Access& access, bool reply_room);
  bool can_fill(std::uint64_t number);
  Filled fill(std::uint64_t number, unsigned sectors);
  unsigned valid(std::uint64_t number);
  std::uint64_t dirty_lines() const;
  int queued = 0;  // writes

 private:
  struct Line {
    std::uint64_t number;
    Parts valid, dirty;  // sectors
    long used;
    bool reserved;
  };
  struct Waiter {
    std::size_t id;
    bool writes;
    unsigned sectors;
    Parts waits, brings;  // sectors
  };
  struct Fetch {
    Parts under_way;
    std::vector<Waiter> waiters;
    int joined = 0;
  };
  // No other access may wait for the line, or for one of these sectors where they have their own MSHRs.
  bool is_full(const Fetch& fetch, const Parts& sectors) const;
  std::vector<Line>& set_of(std::uint64_t number) { return sets_[number % sets_.size()]; }
  Line* find(std::uint64_t number);
  unsigned sectors_in(const Parts& sectors) const;
  bool queue_full() const { return queued == params_.write_queue; }
  /// The least recently used line that is not reserved; null when there is an empty way.
  Line* oldest(std::uint64_t number);
  bool room_for(std::uint64_t number) {
    return static_cast<int>(set_of(number).size()) < params_.ways || oldest(number) != nullptr;
  }
  bool may_evict(std::uint64_t number) { return !queue_full() || may_evict(number, 1); }
  bool may_evict(std::uint64_t number, int) {
    const Line* line = oldest(number);
    return line == nullptr || line->dirty.empty();
  }
  Line& place(std::uint64_t number, Address& written, unsigned& written_sectors);

  LlcSliceParams params_;
  int sector_;  // sectors
  std::vector<std::vector<Line>> sets_;
  std::map<std::uint64_t, Fetch> fetches_;
  long now_ = 0;
};

NaiveSlice::Said NaiveSlice::begin(std::size_t id, const Access& access, bool reply_room) {
  const std::uint64_t number = access.line / params_.line;
  const unsigned sectors = access.sectors << (access.line % params_.line / 32);
  const bool store = access.access_class == AccessClass::store;
  const bool writes = store || access.access_class == AccessClass::atomic;
  const bool through = params_.write == LlcSliceParams::Write::through;
  Parts asked, whole;
  for (int s = 0; s * sector_ < static_cast<int>(params_.line / 32); ++s) {
    const unsigned all = ((1U << sector_) - 1) << (s * sector_);
    if ((sectors & all) != 0) asked.insert(s);
    if ((sectors & all) == all) whole.insert(s);
  }
  Line* line = find(number);
  const Parts missing = line == nullptr ? asked : without(asked, line->valid);
  Said said;
  const auto stalls = [&](LlcStall why) {
    said.outcome = LlcOutcome::stall;
    said.stall = why;
    return said;
  };
  const auto pass = [&] {
    ++queued;
    said.written = number * params_.line;
    said.written_sectors = sectors;
  };
  if (missing.empty()) {
    if (!reply_room) return stalls(LlcStall::reply_queue);
    if (writes && through) {
      if (queue_full()) return stalls(LlcStall::write_queue);
      pass();
    } else if (writes) {
      line->dirty.insert(asked.begin(), asked.end());
    }
    line->used = ++now_;
    return said;
  }
  if (store && through) {
    if (!reply_room) return stalls(LlcStall::reply_queue);
    if (queue_full()) return stalls(LlcStall::write_queue);
    said.outcome = LlcOutcome::done;
    pass();
    return said;
  }
  const auto fetch = fetches_.find(number);
  const Parts under_way = fetch == fetches_.end() ? Parts{} : fetch->second.under_way;
  if (store && without(missing, whole).empty() && !meet(missing, under_way)) {
    if (!reply_room) return stalls(LlcStall::reply_queue);
    if (line == nullptr) {
      if (!room_for(number)) return stalls(LlcStall::set_full);
      if (!may_evict(number)) return stalls(LlcStall::write_queue);
      line = &place(number, said.written, said.written_sectors);
    }
    line->used = ++now_;
    line->valid.insert(asked.begin(), asked.end());
    line->dirty.insert(asked.begin(), asked.end());
    said.outcome = LlcOutcome::done;
    return said;
  }
  if (fetch != fetches_.end() && is_full(fetch->second, missing)) return stalls(LlcStall::merge_limit);
  if (fetch == fetches_.end()) {
    if (static_cast<int>(fetches_.size()) == params_.mshrs) return stalls(LlcStall::mshr_full);
    if (params_.allocation == Allocation::on_miss) {
      if (line == nullptr) {
        if (!room_for(number)) return stalls(LlcStall::set_full);
        if (!may_evict(number)) return stalls(LlcStall::write_queue);
        line = &place(number, said.written, said.written_sectors);
      }
      line->reserved = true;
    }
  }
  if (line != nullptr) line->used = ++now_;
  Parts wanted = without(missing, under_way);
  if (store) wanted = without(wanted, whole);
  Fetch& joined = fetches_[number];
  ++joined.joined;
  joined.waiters.push_back({id, writes, sectors, missing, without(without(missing, under_way), wanted)});
  joined.waiters.back().waits = without(missing, joined.waiters.back().brings);
  joined.under_way.insert(missing.begin(), missing.end());
  said.outcome = wanted.empty() ? LlcOutcome::miss_merged : LlcOutcome::miss_new;
  said.fetched = sectors_in(wanted);
  return said;
}

bool NaiveSlice::can_fill(std::uint64_t number) {
  int needed = find(number) == nullptr && !may_evict(number, 1) ? 1 : 0;
  bool atomic = false;
  for (const Waiter& waiter : fetches_.at(number).waiters) atomic = atomic || waiter.writes;
  if (params_.write == LlcSliceParams::Write::through && atomic) ++needed;
  return queued + needed <= params_.write_queue;
}

NaiveSlice::Filled NaiveSlice::fill(std::uint64_t number, unsigned sectors) {
  Filled filled;
  Fetch& fetch = fetches_.at(number);
  Parts here;
  for (const int sector : parts_of(sectors)) here.insert(sector / sector_);
  unsigned changed = 0;
  std::vector<Waiter> staying;
  for (Waiter& waiter : fetch.waiters) {
    waiter.waits = without(waiter.waits, here);
    if (!waiter.waits.empty()) {
      staying.push_back(waiter);
      continue;
    }
    here.insert(waiter.brings.begin(), waiter.brings.end());
    if (waiter.writes) changed |= waiter.sectors;
    filled.answered.push_back(waiter.id);
  }
  fetch.waiters = staying;
  Line* line = find(number);
  if (line == nullptr) {
    Address written = 0;
    unsigned written_sectors = 0;
    line = &place(number, written, written_sectors);
    if (written_sectors != 0) filled.written[written] = written_sectors;
  }
  line->valid.insert(here.begin(), here.end());
  if (changed != 0 && params_.write == LlcSliceParams::Write::through) {
    ++queued;
    filled.written[number * params_.line] = changed;
  }
  for (const int sector : parts_of(changed)) {
    if (params_.write == LlcSliceParams::Write::through) break;
    line->dirty.insert(sector / sector_);
    line->valid.insert(sector / sector_);
  }
  fetch.under_way = without(fetch.under_way, here);
  if (fetch.under_way.empty()) {
    fetches_.erase(number);
    line->reserved = false;
  }
  return filled;
}

unsigned NaiveSlice::valid(std::uint64_t number) {
  const Line* line = find(number);
  return line == nullptr ? 0 : sectors_in(line->valid);
}

std::uint64_t NaiveSlice::dirty_lines() const {
  std::uint64_t count = 0;
  for (const std::vector<Line>& set : sets_)
    for (const Line& line : set) count += line.dirty.empty() ? 0 : 1;
  return count;
}

bool NaiveSlice::is_full(const Fetch& fetch, const Parts& sectors) const {
  if (params_.mshr_sectors == 0) return fetch.joined == params_.merges;
  return std::any_of(sectors.begin(), sectors.end(), [&](int sector) {
    return params_.merges == std::count_if(fetch.waiters.begin(), fetch.waiters.end(),
                                           [&](const Waiter& one) { return one.waits.count(sector) != 0; });
  });
}

NaiveSlice::Line* NaiveSlice::find(std::uint64_t number) {
  for (Line& line : set_of(number))
    if (line.number == number) return &line;
  return nullptr;
}

unsigned NaiveSlice::sectors_in(const Parts& units) const {
  unsigned sectors = 0;
  for (const int unit : units) sectors |= ((1U << sector_) - 1) << (unit * sector_);
  return sectors;
}

NaiveSlice::Line* NaiveSlice::oldest(std::uint64_t number) {
  std::vector<Line>& set = set_of(number);
  if (static_cast<int>(set.size()) < params_.ways) return nullptr;
  Line* found = nullptr;
  for (Line& line : set)
    if (!line.reserved && (found == nullptr || line.used < found->used)) found = &line;
  return found;
}

NaiveSlice::Line& NaiveSlice::place(std::uint64_t number, Address& written, unsigned& written_sectors) {
  if (const Line* old = oldest(number)) {
    if (!old->dirty.empty()) {
      ++queued;
      written = old->number * params_.line;
      written_sectors = sectors_in(old->dirty);
    }
    set_of(number).erase(set_of(number).begin() + (old - set_of(number).data()));
  }
  set_of(number).push_back({number, {}, {}, ++now_, false});
  return set_of(number).back();
}

}  // namespace strata::tb

using namespace strata;
using namespace strata::tb;

namespace {

/// The core and its model in step.
class Pair {
 public:
  Pair(const LlcSliceParams& params, int sector_sectors, std::uint64_t seed)
      : random_(seed), params_(params), map_(map()), core_(params, *map_), naive_(params, sector_sectors) {}

  void run(std::uint64_t accesses) {
    while (accesses > 0) {
      if (begin()) --accesses;
      if (core_.writes_queued() > 0 && random_() % 2 == 0) {
        core_.write_departed();
        --naive_.queued;
      }
      if (!fetches_.empty() && random_() % 3 == 0) fill(random_() % fetches_.size());
      must(core_.writes_queued() == naive_.queued, "writes in the queue");
      if (random_() % 16 == 0)
        must(core_.dirty_lines(every_application) == naive_.dirty_lines(), "dirty lines");
      const std::uint64_t number = random_() % lines;
      const auto sectors = static_cast<std::uint8_t>(1U << random_() % sectors_of_line());
      must(core_.contains(number * params_.line, sectors) == ((naive_.valid(number) & sectors) != 0),
           "valid");
    }
    while (!fetches_.empty()) {
      while (core_.writes_queued() > 0) {
        core_.write_departed();
        --naive_.queued;
      }
      fill(0);
    }
    CHECK(core_.idle());
    CHECK(waiting_ == 0);
    const LlcSliceStats& s = core_.stats();
    CHECK(s.accesses == s.hits + s.misses + s.merges);
    CHECK(s.misses == s.fetches + s.write_allocations + s.write_arounds);
    CHECK(s.fills == s.fetches);
    CHECK((!s.by_sector || s.fetched_sectors >= s.fetches));
    seen = s;
  }
  LlcSliceStats seen;
  std::uint64_t sets_full = 0;

 private:
  struct Fetch {
    int mshr;
    std::uint64_t number;
    std::uint8_t sectors;
  };
  static constexpr std::uint64_t lines = 24;

  static std::unique_ptr<AddressMap> map() {
    AddressMapParams params;
    params.channels = params.slices_per_channel = 1;
    return make_address_map(params);
  }
  unsigned sectors_of_line() const { return static_cast<unsigned>(params_.line / 32); }

  bool begin() {
    const std::size_t id = free_.empty() ? pool_.size() : free_.back();
    if (free_.empty())
      pool_.emplace_back();
    else
      free_.pop_back();
    Access& access = pool_[id];
    access = Access{};
    const unsigned size = random_() % 4 == 0 ? sectors_of_line() / (1U << random_() % 3) : sectors_of_line();
    access.line = random_() % lines * params_.line + random_() % (sectors_of_line() / size) * size * 32;
    access.sectors = static_cast<std::uint8_t>((1U << size) - 1);
    if (random_() % 3 != 0) access.sectors = static_cast<std::uint8_t>(1 + random_() % access.sectors);
    const auto kind = random_() % 6;
    if (kind == 0) access.access_class = AccessClass::atomic;
    if (kind == 1 || kind == 2) access.access_class = AccessClass::store;
    const bool room = random_() % 8 != 0;
    const NaiveSlice::Said said = naive_.begin(id, access, room);
    const LlcDecision decision = core_.begin(access, 0, room);
    must(decision.outcome == said.outcome, "outcome");
    must(decision.stall == said.stall, "stall");
    must(decision.write.sectors == said.written_sectors && decision.write.line == said.written, "write");
    must((decision.outcome == LlcOutcome::miss_new ? decision.sectors : 0) == said.fetched, "fetch");
    if (said.stall == LlcStall::set_full) ++sets_full;
    const bool waits = said.outcome == LlcOutcome::miss_new || said.outcome == LlcOutcome::miss_merged;
    if (said.outcome == LlcOutcome::miss_new)
      fetches_.push_back({decision.mshr, access.line / params_.line, decision.sectors});
    if (waits)
      ++waiting_;
    else
      free_.push_back(id);
    return said.outcome != LlcOutcome::stall;
  }

  void fill(std::size_t index) {
    const Fetch fetch = fetches_[index];
    const bool can = core_.can_fill(fetch.mshr);
    must(can == naive_.can_fill(fetch.number), "room for a fill");
    if (!can) return;
    fetches_.erase(fetches_.begin() + static_cast<std::ptrdiff_t>(index));
    const NaiveSlice::Filled said = naive_.fill(fetch.number, fetch.sectors);
    LlcFilled filled = core_.fill(fetch.mshr, fetch.sectors);
    std::map<Address, unsigned> written;
    if (filled.victim) written[filled.victim.line] = filled.victim.sectors;
    if (filled.through) written[filled.through.line] = filled.through.sectors;
    must(written == said.written, "writes of a fill");
    std::vector<std::size_t> answered;
    while (!filled.waiters.empty()) {
      const Access& waiter = filled.waiters.pop();
      for (const std::size_t id : said.answered)
        if (&pool_[id] == &waiter) answered.push_back(id);
    }
    must(answered == said.answered, "answers");
    for (const std::size_t id : answered) free_.push_back(id);
    waiting_ -= answered.size();
  }

  std::mt19937_64 random_;
  LlcSliceParams params_;
  std::unique_ptr<AddressMap> map_;
  LlcSliceCore core_;
  NaiveSlice naive_;
  std::deque<Access> pool_;
  std::vector<std::size_t> free_;
  std::vector<Fetch> fetches_;
  std::size_t waiting_ = 0;
};

LlcSliceParams params_with(Allocation allocation, LlcSliceParams::Write write, Bytes sector) {
  LlcSliceParams params;
  params.ways = 3;
  params.size = Bytes(2 * 3 * 128);  // 2 sets
  params.sector = sector;
  params.set_index = SetIndex::Kind::plain;
  params.allocation = allocation;
  params.write = write;
  params.mshrs = 5;
  params.merges = 4;
  params.write_queue = 3;
  params.mshr_sectors = sector.count == 64 ? 64 : 0;  // more than all MSHRs have: merges count by sector
  return params;
}

}  // namespace

TEST_CASE("an LLC slice with sectors does what a plain model of sectors does, access by access") {
  const std::uint64_t accesses = accesses_of_property(100'000);
  for (const Allocation allocation : {Allocation::on_fill, Allocation::on_miss})
    for (const auto write : {LlcSliceParams::Write::back, LlcSliceParams::Write::through})
      for (const int sector : {1, 2, 4}) {
        const std::uint64_t seed = 100 + static_cast<std::uint64_t>(sector);
        CAPTURE(seed, sector, static_cast<int>(allocation), static_cast<int>(write));
        Pair pair(params_with(allocation, write, Bytes(static_cast<std::uint64_t>(sector) * 32)), sector,
                  seed);
        pair.run(accesses);
        CHECK((pair.sets_full > 0) == (allocation == Allocation::on_miss));
        CHECK((sector == 4 || pair.seen.sector_misses > 0));
      }
}
