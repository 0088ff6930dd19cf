#include <algorithm>
#include <cmath>
#include <cstdio>
#include <list>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/llc_predictors/auxiliary_tag_directory.h"
#include "models/llc_predictors/replica_tags.h"
#include "models/llc_predictors/replication_degree_directory.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

// One memory controller of the SelRep machine: 16 clusters, 16 slices of 32 sets and 16 ways: 8192 lines.
constexpr int clusters = 16;
constexpr int slices = 16;
constexpr int sets = 32;
constexpr int ways = 16;
constexpr std::uint64_t capacity = std::uint64_t{slices} * sets * ways;
constexpr int degrees[] = {1, 2, 4, 8, 16};
constexpr int warm = 300'000;
constexpr int measured = 300'000;

/// Spreads line numbers evenly; the constants are those of the finalizer of SplitMix64.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9U;
  number = (number ^ number >> 27) * 0x94d049bb133111ebU;
  return number ^ number >> 31;
}

struct Lookup {
  std::uint64_t number;
  int cluster;
  int slice() const { return static_cast<int>(mixed(number) % slices); }
  std::uint32_t set() const { return static_cast<std::uint32_t>(mixed(number) / slices % sets); }
};

/// All slices of one organization, told apart by nothing but the degree: plain LRU lists.
class Oracle {
 public:
  explicit Oracle(int degree) : degree_(degree), sets_(static_cast<std::size_t>(slices) * sets) {}
  bool access(const Lookup& lookup) {
    const int per_group = slices / degree_;
    const int group = lookup.cluster * degree_ / clusters;
    const int slice = group * per_group + lookup.slice() % per_group;
    std::list<std::uint64_t>& lru = sets_[static_cast<std::size_t>(slice) * sets + lookup.set()];
    const auto place = std::find(lru.begin(), lru.end(), lookup.number);
    const bool hit = place != lru.end();
    if (hit) lru.erase(place);
    lru.push_front(lookup.number);
    if (lru.size() > ways) lru.pop_back();
    return hit;
  }

 private:
  int degree_;
  std::vector<std::list<std::uint64_t>> sets_;
};

/// How lines are drawn. `shared` lines are for all clusters, `own` ones for a cluster each; a share of the
/// lookups goes to a hot set of a tenth of the lines.
struct Stream {
  const char* name;
  std::uint64_t shared;
  std::uint64_t own;
  double to_own;
  double hot;
  bool sweep;       // clusters read the shared lines in order, in step
  bool copies_fit;  // a slice holds all that its cluster uses in a private LLC, or no line has two users
};

constexpr Stream streams[] = {
    {"shared, 1/32 of the LLC", capacity / 32, 1, 0, 0, false, true},
    {"shared, 1/4 of the LLC", capacity / 4, 1, 0, 0, false, false},
    {"shared, half the LLC, hot tenth", capacity / 2, 1, 0, 0.7, false, false},
    {"shared, 2x the LLC, hot tenth", capacity * 2, 1, 0, 0.7, false, false},
    {"shared, 4x the LLC", capacity * 4, 1, 0, 0, false, false},
    {"shared sweep, 1/4 of the LLC", capacity / 4, 1, 0, 0, true, false},
    {"own, half the LLC", 1, capacity / 2 / clusters, 1, 0, false, true},
    {"own, 2x the LLC, hot tenth", 1, capacity * 2 / clusters, 1, 0.7, false, true},
    {"half shared (1/8), half own (1/2)", capacity / 8, capacity / 2 / clusters, 0.5, 0, false, false},
};

class Source {
 public:
  Source(const Stream& stream, std::uint64_t seed) : stream_(stream), random_(seed) {}
  Lookup next() {
    const int cluster = static_cast<int>(random_() % clusters);
    if (real() < stream_.to_own)
      return {(static_cast<std::uint64_t>(cluster) + 1) << 32 | draw(stream_.own), cluster};
    if (stream_.sweep) return {step_++ / clusters % stream_.shared, static_cast<int>(step_ % clusters)};
    return {draw(stream_.shared), cluster};
  }

 private:
  double real() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  std::uint64_t draw(std::uint64_t lines) {
    return random_() % (real() < stream_.hot ? std::max<std::uint64_t>(1, lines / 10) : lines);
  }

  Stream stream_;
  std::mt19937_64 random_;
  std::uint64_t step_ = 0;
};

AtdParams atd_of(int sampled) {
  AtdParams params;
  params.routers = clusters;
  params.slice_sets = sets;
  params.sampled_sets = std::min(sampled, sets);
  return params;
}

RddParams rdd_of(RddParams::Tags tags, int sampled) {
  RddParams params;
  params.tags = tags;
  params.sampled_sets = sampled;
  return params;
}

