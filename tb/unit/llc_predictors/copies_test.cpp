#include <memory>
#include <string>
#include <vector>

#include "models/llc_predictors/replica_tags.h"
#include "models/llc_predictors/replication_degree_directory.h"
#include "models/llc_predictors/replication_shape.h"
#include "models/llc_slice/llc_slice_core.h"
#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("the replication degree directory answers as in figure 10 of the paper") {
  // 8 clusters and slices; cluster 3 has touched the line. Then cluster 3 hits in a private LLC, cluster 2
  // only with degree 4 (clusters 2-3 share), 2 (0-3) and 1, cluster 5 only in a shared LLC.
  for (const auto tags : {RddParams::Tags::one, RddParams::Tags::per_degree}) {
    RddParams params;
    params.tags = tags;
    params.clusters = params.slices = 8;
    params.degrees = {1, 2, 4, 8};
    ReplicationDegreeDirectory rdd(params);
    const auto hits_of = [&rdd](int cluster) {
      rdd.clear();
      rdd.observe(0, 77, 0, 3);
      rdd.reset_counts();
      rdd.observe(0, 77, 0, cluster);
      std::vector<std::uint64_t> hits;
      for (int i = 0; i < 4; ++i) hits.push_back(rdd.hits(i));
      return hits;
    };
    CHECK(hits_of(3) == std::vector<std::uint64_t>{1, 1, 1, 1});
    CHECK(hits_of(2) == std::vector<std::uint64_t>{1, 1, 1, 0});
    CHECK(hits_of(0) == std::vector<std::uint64_t>{1, 1, 0, 0});
    CHECK(hits_of(5) == std::vector<std::uint64_t>{1, 0, 0, 0});
    CHECK(rdd.accesses(0) == 1);
    CHECK(rdd.hit_rate(0) == Approx(1));
  }
}

TEST_CASE("the storage of selective replication from its parameters") {
  RddParams params;
  const ReplicationDegreeDirectory one(params);
  CHECK(one.storage_bits() == 32 * (20 + 30));  // 200 bytes: a tag and 2 + 4 + 8 + 16 bits
  CHECK(one.counter_bits() == 6 * 16);          // a hit counter a degree, one for accesses
  CHECK(one.replacement_bits() == 32 * 4);
  params.tags = RddParams::Tags::per_degree;
  const ReplicationDegreeDirectory five(params);
  CHECK(five.storage_bits() / 8 == 520);  // the paper's figure: 32 x (5 x 20 + 30) bits
  CHECK(five.counter_bits() == 10 * 16);
  // R_i of 5 degrees and 16 slices, with the 6 counters above: the paper's 86 counters, 172 bytes.
  const DegreeLoads loads(one.shape(), 16);
  CHECK(loads.storage_bits() == 5 * 16 * 16);
  CHECK(loads.storage_bits() + one.counter_bits() == 86 * 16);
  // True tags: 2 sets of 16 ways in each of 16 slices, for each of five degrees.
  const ReplicaTags replicas(ReplicaTagsParams{});
  CHECK(replicas.storage_bits() == 5 * 16 * 32 * 20);
  CHECK(replicas.replacement_bits() == 5 * 16 * 32 * 4);
  CHECK(replicas.counter_bits() == 10 * 16);
}

TEST_CASE("copies of a line live in the slices of the requester's group") {
  // 8 clusters, 8 slices, degree 4: groups of 2 clusters with 2 slices each.
  const ReplicationShape shape(8, 8, {1, 2, 4, 8});
  CHECK(shape.slice(0, 5, 3) == 3);          // shared: the address's
  CHECK(shape.slice(1, 5, 3) == 4 + 3);      // group 1 uses slices 4-7
  CHECK(shape.slice(2, 5, 3) == 2 * 2 + 1);  // group 2, 3 mod 2
  CHECK(shape.slice(3, 5, 3) == 5);          // private: slice = cluster
  CHECK(shape.group_mask(2, 5) == 0x30);
  CHECK(shape.owner(2, 5) == 2);  // slices 4 and 5 are group 2's
  CHECK(shape.owner(0, 7) == 0);
  // 16 clusters on 8 slices, degree 8: two clusters a slice.
  CHECK(ReplicationShape(16, 8, {8}).slice(0, 7, 5) == 3);
  CHECK(ReplicationShape::allows(16, 8, 8));
  CHECK_FALSE(ReplicationShape::allows(16, 8, 16));
  CHECK_FALSE(ReplicationShape::allows(16, 16, 3));
  CHECK_FALSE(ReplicationShape::allows(16, 16, 0));
}

