#include "tb/property/naive_tag_split.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "models/common/random_stream.h"

namespace strata::tb {
namespace {

bool by_group(const L1TagSplitParams& params) {
  return params.victims == L1TagSplitParams::Victims::groups;
}
const std::string_view policies[] = {"lru", "nru", "nru_random", "srrip"};

}  // namespace

NaiveTagSplit::NaiveTagSplit(const L1TagSplitParams& params, std::uint64_t seed)
    : params_(params),
      policy_(static_cast<Policy>(
          std::find_if(std::begin(policies), std::end(policies),
                       [&](std::string_view name) { return replacement_row(name) == params.replacement; }) -
          std::begin(policies))),
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

void NaiveTagSplit::access(Set& set, const std::vector<bool>& read, const std::vector<bool>& anew,
                           const std::vector<Unit>& chosen) {
  // Of several that go the last is found after as much aging as it lacks, or when all bits have fallen.
  const bool none_left = std::any_of(chosen.begin(), chosen.end(), [](const Unit& u) { return u.bit; });
  int age = 0;
  for (const Unit& unit : chosen) age = std::max(age, 3 - unit.interval);
  for (Unit& unit : set.units) {
    if (policy_ == Policy::nru && none_left) unit.bit = false;
    unit.interval = std::min(unit.interval + age, 3);
  }
  for (std::size_t i = 0; i < set.units.size(); ++i)
    if (read[i]) {
      set.units[i].last_use = ++now_;
      set.units[i].bit = true;
      set.units[i].interval = 0;
    }
  for (std::size_t i = 0; i < set.units.size(); ++i)
    if (anew[i]) {
      set.units[i].last_use = ++now_;
      set.units[i].bit = set.units[i].filled = true;
      if (!read[i]) set.units[i].interval = 2;
      set.draw = RandomStream(set.draw).next();
    }
  if (policy_ == Policy::nru_random &&
      std::all_of(set.units.begin(), set.units.end(), [](const Unit& u) { return u.bit || !u.filled; }))
    for (Unit& unit : set.units) unit.bit = false;
}

std::vector<bool> NaiveTagSplit::holders(const Set& set, std::uint64_t line, const Sectors& asked) const {
  std::vector<bool> units(set.units.size());
  for (std::size_t i = 0; i < set.places.size(); ++i) {
    const Place& place = set.places[i];
    if (place.used && place.line == line && asked[static_cast<std::size_t>(place.chunk)])
      units[unit_of(i)] = true;
  }
  return units;
}

void NaiveTagSplit::use(std::uint64_t line, const Sectors& asked) {
  Set& set = set_of(line);
  const std::vector<bool> units = holders(set, line, asked);
  if (std::count(units.begin(), units.end(), true) == 0) return;
  access(set, units, std::vector<bool>(units.size()), {});
}

std::size_t NaiveTagSplit::victim(const Set& set, const std::vector<bool>& candidates) const {
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i]) some.push_back(i);
  if (policy_ == Policy::lru)
    return *std::min_element(some.begin(), some.end(), [&](std::size_t a, std::size_t b) {
      return set.units[a].last_use < set.units[b].last_use;
    });
  if (policy_ == Policy::srrip)  // the first of those that age to 3 first
    return *std::max_element(some.begin(), some.end(), [&](std::size_t a, std::size_t b) {
      return set.units[a].interval < set.units[b].interval;
    });
  std::vector<std::size_t> unused;
  for (const std::size_t i : some)
    if (!set.units[i].bit) unused.push_back(i);
  if (!unused.empty()) some = unused;
  if (policy_ == Policy::nru) return some.front();
  std::uint64_t mask = 0;
  for (const std::size_t i : some) mask += std::uint64_t{1} << i;
  return some[RandomStream(set.draw ^ mask).below(some.size())];
}

