#include "tb/property/naive_decoupled.h"

#include <algorithm>
#include <set>

namespace strata::tb {
namespace {

using Choice = L1DecoupledSectoredParams::Choice;

}  // namespace

NaiveDecoupled::NaiveDecoupled(const L1DecoupledSectoredParams& params)
    : params_(params), index_(params.sets(), params.set_index), sets_(params.sets()) {
  for (Set& set : sets_) {
    set.resize(static_cast<std::size_t>(params.ways));
    for (Frame& frame : set) {
      frame.places.resize(static_cast<std::size_t>(params.line_chunks()));
      frame.tags.resize(static_cast<std::size_t>(params.tags));
    }
  }
}

NaiveDecoupled::Spot NaiveDecoupled::spot_of(std::uint64_t line) {
  for (Frame& frame : sets_[index_(line)])
    for (std::size_t tag = 0; tag < frame.tags.size(); ++tag)
      if (frame.tags[tag].used && frame.tags[tag].line == line) return {&frame, static_cast<int>(tag)};
  return {nullptr, 0};
}

bool NaiveDecoupled::present(std::uint64_t line, int sector) const {
  for (const Frame& frame : sets_[index_(line)]) {
    const Place& place = frame.places[static_cast<std::size_t>(sector)];
    if (place.tag < 0 || place.reserved) continue;
    if (frame.tags[static_cast<std::size_t>(place.tag)].line == line) return true;
  }
  return false;
}

void NaiveDecoupled::use(std::uint64_t line, const Sectors&) {
  const Spot spot = spot_of(line);
  if (spot.frame == nullptr) return;
  spot.frame->tags[static_cast<std::size_t>(spot.tag)].last_use = ++now_;
  spot.frame->last_use = now_;
}

/// Sectors of the spot's own tag.
int NaiveDecoupled::own(const Spot& spot) {
  return static_cast<int>(std::count_if(spot.frame->places.begin(), spot.frame->places.end(),
                                        [&](const Place& place) { return place.tag == spot.tag; }));
}

/// Sectors of other tags where `fresh` would go.
int NaiveDecoupled::others(const Spot& spot, const Sectors& fresh) {
  int sum = 0;
  for (std::size_t i = 0; i < fresh.size(); ++i)
    if (fresh[i] && spot.frame->places[i].tag >= 0 && spot.frame->places[i].tag != spot.tag) ++sum;
  return sum;
}

/// Something is reserved where `fresh` would go; or of the tag itself, if that is to go.
bool NaiveDecoupled::reserved(const Spot& spot, const Sectors& fresh, bool own) {
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const Place& place = spot.frame->places[i];
    if (place.reserved && (fresh[i] || (own && place.tag == spot.tag))) return true;
  }
  return false;
}

std::vector<NaiveDecoupled::Spot> NaiveDecoupled::possible(Set& set, const Sectors& fresh) {
  std::vector<Spot> spots;
  for (Frame& frame : set)
    for (int tag = 0; tag < params_.tags; ++tag)
      if (!reserved({&frame, tag}, fresh, true)) spots.push_back({&frame, tag});
  return spots;
}

NaiveDecoupled::Spot NaiveDecoupled::choose(std::vector<Spot> spots, const Sectors& fresh) const {
  const auto oldest = [](const std::vector<Spot>& some) {
    return *std::min_element(some.begin(), some.end(), [](const Spot& a, const Spot& b) {
      return a.frame->tags[static_cast<std::size_t>(a.tag)].last_use <
             b.frame->tags[static_cast<std::size_t>(b.tag)].last_use;
    });
  };
  const auto cheapest = [&](const std::vector<Spot>& some) {
    std::vector<Spot> best, free;
    int least = 1000;
    for (const Spot& spot : some) least = std::min(least, own(spot) + others(spot, fresh));
    for (const Spot& spot : some) {
      if (own(spot) + others(spot, fresh) != least) continue;
      best.push_back(spot);
      if (own(spot) == 0) free.push_back(spot);
    }
    if (free.empty()) return oldest(best);
    Spot chosen = free.front();
    long longest_ago = now_ + 1;
    for (const Spot& spot : free)
      for (std::size_t i = 0; i < fresh.size(); ++i) {
        const int tag = spot.frame->places[i].tag;
        if (!fresh[i] || tag < 0) continue;
        const long used = spot.frame->tags[static_cast<std::size_t>(tag)].last_use;
        if (used < longest_ago) chosen = spot;
        longest_ago = std::min(longest_ago, used);
      }
    return chosen;
  };
  if (params_.choice == Choice::fewest_lost) return cheapest(spots);
  if (params_.choice == Choice::frame) {
    Frame* frame = nullptr;
    for (const Spot& spot : spots)
      if (frame == nullptr || spot.frame->last_use < frame->last_use) frame = spot.frame;
    std::vector<Spot> inside;
    for (const Spot& spot : spots)
      if (spot.frame == frame) inside.push_back(spot);
    spots = inside;
  }
  std::vector<Spot> free;
  for (const Spot& spot : spots)
    if (own(spot) == 0) free.push_back(spot);
  return free.empty() ? oldest(spots) : cheapest(free);
}

bool NaiveDecoupled::reserve(std::uint64_t line, const Sectors& asked, const Sectors& fresh) {
  Set& set = sets_[index_(line)];
  Spot spot = spot_of(line);
  if (spot.frame == nullptr) {
    const std::vector<Spot> spots = possible(set, fresh);
    if (spots.empty()) return false;
    spot = choose(spots, fresh);
  } else if (reserved(spot, fresh, false)) {
    return false;
  }
  use(line, asked);
  Tag& tag = spot.frame->tags[static_cast<std::size_t>(spot.tag)];
  std::set<int> losers;
  if (tag.line != line || !tag.used) {
    for (Place& place : spot.frame->places)
      if (place.tag == spot.tag) {
        losers.insert(spot.tag);
        place = {};
      }
    tag = {true, line, ++now_};
    spot.frame->last_use = now_;
  }
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    Place& place = spot.frame->places[i];
    if (!fresh[i]) continue;
    if (place.tag >= 0) losers.insert(place.tag);
    place = {spot.tag, true};
  }
  tidy(*spot.frame);
  if (losers.size() > 1) cycles += static_cast<long>(losers.size() - 1) * params_.line_cycles;
  return true;
}

/// Tags without sectors are free.
void NaiveDecoupled::tidy(Frame& frame) {
  for (std::size_t tag = 0; tag < frame.tags.size(); ++tag)
    if (std::none_of(frame.places.begin(), frame.places.end(),
                     [&](const Place& place) { return place.tag == static_cast<int>(tag); }))
      frame.tags[tag] = {};
}

void NaiveDecoupled::arrive(std::uint64_t line, const Sectors& sectors) {
  const Spot spot = spot_of(line);
  for (std::size_t i = 0; i < sectors.size(); ++i)
    if (sectors[i]) spot.frame->places[i].reserved = false;
}

void NaiveDecoupled::drop(std::uint64_t line, const Sectors& sectors) {
  const Spot spot = spot_of(line);
  if (spot.frame == nullptr) return;
  for (std::size_t i = 0; i < sectors.size(); ++i)
    if (sectors[i] && spot.frame->places[i].tag == spot.tag) spot.frame->places[i] = {};
  tidy(*spot.frame);
}

void NaiveDecoupled::clear() {
  for (Set& set : sets_)
    for (Frame& frame : set) {
      for (Place& place : frame.places) place = {};
      for (Tag& tag : frame.tags) tag = {};
    }
}

}  // namespace strata::tb
