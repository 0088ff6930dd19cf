#include "tb/property/naive_slice.h"

#include <algorithm>

namespace strata::tb {

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
