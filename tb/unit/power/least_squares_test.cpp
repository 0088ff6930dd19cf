#include "models/power/least_squares.h"

#include "tb/support/catch.h"

using namespace strata::power;

TEST_CASE("Least squares find the coefficients that made the rows") {
  FitRows rows;  // y = 2 a + 3 b
  for (double a = 1; a < 5; ++a)
    for (double b = 1; b < 4; ++b) {
      rows.factors.push_back({a, b * b});
      rows.targets.push_back(2 * a + 3 * b * b);
      rows.groups.push_back(static_cast<int>(a));
    }
  const std::vector<double> c = fit(rows);
  CHECK(c[0] == Approx(2));
  CHECK(c[1] == Approx(3));
  CHECK(residuals(rows, c).most() < 1e-12);
  CHECK(cross_validate(rows).errors.size() == 12);
  CHECK(cross_validate(rows).most() < 1e-12);
}

TEST_CASE("Relative errors are least, not absolute ones") {
  // One factor of 1, targets 1 and 2: sum (c - 1)^2 + (c / 2 - 1)^2 is least at c = (1 + 1/2) / (1 + 1/4)
  // = 1.2.
  FitRows rows{{{1}, {1}}, {1, 2}, {0, 1}};
  CHECK(fit(rows)[0] == Approx(1.2));
  const Residuals errors = residuals(rows, fit(rows));
  CHECK(errors.errors[0] == Approx(0.2));
  CHECK(errors.most() == Approx(0.4));
  // Left out, each row is foretold by the other: 2 / 1 - 1 and 1 / 2 - 1.
  CHECK(cross_validate(rows).errors[0] == Approx(0.5));
  CHECK(cross_validate(rows).most() == Approx(1));
}

TEST_CASE("Terms that rows cannot tell apart leave the others a fit") {
  FitRows rows{{{1, 2}, {2, 4}, {3, 6}}, {2, 4, 6}, {0, 1, 2}};
  const std::vector<double> c = fit(rows);
  CHECK(c[0] + 2 * c[1] == Approx(2));
  CHECK(residuals(rows, c).most() < 1e-12);
}

TEST_CASE("Percentiles of no rows are 0") {
  CHECK(Residuals{}.median() == 0);
  const Residuals errors{{0.1, 0.2, 0.3, 0.4}};
  CHECK(errors.median() == 0.3);
  CHECK(errors.percentile95() == 0.4);
}