/// All predictors with one number of sampled sets.
struct Predictors {
  explicit Predictors(int sampled)
      : atd(atd_of(sampled)),
        one(rdd_of(RddParams::Tags::one, sampled)),
        per_degree(rdd_of(RddParams::Tags::per_degree, sampled)),
        replicas({clusters, slices, sets, {1, 2, 4, 8, 16}, sampled, 0, ways, 20, 16}) {}
  void observe(const Lookup& lookup) {
    if (lookup.slice() == 0) atd.observe(lookup.set(), lookup.number, lookup.cluster);
    one.observe(lookup.set(), lookup.number, lookup.slice(), lookup.cluster);
    per_degree.observe(lookup.set(), lookup.number, lookup.slice(), lookup.cluster);
    replicas.observe(lookup.set(), lookup.number, lookup.slice(), lookup.cluster);
  }
  void reset() {
    atd.reset_counts();
    one.reset_counts();
    per_degree.reset_counts();
    replicas.reset_counts();
  }
  AuxiliaryTagDirectory atd;
  ReplicationDegreeDirectory one;
  ReplicationDegreeDirectory per_degree;
  ReplicaTags replicas;
};

struct Errors {  // predicted less true hit rate, in percentage points
  double atd = 0;
  double one[5] = {};
  double per_degree[5] = {};
  double replicas[5] = {};
};

struct Comparison {
  double truth[5] = {};        // hit rates
  std::vector<Errors> errors;  // by number of sampled sets
};

Comparison compare(const Stream& stream, const std::vector<int>& samples, std::uint64_t seed) {
  Source source(stream, seed);
  std::vector<Oracle> oracles;
  for (const int degree : degrees) oracles.emplace_back(degree);
  std::vector<Predictors> predictors;
  for (const int sampled : samples) predictors.emplace_back(sampled);
  std::uint64_t hits[5] = {};
  for (int i = 0; i < warm + measured; ++i) {
    if (i == warm) {
      std::fill(std::begin(hits), std::end(hits), 0U);
      for (Predictors& each : predictors) each.reset();
    }
    const Lookup lookup = source.next();
    for (int d = 0; d < 5; ++d) hits[d] += oracles[static_cast<std::size_t>(d)].access(lookup) ? 1 : 0;
    for (Predictors& each : predictors) each.observe(lookup);
  }
  Comparison comparison;
  for (int d = 0; d < 5; ++d) comparison.truth[d] = static_cast<double>(hits[d]) / measured;
  for (const Predictors& each : predictors) {
    Errors errors;
    errors.atd = 100 * (each.atd.private_hit_rate() - comparison.truth[4]);
    for (int d = 0; d < 5; ++d) {
      errors.one[d] = 100 * (each.one.hit_rate(d) - comparison.truth[d]);
      errors.per_degree[d] = 100 * (each.per_degree.hit_rate(d) - comparison.truth[d]);
      errors.replicas[d] = 100 * (each.replicas.hit_rate(d) - comparison.truth[d]);
    }
    comparison.errors.push_back(errors);
  }
  return comparison;
}

void print(const Stream& stream, const Comparison& comparison, const std::vector<int>& samples) {
  std::printf("| %s | true | |", stream.name);
  for (const double truth : comparison.truth) std::printf(" %.1f |", 100 * truth);
  std::printf("\n");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Errors& e = comparison.errors[i];
    const std::string label = samples[i] >= sets ? "all" : std::to_string(samples[i]);
    const auto row = [&label](const char* name, const double(&values)[5]) {
      std::printf("| | %s | %s |", name, label.c_str());
      for (const double value : values) std::printf(" %+.1f |", value);
      std::printf("\n");
    };
    std::printf("| | ATD | %s | | | | | %+.1f |\n", label.c_str(), e.atd);
    row("RDD, one tag", e.one);
    row("RDD, tag per degree", e.per_degree);
    row("true tags", e.replicas);
  }
}

void check(const Stream& stream, const Comparison& comparison) {
  const Errors& full = comparison.errors[0];
  for (int d = 0; d < 5; ++d) {
    CAPTURE(degrees[d]);
    // True tags of all sets are the organizations themselves; samples of 8 and 2 sets stray.
    CHECK(std::abs(full.replicas[d]) < 1e-9);
    CHECK(std::abs(comparison.errors[1].replicas[d]) < 6);
    CHECK(std::abs(comparison.errors[2].replicas[d]) < 10);
    // What one tag for all copies says is right where nothing is copied or all copies fit, and too much
    // elsewhere.
    if (d == 0 || stream.copies_fit) CHECK(std::abs(full.one[d]) < 3);
    CHECK(full.one[d] > -3);
  }
  if (stream.copies_fit) CHECK(std::abs(full.atd) < 3);
  CHECK(full.atd > -3);
}

}  // namespace

TEST_CASE("predicted hit rates against all organizations simulated in full") {
  constexpr std::uint64_t seed = 2019;
  CAPTURE(seed);
  const std::vector<int> samples = {slices * sets, 8, 2};
  std::printf("| stream | predictor | sets | D=1 | D=2 | D=4 | D=8 | D=16 |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Stream& stream : streams) {
    INFO(stream.name);
    const Comparison comparison = compare(stream, samples, seed);
    print(stream, comparison, samples);
    check(stream, comparison);
  }
}
