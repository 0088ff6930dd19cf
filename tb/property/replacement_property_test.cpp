// Tags and every replacement policy against plain models written from the policies' definitions.
#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "models/cache/tag_array.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

/// A cache set as the papers describe it: what each way holds, and a number beside that the policy keeps.
struct NaiveWay {
  bool valid = false;
  std::uint64_t line = 0;
  int state = 0;
  long used = 0;
};
using NaiveSet = std::vector<NaiveWay>;

class NaivePolicy {
 public:
  virtual ~NaivePolicy() = default;
  virtual void hit(NaiveSet& set, std::size_t way) = 0;
  /// May change the set: the line goes at once.
  virtual std::size_t evict(NaiveSet& set, const std::vector<bool>& may) = 0;
  virtual void fill(NaiveSet& set, std::size_t way) = 0;
};

class NaiveLru final : public NaivePolicy {
 public:
  void hit(NaiveSet& set, std::size_t way) override { set[way].used = ++now_; }
  std::size_t evict(NaiveSet& set, const std::vector<bool>& may) override {
    std::size_t found = set.size();
    for (std::size_t way = 0; way < set.size(); ++way)
      if (may[way] && (found == set.size() || set[way].used < set[found].used)) found = way;
    return found;
  }
  void fill(NaiveSet& set, std::size_t way) override { set[way].used = ++now_; }

 private:
  long now_ = 0;
};

class NaiveNru final : public NaivePolicy {
 public:
  void hit(NaiveSet& set, std::size_t way) override { set[way].state = 1; }
  std::size_t evict(NaiveSet& set, const std::vector<bool>& may) override {
    while (true) {
      for (std::size_t way = 0; way < set.size(); ++way)
        if (may[way] && set[way].state == 0) return way;
      for (NaiveWay& way : set) way.state = 0;
    }
  }
  void fill(NaiveSet& set, std::size_t way) override { set[way].state = 1; }
};

class NaiveSrrip final : public NaivePolicy {
 public:
  void hit(NaiveSet& set, std::size_t way) override { set[way].state = 0; }
  std::size_t evict(NaiveSet& set, const std::vector<bool>& may) override {
    while (true) {
      for (std::size_t way = 0; way < set.size(); ++way)
        if (may[way] && set[way].state == 3) return way;
      for (NaiveWay& way : set) way.state = std::min(way.state + 1, 3);
    }
  }
  void fill(NaiveSet& set, std::size_t way) override { set[way].state = 2; }
};

std::unique_ptr<NaivePolicy> naive(std::string_view name) {
  if (name == "lru") return std::make_unique<NaiveLru>();
  if (name == "nru") return std::make_unique<NaiveNru>();
  if (name == "srrip") return std::make_unique<NaiveSrrip>();
  return nullptr;  // no definition to write down: what holds for all is checked
}

struct Case {
  int row;
  int ways;
  std::uint32_t sets;
  std::uint64_t seed;
};

/// Accesses, drops and flushes at random; the model puts a line where the tags have put it when there are
/// several empty ways.
class Trial {
 public:
  explicit Trial(const Case& c)
      : random_(c.seed),
        tags_(c.sets, c.ways, c.row, c.seed),
        again_(c.sets, c.ways, c.row, c.seed),
        policy_(naive(replacement_policies().at(c.row).name)),
        model_(c.sets, NaiveSet(static_cast<std::size_t>(c.ways))),
        lines_(std::uint64_t{c.sets} * static_cast<std::uint64_t>(c.ways) * 2) {}

  void step() {
    const std::uint64_t line = random_() % 4 == 0 ? last_ : random_() % lines_;
    last_ = line;
    const auto set = static_cast<std::uint32_t>(line % model_.size());
    NaiveSet& ways = model_[set];
    const auto known =
        std::find_if(ways.begin(), ways.end(), [&](const NaiveWay& w) { return w.valid && w.line == line; });
    const int way = tags_.find(set, line);
    REQUIRE(way == (known == ways.end() ? TagArray::absent : static_cast<int>(known - ways.begin())));
    REQUIRE(tags_.find(set, TagEntry(line, 0, false)) == way);
    REQUIRE(again_.find(set, line) == way);
    if (way == TagArray::absent) return fill(set, line);
    if (random_() % 16 == 0) {
      tags_.invalidate(set, way);
      again_.invalidate(set, way);
      *known = {};
      return;
    }
    tags_.hit(set, way);
    again_.hit(set, way);
    if (policy_ != nullptr) policy_->hit(ways, static_cast<std::size_t>(way));
  }
  void flush() {
    tags_.invalidate_all();
    again_.invalidate_all();
    for (NaiveSet& set : model_) set.assign(set.size(), {});
    REQUIRE(tags_.valid_lines() == 0);
  }

