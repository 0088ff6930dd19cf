#include "tb/property/naive_tag_split.h"

#include <algorithm>

#include "models/common/random_stream.h"

namespace strata::tb {
namespace {

bool by_group(const L1TagSplitParams& params) {
  return params.victims == L1TagSplitParams::Victims::groups;
}
bool is_lru(const L1TagSplitParams& params) {
  return params.replacement == replacement_row("lru");
}

}  // namespace

NaiveTagSplit::NaiveTagSplit(const L1TagSplitParams& params, std::uint64_t seed)
    : params_(params),
      index_(params.sets(), params.set_index),
      group_size_(static_cast<std::size_t>(params.set_chunks() / params.groups)),
      sets_(params.sets()) {
  RandomStream seeds(seed);
  for (Set& set : sets_) {
    set.places.resize(static_cast<std::size_t>(params.set_chunks()));
    set.units.resize(static_cast<std::size_t>(by_group(params) ? params.groups : params.set_chunks()));
    set.draw = seeds.next();
  }
}

/// Tag: what is left of the line's number above the bits that the number of sets has.
std::uint64_t NaiveTagSplit::shared_tag(std::uint64_t line) const {
  for (std::uint64_t sets = params_.sets(); sets > 1; sets /= 2) line /= 2;
  for (int bit = 0; bit < params_.private_tag; ++bit) line /= 2;
  return line;
}

std::size_t NaiveTagSplit::unit_of(std::size_t place) const {
  return by_group(params_) ? place / group_size_ : place;
}

bool NaiveTagSplit::group_used(const Set& set, std::size_t group) const {
  for (std::size_t i = 0; i < group_size_; ++i)
    if (set.places[group * group_size_ + i].used) return true;
  return false;
}

bool NaiveTagSplit::present(std::uint64_t line, int chunk) const {
  for (const Place& place : sets_[index_(line)].places)
    if (place.used && !place.reserved && place.line == line && place.chunk == chunk) return true;
  return false;
}

void NaiveTagSplit::touch(Set& set, const std::vector<bool>& units) {
  if (std::count(units.begin(), units.end(), true) == 0) return;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    if (!units[unit]) continue;
    set.units[unit].last_use = ++now_;
    set.units[unit].bit = true;
  }
  if (std::all_of(set.units.begin(), set.units.end(), [](const Unit& u) { return u.bit || !u.filled; }))
    for (Unit& unit : set.units) unit.bit = false;
}

void NaiveTagSplit::use(std::uint64_t line, const Chunks& asked) {
  Set& set = set_of(line);
  std::vector<bool> units(set.units.size());
  for (std::size_t i = 0; i < set.places.size(); ++i) {
    const Place& place = set.places[i];
    if (place.used && place.line == line && asked[static_cast<std::size_t>(place.chunk)])
      units[unit_of(i)] = true;
  }
  touch(set, units);
}

std::size_t NaiveTagSplit::victim(const Set& set, const std::vector<bool>& candidates) const {
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i]) some.push_back(i);
  if (is_lru(params_))
    return *std::min_element(some.begin(), some.end(), [&](std::size_t a, std::size_t b) {
      return set.units[a].last_use < set.units[b].last_use;
    });
  std::vector<std::size_t> unused;
  for (const std::size_t i : some)
    if (!set.units[i].bit) unused.push_back(i);
  if (!unused.empty()) some = unused;
  std::uint64_t mask = 0;
  for (const std::size_t i : some) mask += std::uint64_t{1} << i;
  return some[RandomStream(set.draw ^ mask).below(some.size())];
}

bool NaiveTagSplit::reserve(std::uint64_t line, const Chunks& asked, const Chunks& fresh) {
  Set& set = set_of(line);
  std::vector<bool> taken(set.places.size()), dropped(set.places.size());
  const auto need = static_cast<int>(std::count(fresh.begin(), fresh.end(), true));
  if (!take(set, line, asked, taken, dropped, need)) return false;
  use(line, asked);
  for (std::size_t i = 0; i < set.places.size(); ++i)
    if (dropped[i]) vacate(set, i, taken);
  std::vector<bool> again(set.units.size()), anew(set.units.size());
  for (std::size_t i = 0; i < set.places.size(); ++i) {
    if (!taken[i]) continue;
    const bool known = by_group(params_) && group_used(set, unit_of(i));
    (known ? again : anew)[unit_of(i)] = true;
  }
  std::size_t chunk = 0;
  for (std::size_t i = 0; i < set.places.size(); ++i) {
    if (!taken[i]) continue;
    while (!fresh[chunk]) ++chunk;
    set.places[i] = {true, true, line, static_cast<int>(chunk++)};
  }
  touch(set, again);
  for (std::size_t unit = 0; unit < anew.size(); ++unit) {
    if (!anew[unit]) continue;
    set.units[unit].filled = true;
    std::vector<bool> one(anew.size());
    one[unit] = true;
    touch(set, one);
    set.draw = RandomStream(set.draw).next();
  }
  return true;
}

