#include <vector>

#include "models/llc_predictors/degree_selection.h"
#include "models/llc_predictors/replica_tags.h"
#include "models/llc_predictors/replication_degree_directory.h"
#include "models/llc_predictors/replication_shape.h"
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
