#include "models/power/constants.h"

#include "models/common/input_file.h"
#include "models/power/dram_power.h"
#include "models/power/link_power.h"
#include "models/power/router_power.h"
#include "models/power/sram_power.h"
#include "platforms/studies/energy/fit_constants.h"
#include "platforms/studies/energy/machine_model.h"
#include "platforms/studies/energy/reference_rows.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

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
  const Constants shipped =
      Constants::read(read_input("platforms/studies/energy/fitted.yaml"), "fitted.yaml");
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

// Of 78 rows two have another layout here. For 64 KiB with 4 ways two cost the same to 0.05 % in the tool's
// own figures: 0.0114 nJ and 0.419 ns, or 0.0135 nJ and 0.386 ns. For 96 KiB with 8 ways that are read at
// once and a read port, energies and delays are nearly the same and only the areas differ.
TEST_CASE("SRAMs are foretold within 10 per cent, also of capacities that were left out, but for two") {
  for (const BlockErrors& errors :
       {shipped_rows().srams(false), shipped_rows().srams(true), shipped_rows().srams_by_size()})
    for (const auto& [figure, residuals] : errors) {
      INFO(figure);
      CHECK(residuals.errors.size() == 78);
      CHECK(residuals.median() < 0.01);
      CHECK(residuals.quantile(0.95) < 0.05);
      CHECK(residuals.errors[figure == "area" ? 75 : 76] < 0.10);  // all but two areas, but one of the rest
    }
}

TEST_CASE("Where two layouts cost the same, the interval holds both") {
  const power::SramModel srams(shipped_rows().constants());
  const power::SramPower p = srams({65536, 4, 128, 256, false, power::TagAccess::sequential});
  CHECK(p.read.low < 0.0114081 * 1.01);  // the row of the tool: nJ, mm2
  CHECK(p.read.nominal == Approx(0.0135).epsilon(0.01));
  CHECK(p.area.nominal == Approx(0.0546).epsilon(0.02));
  CHECK(p.area.high > 0.0812116);
}

TEST_CASE("SRAMs between two rows are foretold within 15 per cent") {
  const power::SramModel srams(shipped_rows().constants());
  const std::vector<SramRow> rows = between_rows("tb/data/power");
  CHECK(rows.size() == 12);
  for (const SramRow& row : rows)
    for (const auto& [figure, share] : compare(row, srams)) {
      INFO(row.name << ": " << figure);
      CHECK(share == Approx(1).margin(0.15));
    }
}

TEST_CASE("SRAMs of every shape in the range cost something, and more bytes leak and take more") {
  const power::SramModel srams(shipped_rows().constants());
  for (const bool read_port : {false, true})
    for (const auto tags : {power::TagAccess::sequential, power::TagAccess::parallel})
      for (const double bits : {256.0, 512.0, 1024.0})
        for (const double ways : {4.0, 8.0, 12.0, 16.0}) {
          power::SramPower before;
          for (double bytes = 16384; bytes <= 1048576; bytes *= 2) {
            const power::SramPower p = srams({bytes, ways, 128, bits, read_port, tags});
            CAPTURE(read_port, bits, ways, bytes);
            CHECK(p.tags.low > 0);
            CHECK(p.read.low > p.tags.high);
            CHECK(p.write.low > p.tags.high);
            CHECK(p.access.low > 0);
            CHECK(p.leakage.nominal > before.leakage.nominal);
            CHECK(p.area.nominal > before.area.nominal);
            before = p;
          }
        }
}

TEST_CASE("Constants can be held against rows that they were not fitted to") {
  const std::string text = check_constants("tb/data/power", shipped_rows().constants());
  INFO(text);
  CHECK(text.find("L1_64K_4w sequential, 256 bits") != std::string::npos);  // the row that is furthest off
  power::Constants off = shipped_rows().constants();
  const power::Constant wire = off.at("link.e_flit.wire");
  off.set("link.e_flit.wire", {wire.value * 2, wire.unit, wire.source, wire.obtained, {}});
  CHECK(check_constants("tb/data/power", off) != text);
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

TEST_CASE("Reference rows may end their lines as other systems do") {
  const tb::TempFolder folder;
  const ReferenceTable table(folder.write("rows.csv", "bits,met\r\n4,1\r\n8,0\r\n"));
  CHECK(table.number(0, "met") == 1);
  CHECK(table.number(1, "met") == 0);
}

TEST_CASE("The constants that Strata comes with are all that the models ask for") {
  const power::Constants table = load_constants();
  power::RouterModel{table};
  power::LinkModel{table};
  power::SramModel{table};
  for (const char* family : {"gddr5", "gddr6", "hbm", "hbm2"})
    CHECK(power::dram_power(table, family, 2048).activate.nominal > 0);
  CHECK(power::Technology{0.8, 350, 32}.leakage(table).nominal > 1);
  for (const auto& [name, row] : table.rows()) {
    INFO(name);
    CHECK_FALSE(row.source.empty());
  }
}

TEST_CASE("A file of a user's takes the place of rows, in their unit") {
  const tb::TempFolder folder;
  const std::string better = folder.write(
      "mine.yaml", "sm.thread: {value: [1, 2, 3], unit: pJ, source: mine, obtained: measured}\n");
  CHECK(load_constants({better}).value("sm.thread").nominal == 2);
  const std::string wrong =
      folder.write("mine.yaml", "sm.thread: {value: 2, unit: nJ, source: mine, obtained: measured}\n");
  CHECK_THROWS_WITH(load_constants({wrong}), tb::has_text("is in nJ; the model takes it in pJ"));
  const std::string unknown =
      folder.write("mine.yaml", "sm.threads: {value: 2, unit: pJ, source: mine, obtained: measured}\n");
  CHECK_THROWS_WITH(load_constants({unknown}), tb::has_text("did you mean 'sm.thread'?"));
  CHECK_THROWS_WITH(load_constants({unknown}), tb::has_text("mine.yaml:1:"));
  for (const char* row : {"sm.thread", "module.x.hits"}) {
    const std::string less = folder.write(
        "mine.yaml", std::string(row) + ": {value: -2, unit: pJ, source: mine, obtained: measured}\n");
    CHECK_THROWS_WITH(load_constants({less}), tb::has_text("is negative; nothing gives energy or area back"));
  }
  CHECK_THROWS_WITH(load_constants({"no-such-file.yaml"}), tb::has_text("cannot read the constants"));
}
