#include "models/power/constants.h"

#include "models/power/least_squares.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::power;

namespace {

std::string fault_of(const std::string& text) {
  try {
    Constants::read(text, "mine.yaml");
  } catch (const ConfigError& error) {
    std::string all;
    for (const Fault& fault : error.faults()) all += to_text(fault) + "\n";
    return all;
  }
  return "none";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A constant has three values, a unit, a source and how it was obtained") {
  const Constants table = Constants::read(
      "a.b: {value: [1, 2, 4], unit: pJ, source: paper, obtained: quoted}\n"
      "c: {value: 3, unit: mW, source: paper, obtained: quoted}\n"
      "d: {value: [-1, -2, -3], unit: mW, source: fit, obtained: fitted}\n",
      "mine.yaml");
  CHECK(table.value("a.b").low == 1);
  CHECK(table.value("a.b").nominal == 2);
  CHECK(table.value("a.b").high == 4);
  CHECK(table.value("c").low == 3);
  CHECK(table.value("d").high == -3);
  CHECK(table.at("a.b").unit == "pJ");
  CHECK(table.at("c").where.line == 2);
}

TEST_CASE("A table of constants that is written reads the same") {
  const Constants table =
      Constants::read("a: {value: [1, 2, 4], unit: pJ, source: 'the \"first\"', obtained: quoted}\n", "x");
  const Constants again = Constants::read(table.yaml(), "y");
  CHECK(again.value("a").high == 4);
  CHECK(again.at("a").source == "the \"first\"");
}

TEST_CASE("Constants without unit, source or origin are refused by name and line") {
  const std::string all = fault_of("# a comment\na: {value: 1}\n");
  CHECK(says(all, "mine.yaml:2"));
  CHECK(says(all, "constant a has no unit"));
  CHECK(says(all, "constant a has no source"));
  CHECK(says(all, "constant a has no obtained"));
}

TEST_CASE("Faults of a row of constants are named") {
  const std::string rest = ", unit: pJ, source: s, obtained: o}";
  CHECK(says(fault_of("a: {value: [2, 1, 3]" + rest), "out of order"));
  CHECK(says(fault_of("a: {value: [1, 2]" + rest), "one value or three"));
  CHECK(says(fault_of("a: {value: many" + rest), "needs numbers"));
  CHECK(says(fault_of("a: {value: 1e999" + rest), "needs numbers"));
  CHECK(says(fault_of("a: {value: 1, sorce: s" + rest), "did you mean 'source'?"));
  CHECK(says(fault_of("a: 3"), "must be a mapping"));
  CHECK(says(fault_of("[1, 2]"), "is a mapping"));
  CHECK(says(fault_of("a: {value: 1" + rest + "\na: {value: 1" + rest), "there twice"));
  CHECK(says(fault_of("a: {value: ["), "mine.yaml"));
}

TEST_CASE("A constant that is missing is named with the nearest") {
  const Constants table =
      Constants::read("router.e_read.bit: {value: 1, unit: pJ, source: s, obtained: o}", "mine.yaml");
  try {
    table.at("router.e_read.bits");
    FAIL("taken");
  } catch (const ConfigError& error) {
    CHECK(says(error.what(), "did you mean 'router.e_read.bit'?"));
  }
}

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
