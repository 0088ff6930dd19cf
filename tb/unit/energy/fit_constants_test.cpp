#include "platforms/energy/fit_constants.h"

#include "models/common/input_file.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;
using power::Constants;

namespace {

const ConstantsFit& shipped_rows() {
  static const ConstantsFit fit("tb/data/power");
  return fit;
}

power::RouterModel routers() {
  return power::RouterModel(shipped_rows().constants());
}

/// Routers one way and back: requests with inputs x outputs, replies the other way round.
double both_ways(double inputs, double outputs, double bits, double vcs, double flits) {
  return routers()({inputs, outputs, bits, vcs, flits}).area().nominal +
         routers()({outputs, inputs, bits, vcs, flits}).area().nominal;
}

}  // namespace

TEST_CASE("The constants that Strata comes with are those that the reference rows give") {
  const Constants shipped = Constants::read(read_input("platforms/energy/fitted.yaml"), "fitted.yaml");
  CHECK(shipped.rows().size() == shipped_rows().constants().rows().size());
  for (const auto& [name, constant] : shipped_rows().constants().rows()) {
    INFO(name);
    REQUIRE(shipped.has(name));
    CHECK(shipped.value(name).nominal == Approx(constant.value.nominal).epsilon(1e-4));
    CHECK(shipped.value(name).high == Approx(constant.value.high).epsilon(1e-4));
  }
}

TEST_CASE("Routers and links of configurations left out of the fit are foretold within 3 and 10 per cent") {
  for (const auto& errors : {shipped_rows().routers(true), shipped_rows().links(true)})
    for (const auto& [figure, residuals] : errors) {
      INFO(figure);
      CHECK(residuals.errors.size() >= 60);
      CHECK(residuals.median() < 0.03);
      CHECK(residuals.percentile95() < 0.10);
    }
}

// The tool's layout is one of many that differ by less than its own figures are exact: of every twenty SRAMs
// about one gets another one here, whose energy and area then differ by more.
TEST_CASE("SRAMs are foretold within 10 per cent but for one in ten that is laid out otherwise") {
  for (const auto& [figure, residuals] : shipped_rows().srams(false)) {
    INFO(figure);
    CHECK(residuals.errors.size() == 78);
    CHECK(residuals.median() < 0.02);
    CHECK(residuals.quantile(0.9) < 0.10);
  }
}

TEST_CASE("Every formula of an SRAM with the tool's layout is within 10 per cent of every row") {
  for (const FormulaFit& fit : shipped_rows().formulas()) {
    if (fit.name.rfind("sram", 0) != 0) continue;
    INFO(fit.name);
    CHECK(fit.fitted.most() < 0.10);
  }
}

// Figures of the tool itself: tb/data/power/README.md. DC-L1 routers have 4 VCs of 4 flits, 32 B channels.
TEST_CASE("Networks of the DC-L1 paper have the areas that the tool gives them") {
  const auto network = [](double first_routers, double first_in, double first_out, double nodes) {
    const double first = first_routers * both_ways(first_in, first_out, 256, 4, 16);
    return first + both_ways(nodes, 32, 256, 4, 16);
  };
  const double base = both_ways(80, 32, 256, 4, 16);
  const auto change = [base](double area) { return 100 * (area / base - 1); };
  CHECK(change(network(40, 2, 1, 40)) == Approx(-27.9).margin(1));  // Pr40
  CHECK(change(network(20, 4, 1, 20)) == Approx(-54.3).margin(1));  // Pr20
  CHECK(change(network(10, 8, 1, 10)) == Approx(-67.2).margin(1));  // Pr10
  CHECK(change(network(1, 80, 40, 40)) == Approx(73).margin(1));    // Sh40
  // Clusters: 40 nodes in all, each of a cluster to every so-many-th slice.
  const auto clusters = [](double n) {
    return n * both_ways(80 / n, 40 / n, 256, 4, 16) + 40 / n * both_ways(n, 32 / (40 / n), 256, 4, 16);
  };
  CHECK(change(clusters(5)) == Approx(-46).margin(1));
  CHECK(change(clusters(10)) == Approx(-51).margin(1));
  CHECK(change(clusters(20)) == Approx(-46).margin(1));
}

// Adaptive LLC paper, Figure 7: 80 SMs, 64 slices; the same bisection bandwidth with narrower channels.
TEST_CASE("Hierarchical crossbars have the areas that the tool gives them") {
  const auto hierarchical = [](double bits) {
    return 8 * both_ways(10, 8, bits, 1, 8) + 8 * both_ways(8, 8, bits, 1, 8);
  };
  const auto concentrated = [](double by) {
    return both_ways(80 / by, 64 / by, 256, 1, 8) + 80 / by * both_ways(by, 1, 256, 1, 8) +
           64 / by * both_ways(1, by, 256, 1, 8);
  };
  const auto change = [](double area, double base) { return 100 * (area / base - 1); };
  const double full = change(hierarchical(256), both_ways(80, 64, 256, 1, 8));
  const double by2 = change(hierarchical(128), concentrated(2));
  const double by4 = change(hierarchical(64), concentrated(4));
  const double by8 = change(hierarchical(32), concentrated(8));
  CAPTURE(full, by2, by4, by8);
  for (const double share : {full, by2, by4, by8}) {
    CHECK(share < -68 + 5);
    CHECK(share > -80 - 5);
  }
}

TEST_CASE("Reference rows that cannot be read are named") {
  try {
    ConstantsFit("tb/data/no-such-folder");
    FAIL("taken");
  } catch (const ConfigError& error) {
    CHECK(std::string(error.what()).find("dsent_routers_22nm.csv") != std::string::npos);
  }
}