bool NaiveTagSplit::take(Set& set, std::uint64_t line, const Chunks& asked, std::vector<bool>& taken,
                         std::vector<bool>& dropped, int need) const {
  std::vector<bool> kept(set.places.size()), ours(set.places.size()), movable(set.places.size(), true);
  for (std::size_t i = 0; i < set.places.size(); ++i) {
    const Place& place = set.places[i];
    const std::size_t first = i / group_size_ * group_size_;
    kept[i] = place.used && place.line == line && asked[static_cast<std::size_t>(place.chunk)];
    for (std::size_t j = first; j < first + group_size_; ++j)
      if (set.places[j].used && shared_tag(set.places[j].line) == shared_tag(line)) ours[i] = true;
    for (std::size_t j = first; j < first + group_size_; ++j)
      if (set.places[j].reserved && !ours[i]) movable[i] = false;
    if (place.reserved) movable[i] = false;
  }
  const int need_of_all = need;
  for (const bool empty_groups : {false, true})
    for (std::size_t i = 0; i < set.places.size() && need > 0; ++i) {
      if (set.places[i].used || taken[i]) continue;
      if (empty_groups ? group_used(set, i / group_size_) : !ours[i]) continue;
      taken[i] = true;
      --need;
    }
  if (by_group(params_)) return take_groups(set, kept, taken, dropped, need);
  std::vector<bool> candidates(set.places.size()), opened(set.places.size());
  for (std::size_t i = 0; i < candidates.size(); ++i)
    candidates[i] = set.places[i].used && !kept[i] && movable[i];
  using Victims = L1TagSplitParams::Victims;
  const bool whole_line = params_.victims == Victims::lines && need_of_all == params_.line_chunks();
  const bool together = params_.victims == Victims::together || params_.victims == Victims::lines;
  while (need > 0 && std::count(candidates.begin(), candidates.end(), true) != 0) {
    const std::size_t first = victim(set, candidates);
    candidates[first] = false;
    taken[first] = dropped[first] = true;
    --need;
    const std::size_t begin = first / group_size_ * group_size_;
    if (ours[first]) {
      for (std::size_t i = begin; whole_line && need > 0 && i < begin + group_size_; ++i) {
        if (!candidates[i]) continue;
        candidates[i] = false;
        taken[i] = dropped[i] = true;
        --need;
      }
      continue;
    }
    for (std::size_t i = begin; i < begin + group_size_; ++i) {
      if (set.places[i].used) dropped[i] = true;
      opened[i] = true;
      if (together) candidates[i] = false;
      if (together && need > 0 && !taken[i]) {
        taken[i] = true;
        --need;
      }
    }
  }
  for (std::size_t i = 0; i < opened.size() && need > 0; ++i)
    if (opened[i] && !taken[i]) {
      taken[i] = true;
      --need;
    }
  return need == 0;
}

bool NaiveTagSplit::take_groups(Set& set, const std::vector<bool>& kept, std::vector<bool>& taken,
                                std::vector<bool>& dropped, int need) const {
  std::vector<bool> candidates(set.units.size());
  for (std::size_t group = 0; group < candidates.size(); ++group) {
    candidates[group] = group_used(set, group);
    for (std::size_t i = group * group_size_; i < (group + 1) * group_size_; ++i)
      if (set.places[i].reserved) candidates[group] = false;
  }
  while (need > 0 && std::count(candidates.begin(), candidates.end(), true) != 0) {
    const std::size_t group = victim(set, candidates);
    candidates[group] = false;
    for (std::size_t i = group * group_size_; i < (group + 1) * group_size_; ++i) {
      if (kept[i]) continue;
      if (set.places[i].used) dropped[i] = true;
      if (need > 0 && !taken[i]) {
        taken[i] = true;
        --need;
      }
    }
  }
  return need == 0;
}

void NaiveTagSplit::vacate(Set& set, std::size_t place, const std::vector<bool>& taken) {
  set.places[place] = {};
  const std::size_t unit = unit_of(place);
  bool again = false;
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (taken[i] && unit_of(i) == unit) again = true;
  if (!again && (!by_group(params_) || !group_used(set, unit))) set.units[unit] = {};
}

void NaiveTagSplit::arrive(std::uint64_t line, const Chunks& chunks) {
  for (Place& place : set_of(line).places)
    if (place.used && place.line == line && chunks[static_cast<std::size_t>(place.chunk)])
      place.reserved = false;
}

void NaiveTagSplit::drop(std::uint64_t line, const Chunks& chunks) {
  Set& set = set_of(line);
  const std::vector<bool> none(set.places.size());
  for (std::size_t i = 0; i < set.places.size(); ++i) {
    const Place& place = set.places[i];
    if (place.used && place.line == line && chunks[static_cast<std::size_t>(place.chunk)])
      vacate(set, i, none);
  }
}

void NaiveTagSplit::clear() {
  for (Set& set : sets_) {
    set.places.assign(set.places.size(), {});
    set.units.assign(set.units.size(), {});
  }
}

}  // namespace strata::tb
