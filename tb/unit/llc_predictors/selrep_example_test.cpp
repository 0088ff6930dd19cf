#include <memory>
#include <string>
#include <vector>

#include "models/llc_predictors/replication_degree_directory.h"
#include "models/llc_predictors/replication_shape.h"
#include "models/llc_slice/llc_slice_core.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

/// Figure 9 of the SelRep paper: 4 SM clusters and the 4 slices of one memory controller, with the slices'
/// own cores behind the routing of read-only loads. The figure itself is not to be had; the steps are those
/// of the text (section III-A, "Run-time example"). A miss is filled at once.
class Example {
 public:
  Example() {
    AddressMapParams params;
    params.channels = 1;
    params.slices_per_channel = 4;
    map_ = make_address_map(params);
    LlcSliceParams slice;
    slice.size = Bytes(4 * 16 * 128);  // 4 sets of 16 ways
    for (int i = 0; i < 4; ++i) slices.push_back(std::make_unique<LlcSliceCore>(slice, *map_));
    RddParams rdd_params;
    rdd_params.clusters = rdd_params.slices = 4;
    rdd_params.degrees = {1, 2, 4};
    rdd_params.slice_sets = 4;
    rdd_params.sampled_sets = 16;
    rdd = std::make_unique<ReplicationDegreeDirectory>(rdd_params);
  }

  /// Text like "slice 2 miss".
  std::string load(int cluster) {
    const int address_slice = map_->locate(x).slice;
    const int slice = shape.slice(degree_index, cluster, address_slice);
    rdd->observe(LlcSetIndex(4, SetIndex::Kind::hashed, *map_)(x), x / 128, address_slice, cluster);
    LlcSliceCore& core = *slices[static_cast<std::size_t>(slice)];
    Access access;
    access.line = x;
    access.cluster = static_cast<std::uint16_t>(cluster);
    access.access_class = AccessClass::read_only_load;
    const LlcDecision decision = core.begin(access, 0);
    if (decision.outcome == LlcOutcome::miss_new) core.fill(decision.mshr, 0xf);
    return "slice " + std::to_string(slice) + (decision.outcome == LlcOutcome::hit ? " hit" : " miss");
  }
  std::vector<bool> holders() const {
    std::vector<bool> holders;
    for (const auto& slice : slices) holders.push_back(slice->contains(x));
    return holders;
  }

  static constexpr Address x = 0;  // its address names slice 0
  ReplicationShape shape{4, 4, {1, 2, 4}};
  int degree_index = 0;
  std::vector<std::unique_ptr<LlcSliceCore>> slices;
  std::unique_ptr<ReplicationDegreeDirectory> rdd;

 private:
  std::unique_ptr<AddressMap> map_;
};

using Bools = std::vector<bool>;

}  // namespace

TEST_CASE("the worked example of selective replication, step by step") {
  Example example;

  // Step 1: shared; X is in slice 0. Who brought it there the text does not say: cluster 0 here.
  CHECK(example.load(0) == "slice 0 miss");
  CHECK(example.holders() == Bools{true, false, false, false});

  // Step 2: degree 2. Clusters 0 and 1 use slices 0 and 1, clusters 2 and 3 slices 2 and 3. Nothing is moved.
  example.degree_index = 1;
  CHECK(example.holders() == Bools{true, false, false, false});
  CHECK(example.load(1) == "slice 0 hit");
  CHECK(example.load(3) == "slice 2 miss");

  // Step 3: the miss has installed a replica in slice 2; clusters 0 and 2 hit in slices 0 and 2.
  CHECK(example.holders() == Bools{true, false, true, false});
  CHECK(example.load(0) == "slice 0 hit");
  CHECK(example.load(2) == "slice 2 hit");

  // Step 4: back to shared. Cluster 3 hits in slice 0; the replica is there but no request leads to it.
  example.degree_index = 0;
  CHECK(example.load(3) == "slice 0 hit");
  CHECK(example.holders() == Bools{true, false, true, false});
  const std::uint64_t accesses = example.slices[2]->stats().accesses;
  for (int cluster = 0; cluster < 4; ++cluster) CHECK(example.load(cluster) == "slice 0 hit");
  CHECK(example.slices[2]->stats().accesses == accesses);

  // ... until 16 other lines of its set in slice 2 push it out.
  LlcSliceCore& slice = *example.slices[2];
  const std::uint32_t set = slice.set_of(Example::x);
  int others = 0;
  for (Address line = 128; others < 16; line += 128) {
    Access access;
    access.line = line;
    if (slice.set_of(line) != set) continue;
    CHECK(slice.contains(Example::x));
    const LlcDecision decision = slice.begin(access, 0);
    REQUIRE(decision.outcome == LlcOutcome::miss_new);
    slice.fill(decision.mshr, 0xf);
    ++others;
  }
  CHECK(example.holders() == Bools{true, false, false, false});
}

TEST_CASE("the directory predicts the worked example at every degree") {
  // The ten loads above: clusters 0, 1, 3, 0, 2, 3, then 0, 1, 2, 3. Shared: all but the first hit: 9. Degree
  // 2: clusters {0, 1} and {2, 3} miss once each: 8. Degree 4: every cluster misses once: 6.
  Example example;
  for (const int cluster : {0, 1, 3, 0, 2, 3, 0, 1, 2, 3}) example.load(cluster);
  CHECK(example.rdd->accesses(0) == 10);
  CHECK(example.rdd->hits(0) == 9);
  CHECK(example.rdd->hits(1) == 8);
  CHECK(example.rdd->hits(2) == 6);
}
