#include "models/llc_predictors/degree_selection.h"

#include <vector>

#include "models/llc_predictors/replication_shape.h"
#include "tb/support/catch.h"

using namespace strata;

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