bool NaiveTagSplit::reserve(std::uint64_t line, const Sectors& asked, const Sectors& fresh) {
  Set& set = set_of(line);
  Cost cost;
  cost.taken.resize(set.places.size());
  cost.dropped.resize(set.places.size());
  cost.chosen.resize(set.units.size());
  cost.need = static_cast<int>(std::count(fresh.begin(), fresh.end(), true));
  take(set, line, asked, cost);
  if (cost.need > 0) return false;
  std::vector<bool> read = holders(set, line, asked), anew(set.units.size());
  std::vector<Unit> chosen;
  for (std::size_t unit = 0; unit < set.units.size(); ++unit)
    if (cost.chosen[unit]) chosen.push_back(set.units[unit]);
  for (std::size_t i = 0; i < set.places.size(); ++i)
    if (cost.dropped[i]) vacate(set, i);
  for (std::size_t i = 0; i < set.places.size(); ++i) {
    if (!cost.taken[i]) continue;
    const std::size_t unit = unit_of(i);
    const bool known = by_group(params_) && group_used(set, unit) && !cost.chosen[unit];
    (known ? read : anew)[unit] = true;
  }
  std::size_t chunk = 0;
  for (std::size_t i = 0; i < set.places.size(); ++i) {
    if (!cost.taken[i]) continue;
    while (!fresh[chunk]) ++chunk;
    set.places[i] = {true, true, line, static_cast<int>(chunk++)};
  }
  access(set, read, anew, chosen);
  return true;
}

void NaiveTagSplit::take(const Set& set, std::uint64_t line, const Sectors& asked, Cost& cost) const {
  auto& [taken, dropped, chosen, need] = cost;
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
  if (by_group(params_)) return take_groups(set, kept, cost);
  std::vector<bool> candidates(set.places.size()), opened(set.places.size());
  for (std::size_t i = 0; i < candidates.size(); ++i)
    candidates[i] = set.places[i].used && !kept[i] && movable[i];
  using Victims = L1TagSplitParams::Victims;
  const bool whole_line = params_.victims == Victims::lines && need_of_all == params_.line_chunks();
  const bool together = params_.victims == Victims::together || params_.victims == Victims::lines;
  while (need > 0 && std::count(candidates.begin(), candidates.end(), true) != 0) {
    const std::size_t first = victim(set, candidates);
    candidates[first] = false;
    taken[first] = dropped[first] = chosen[first] = true;
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
}

void NaiveTagSplit::take_groups(const Set& set, const std::vector<bool>& kept, Cost& cost) const {
  auto& [taken, dropped, chosen, need] = cost;
  std::vector<bool> candidates(set.units.size());
  for (std::size_t group = 0; group < candidates.size(); ++group) {
    candidates[group] = group_used(set, group);
    for (std::size_t i = group * group_size_; i < (group + 1) * group_size_; ++i)
      if (set.places[i].reserved) candidates[group] = false;
  }
  while (need > 0 && std::count(candidates.begin(), candidates.end(), true) != 0) {
    const std::size_t group = victim(set, candidates);
    candidates[group] = false;
    chosen[group] = true;
    for (std::size_t i = group * group_size_; i < (group + 1) * group_size_; ++i) {
      if (kept[i]) continue;
      if (set.places[i].used) dropped[i] = true;
      if (need > 0 && !taken[i]) {
        taken[i] = true;
        --need;
      }
    }
  }
}

void NaiveTagSplit::vacate(Set& set, std::size_t place) {
  set.places[place] = {};
  const std::size_t unit = unit_of(place);
  if (!by_group(params_) || !group_used(set, unit)) set.units[unit] = {};
}

void NaiveTagSplit::arrive(std::uint64_t line, const Sectors& chunks) {
  for (Place& place : set_of(line).places)
    if (place.used && place.line == line && chunks[static_cast<std::size_t>(place.chunk)])
      place.reserved = false;
}

void NaiveTagSplit::drop(std::uint64_t line, const Sectors& chunks) {
  Set& set = set_of(line);
  for (std::size_t i = 0; i < set.places.size(); ++i) {
    const Place& place = set.places[i];
    if (place.used && place.line == line && chunks[static_cast<std::size_t>(place.chunk)]) vacate(set, i);
  }
}

void NaiveTagSplit::clear() {
  for (Set& set : sets_) {
    set.places.assign(set.places.size(), {});
    set.units.assign(set.units.size(), {});
  }
}

}  // namespace strata::tb
