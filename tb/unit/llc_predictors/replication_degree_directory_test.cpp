#include "models/llc_predictors/replication_degree_directory.h"

#include <vector>

#include "models/llc_predictors/degree_selection.h"
#include "models/llc_predictors/replica_tags.h"
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
