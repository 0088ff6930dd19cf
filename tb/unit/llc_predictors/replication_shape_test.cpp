#include "models/llc_predictors/replication_shape.h"

#include "tb/support/catch.h"

using namespace strata;

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
