#include "models/llc_predictors/replica_tags.h"

#include "models/llc_predictors/replication_degree_directory.h"
#include "tb/support/catch.h"

using namespace strata;

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