 private:
  void fill(std::uint32_t set, std::uint64_t line) {
    NaiveSet& ways = model_[set];
    const auto empty = std::count_if(ways.begin(), ways.end(), [](const NaiveWay& w) { return !w.valid; });
    const int way = tags_.victim(set);
    REQUIRE(tags_.victim(set) == way);
    auto& there = ways[static_cast<std::size_t>(way)];
    REQUIRE(there.valid == (empty == 0));
    const WayMask some = random_() | only_way(way);  // asked among some, and without consequence
    REQUIRE((only_way(tags_.victim(set, some & first_ways(tags_.ways()))) & some) != 0);
    if (there.valid && policy_ != nullptr)
      REQUIRE(policy_->evict(ways, std::vector<bool>(ways.size(), true)) == static_cast<std::size_t>(way));
    const TagEntry evicted = tags_.insert(set, TagEntry(line, 0, false));
    REQUIRE(again_.insert(set, TagEntry(line, 0, false)) == evicted);
    REQUIRE(evicted.valid() == there.valid);
    if (there.valid) REQUIRE(evicted.number() == there.line);
    REQUIRE(tags_.find(set, line) == way);
    there.valid = true;
    there.line = line;
    if (policy_ != nullptr) policy_->fill(ways, static_cast<std::size_t>(way));
  }

  std::mt19937_64 random_;
  TagArray tags_, again_;
  std::unique_ptr<NaivePolicy> policy_;
  std::vector<NaiveSet> model_;
  std::uint64_t lines_;
  std::uint64_t last_ = 0;
};

/// A policy alone: some ways are reserved now and then, and several victims are taken one after the other
/// before any is filled. Each is one of those left; the first is what the model takes.
void take_several(const ReplacementPolicy& policy, int ways, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto replacement = policy.make({1, ways, seed});
  const auto model = naive(policy.name);
  NaiveSet set(static_cast<std::size_t>(ways));
  const auto fill = [&](int way) {
    replacement->fill(0, way, {});
    if (model != nullptr) model->fill(set, static_cast<std::size_t>(way));
  };
  for (int way = 0; way < ways; ++way) fill(way);
  for (int round = 0; round < 2000; ++round) {
    for (auto hits = random() % 4; hits > 0; --hits) {
      const int way = static_cast<int>(random() % static_cast<unsigned>(ways));
      replacement->hit(0, way, {});
      if (model != nullptr) model->hit(set, static_cast<std::size_t>(way));
    }
    WayMask candidates = random() & first_ways(ways);
    if (candidates == 0) continue;
    std::vector<bool> may(set.size());
    for (std::size_t way = 0; way < may.size(); ++way) may[way] = (candidates >> way & 1) != 0;
    const int first = replacement->victim(0, candidates);
    for (auto others = random() % 4; others > 0 && candidates != 0; --others) {
      const int way = replacement->victim(0, candidates);
      REQUIRE((candidates & only_way(way)) != 0);
      candidates &= ~only_way(way);
    }
    if (model != nullptr) REQUIRE(model->evict(set, may) == static_cast<std::size_t>(first));
    fill(first);
  }
}

}  // namespace

TEST_CASE("tags with every policy agree with its plain model, whatever the ways and sets") {
  constexpr std::uint64_t seed = 20;
  std::mt19937_64 random(seed);
  const auto rows = replacement_policies().size();
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < 40; ++i) {
      const Case c{row, i < 8 ? 1 << i % 7 : 1 + static_cast<int>(random() % 64),
                   1 + static_cast<std::uint32_t>(random() % 9), random()};
      CAPTURE(seed, replacement_policies().at(row).name, c.ways, c.sets, c.seed);
      Trial trial(c);
      for (int step = 0; step < 4000; ++step) {
        trial.step();
        if (step % 1500 == 1499) trial.flush();
      }
    }
}

TEST_CASE("victims among some ways, one or several before a fill, are those of the plain model") {
  constexpr std::uint64_t seed = 21;
  CAPTURE(seed);
  for (const ReplacementPolicy& policy : replacement_policies())
    for (const int ways : {1, 2, 5, 8, 9, 16, 63, 64}) {
      CAPTURE(policy.name, ways);
      take_several(policy, ways, seed);
    }
}
