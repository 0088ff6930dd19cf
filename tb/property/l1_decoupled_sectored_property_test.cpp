// The decoupled sectored L1 against NaiveDecoupled, its specification.
#include <algorithm>
#include <set>

#include "models/l1/l1_decoupled_sectored.h"
#include "tb/property/naive_l1.h"

namespace strata::tb {

/// A decoupled sectored cache with LRU, written from docs/blocks/l1-decoupled-sectored.md: each place of a
/// frame says which line it holds a sector of, and the lines that a frame has tags for stand in a list.
class NaiveDecoupled final : public NaiveStore {
 public:
  explicit NaiveDecoupled(const L1DecoupledSectoredParams& params);
  bool present(std::uint64_t line, int sector) const override;
  void use(std::uint64_t line, const Sectors& asked) override;
  bool reserve(std::uint64_t line, const Sectors& asked, const Sectors& fresh) override;
  void arrive(std::uint64_t line, const Sectors& sectors) override;
  void drop(std::uint64_t line, const Sectors& sectors) override;
  void clear() override;
  long cycles = 0;

 private:
  struct Place {
    int tag = -1;  // of the frame; -1: empty
    bool reserved = false;
  };
  struct Tag {
    bool used = false;
    std::uint64_t line = 0;
    long last_use = 0;
  };
  struct Frame {
    std::vector<Place> places;
    std::vector<Tag> tags;
    long last_use = 0;
  };
  struct Spot {
    Frame* frame;
    int tag;
  };
  using Set = std::vector<Frame>;

  Spot spot_of(std::uint64_t line);
  std::vector<Spot> possible(Set& set, const Sectors& fresh);
  static int own(const Spot& spot);
  static int others(const Spot& spot, const Sectors& fresh);
  Spot choose(std::vector<Spot> spots, const Sectors& fresh) const;
  static bool reserved(const Spot& spot, const Sectors& fresh, bool own);
  static void tidy(Frame& frame);

  L1DecoupledSectoredParams params_;
  SetIndex index_;
  std::vector<Set> sets_;
  long now_ = 0;
};

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

using namespace strata;
using namespace strata::tb;

namespace {

using Params = L1DecoupledSectoredParams;

Params drawn(std::mt19937_64& random) {
  const auto one_of = [&](auto... values) {
    const int all[] = {values...};
    return all[random() % sizeof...(values)];
  };
  Params params;
  params.ways = one_of(1, 2, 3, 4, 8);
  params.tags = one_of(1, 2, 4, 8);
  params.line = Bytes(static_cast<std::uint64_t>(one_of(64, 128, 128, 256)));
  params.chunk = Bytes(static_cast<std::uint64_t>(one_of(32, 32, 64)));
  params.size = Bytes(params.line * static_cast<std::uint64_t>(params.ways * one_of(1, 2, 3, 4)));
  params.choice = static_cast<Params::Choice>(random() % 3);
  params.evict = static_cast<Params::Evict>(random() % 2);
  params.mshrs = one_of(1, 2, 8, 32);
  params.merges = one_of(1, 2, 8);
  params.line_cycles = one_of(0, 1, 3);
  return params;
}

}  // namespace

TEST_CASE("decoupled sectored L1s of any shape do what the specification does") {
  constexpr std::uint64_t seed = 51;
  std::mt19937_64 random(seed);
  const long each = l1_accesses(400000) / 40;
  long full = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Params params = drawn(random);
    REQUIRE(params.validate().empty());
    CAPTURE(seed, trial, params.ways, params.tags, params.line, params.chunk, params.size);
    CAPTURE(static_cast<int>(params.choice), static_cast<int>(params.evict));
    L1DecoupledSectored l1(params);
    NaiveDecoupled naive(params);
    ChunkL1Trial run(l1, params, naive, random());
    for (long step = 0; step < each; ++step) run.step();
    CHECK(l1.stats().replacement_cycles == static_cast<std::uint64_t>(naive.cycles));
    full += run.stalls[static_cast<int>(L1Stall::set_full)];
  }
  CHECK(full > 100);
}