TEST_CASE("loads of each degree and the choice of the best") {
  // 4 clusters, 4 slices; every cluster loads a line of slice 0 ten times. Shared: slice 0 gets 40, LSP 1.
  // Degree 2: slices 0 and 2 get 20 each. Degree 4: 10 each.
  const ReplicationShape shape(4, 4, {1, 2, 4});
  DegreeLoads loads(shape, 16);
  for (int i = 0; i < 40; ++i) loads.count(0, i % 4, 0);
  CHECK(loads.degree(0).lsp() == Approx(1));
  CHECK(loads.degree(1).lsp() == Approx(2));
  CHECK(loads.degree(1).counter(2) == 20);
  CHECK(loads.degree(2).lsp() == Approx(4));
  // With hit rates 1, 1, 0.25 and 8 B per cycle of memory a slice: 32, 64, 4 x (8 + 8) = 64: the smaller
  // degree wins among equals.
  const double rates[] = {1, 1, 0.25};
  std::vector<double> bandwidths;
  for (int i = 0; i < 3; ++i)
    bandwidths.push_back(selrep_bandwidth({rates[i], loads.degree(i).lsp()}, {32, 8}));
  CHECK(bandwidths == std::vector<double>{32, 64, 64});
  CHECK(best_degree(bandwidths) == 1);
  loads.reset(0);
  CHECK(loads.degree(2).accesses() == 0);
}

TEST_CASE("copies take room in true tags only") {
  // 2 clusters, 2 slices of one set with one way: shared holds a line of each slice, private one line a
  // cluster. Both clusters use line 0 of slice 0 and line 1 of slice 1 in turn, all sets sampled.
  RddParams params;
  params.clusters = params.slices = 2;
  params.degrees = {1, 2};
  params.slice_sets = 1;
  params.ways = 1;
  params.sampled_sets = 2;
  ReplicationDegreeDirectory rdd(params);
  ReplicaTags tags({2, 2, 1, {1, 2}, 1, 0, 1, 20, 16});
  for (int i = 0; i < 8; ++i) {
    const int cluster = i / 2 % 2;
    rdd.observe(0, static_cast<std::uint64_t>(i % 2), i % 2, cluster);
    tags.observe(0, static_cast<std::uint64_t>(i % 2), i % 2, cluster);
  }
  // Shared misses twice of 8; private never hits: each slice's single way alternates between two lines.
  CHECK(rdd.hits(0) == 6);
  CHECK(rdd.hits(1) == 4);  // sees every cluster's second touch as a hit
  CHECK(tags.hits(0) == 6);
  CHECK(tags.accesses(0) == 8);
  CHECK(tags.hits(1) == 0);
  CHECK(tags.accesses(1) == 8);
  tags.reset_counts();
  CHECK(tags.hit_rate(0) == 0);
}

TEST_CASE("what has no copies takes room in the slice of its address") {
  // Private, 2 clusters, one way. Cluster 0's copy of line 0 lives in slice 0; cluster 1's atomics on line 4
  // of address slice 0 go there too and evict it. Line 5 of address slice 1 does not.
  ReplicaTags tags({2, 2, 1, {2}, 1, 0, 1, 20, 16});
  tags.observe(0, 0, 0, 0);
  tags.observe(0, 5, 1, 1, false);
  tags.observe(0, 0, 0, 0);
  CHECK(tags.hits(0) == 1);
  tags.observe(0, 4, 0, 1, false);
  tags.observe(0, 0, 0, 0);
  CHECK(tags.hits(0) == 1);
  CHECK(tags.accesses(0) == 3);
  tags.clear();
  tags.observe(0, 0, 0, 0);
  CHECK(tags.hits(0) == 0);
}

TEST_CASE("true tags sample the same lines at every degree") {
  // 2 clusters, 4 slices of 8 sets, one of them sampled: set 0 of every slice. The one hot line lies in slice
  // 3. A sample of whole positions, one of 32 with one copy and one of 16 with two, would see set 0 of slice
  // 0 alone and know nothing of it.
  ReplicaTags tags({2, 4, 8, {1, 2}, 1, 0, 16, 20, 16});
  for (int i = 0; i < 8; ++i) {
    tags.observe(0, 24, 3, i % 2);
    tags.observe(4, 28, 3, i % 2);  // another set
  }
  for (const int index : {0, 1}) CHECK(tags.accesses(index) == 8);
  CHECK(tags.hits(0) == 7);  // one fetch for both
  CHECK(tags.hits(1) == 6);  // one for each copy
  CHECK(tags.storage_bits() == 2 * 4 * 16 * 20);
}

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
