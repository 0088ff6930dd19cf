// Comparisons of sweeps: speed-ups by workload, their mean, the best configuration, and what matters.
#include "platforms/studies/sweep/sweep_comparison.h"

#include <cmath>
#include <sstream>

#include "models/common/faults.h"
#include "platforms/studies/sweep/sweep_store.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

using namespace strata;
using namespace strata::platforms;
using strata::tb::has_text;
using strata::tb::TempFolder;

namespace {

struct Run {
  std::string workload, l1, llc;
  int seed;
  int cycles;
};

/// A sweep's file with the runs; those without cycles have failed.
Database sweep_of(const TempFolder& folder, const std::vector<Run>& runs) {
  Database file(folder.path() + "/sweep.sqlite", true);
  file.run(sweep_tables);
  file.run(
      "INSERT INTO meta VALUES('schema', 'strata-sweep'), ('schema_version', '1'), ('name', 'sizes');"
      "INSERT INTO names VALUES(1, 'cycles', 'cycles');"
      "CREATE VIEW overview AS SELECT platform, variant, workload, seed, '' AS \"l1.size\", '' AS "
      "\"llc.size\" "
      "FROM points");
  int id = 0;
  for (const Run& run : runs) {
    const std::string number = std::to_string(++id);
    file.run("INSERT INTO points VALUES(" + number + ", 'point" + number + "', 'tiny', 'plain', '" +
             run.workload + "', " + std::to_string(run.seed) + ", 1, '" +
             (run.cycles > 0 ? "done" : "failed") +
             "', NULL, '', 'runs/gone', '', '', '', '', NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
    file.run("INSERT INTO settings VALUES(" + number + ", 'l1.size', '" + run.l1 + "'), (" + number +
             ", 'llc.size', '" + run.llc + "')");
    if (run.cycles > 0)
      file.run("INSERT INTO figure_values VALUES(" + number + ", 1, " + std::to_string(run.cycles) + ")");
  }
  return file;
}

/// A larger L1 halves the time of gemm only; a larger LLC quarters both.
const std::vector<Run> two_by_two = {{"gemm", "8", "64", 1, 1600},  {"nn", "8", "64", 1, 160},
                                     {"gemm", "16", "64", 1, 800},  {"nn", "16", "64", 1, 160},
                                     {"gemm", "8", "128", 1, 400},  {"nn", "8", "128", 1, 40},
                                     {"gemm", "16", "128", 1, 200}, {"nn", "16", "128", 1, 40}};

std::string fault_of(const Database& file, const std::string& baseline) {
  try {
    compare_sweep(file, baseline);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a sweep's speed-ups are of each workload, and their mean is geometric") {
  const TempFolder folder;
  const SweepComparison all = compare_sweep(sweep_of(folder, two_by_two), std::nullopt);
  CHECK(all.dimensions.at(all.key).key == "l1.size");  // the first key under set
  CHECK(all.value == 0);
  CHECK(!all.chosen);
  REQUIRE(all.workloads == std::vector<std::string>{"gemm", "nn"});
  CHECK(all.of[0][1]->ratio == Approx(2));  // 1600 to 800, and 400 to 200
  CHECK(all.of[1][1]->ratio == Approx(1));
  CHECK(!all.of[0][1]->half);  // one seed
  CHECK(all.all[1]->ratio == Approx(std::sqrt(2)));
  CHECK(all.all[1]->least == Approx(1));
  CHECK(all.all[1]->most == Approx(2));
  CHECK(all.all[1]->combinations == 2);
  // Both larger: 8 times for gemm and 4 times for nn, whose geometric mean is the root of 32.
  REQUIRE(all.best);
  CHECK(all.text_of(all.best->configuration) == "l1.size 16, llc.size 128");
  CHECK(all.best->speed_up.ratio == Approx(std::sqrt(32)));
  CHECK(all.configurations == 4);
  // For nn the L1 does not matter, so that no other configuration is better than that.
  CHECK(all.of_workload.empty());
}

TEST_CASE("shares of the variance of the logarithm of time, by dimension") {
  // Logarithms to base 2 around the mean of each workload: gemm 1.5, 0.5, -0.5, -1.5 (squares 5), nn 1, 1,
  // -1, -1 (squares 4). LLC: means 1 and -1 for both, 8 of 9. L1: 0.25 and -0.25 over both, 0.5 of 9; by
  // workload 0.5 and -0.5 for gemm, 0 for nn: squares 1, of which 0.5 are beyond what is alike.
  const TempFolder folder;
  const SweepComparison all = compare_sweep(sweep_of(folder, two_by_two), "llc.size=64");
  REQUIRE(all.shares.size() == 2);
  CHECK(all.shares[0].name == "llc.size");
  CHECK(all.shares[0].alike == Approx(8.0 / 9));
  CHECK(all.shares[0].apart == Approx(0).margin(1e-9));
  CHECK(all.shares[0].range == Approx(4));
  CHECK(all.shares[1].name == "l1.size");
  CHECK(all.shares[1].alike == Approx(0.5 / 9));
  CHECK(all.shares[1].apart == Approx(0.5 / 9));
  CHECK(all.shares[1].range == Approx(std::sqrt(2)));
  CHECK(all.interactions == Approx(0).margin(1e-9));
  CHECK(all.complete);
  CHECK(all.all[1]->ratio == Approx(4));
}

TEST_CASE("runs of equal seeds are pairs") {
  // Logarithms of the ratios: ln 2 and ln 1.5, mean ln of the root of 3. Their standard deviation is 0.28768
  // / sqrt(2) = 0.20342; half of the interval is 12.706 * 0.20342 / sqrt(2) = 1.8277, as ratios sqrt(3) *
  // sinh(1.8277) = 5.247.
  const TempFolder folder;
  const SweepComparison all = compare_sweep(sweep_of(folder, {{"nn", "8", "64", 1, 1000},
                                                              {"nn", "8", "64", 2, 1200},
                                                              {"nn", "16", "64", 1, 500},
                                                              {"nn", "16", "64", 2, 800}}),
                                            std::nullopt);
  REQUIRE(all.all[1]);
  CHECK(all.all[1]->ratio == Approx(std::sqrt(3)));
  REQUIRE(all.all[1]->half);
  CHECK(*all.all[1]->half == Approx(5.247).epsilon(1e-3));
  CHECK(all.all[1]->within_noise());
  CHECK(all.seeds > 0);
}

TEST_CASE("a dimension whose values go with the baseline's key is no other dimension") {
  const TempFolder folder;
  const SweepComparison all = compare_sweep(
      sweep_of(folder, {{"nn", "8", "64", 1, 1000}, {"nn", "16", "128", 1, 500}}), "l1.size=16");
  CHECK(all.along == std::vector<std::string>{"llc.size"});
  CHECK(all.of[0][0]->ratio == Approx(0.5));
  REQUIRE(all.shares.size() == 1);
  CHECK(all.shares[0].name == "l1.size with llc.size");
}

TEST_CASE("runs without a partner are counted and left out") {
  const TempFolder folder;
  const SweepComparison all =
      compare_sweep(sweep_of(folder, {{"gemm", "8", "64", 1, 0},     // failed
                                      {"gemm", "16", "64", 1, 500},  // without a partner
                                      {"nn", "8", "64", 1, 100},
                                      {"nn", "16", "64", 1, 50}}),
                    std::nullopt);
  CHECK(all.missing == 1);
  CHECK(!all.of[0][1]);
  CHECK(all.of[1][1]->ratio == Approx(2));
  CHECK(!all.all[1]);  // not the mean over fewer workloads
}

TEST_CASE("keys and values that a sweep does not have are refused with those that it has") {
  const TempFolder folder;
  const Database file = sweep_of(folder, two_by_two);
  CHECK_THAT(fault_of(file, "l1.sise=8"),
             has_text("did you mean 'l1.size'?") && has_text("allowed: l1.size, llc.size"));
  CHECK_THAT(fault_of(file, "l1.size=9"), has_text("allowed: 8, 16"));
  CHECK_THAT(fault_of(file, "l1.size"), has_text("is not KEY=VALUE"));
  CHECK_THAT(fault_of(file, "workload=gemm"), has_text("is no key"));
}

TEST_CASE("the text of a comparison fits 100 columns and never sets workloads against each other") {
  const TempFolder folder;
  std::vector<Run> runs;
  for (int w = 0; w < 3; ++w)
    for (int v = 0; v < 20; ++v)
      runs.push_back({"a trace with a name that is much too long for a table " + std::to_string(w),
                      "value number " + std::to_string(v), "64", 1, 1000 * (w + 1) - v});
  sweep_of(folder, runs);
  const std::string text = sweep_comparison(folder.path(), std::nullopt, SweepFormat::text);
  INFO(text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    CHECK(static_cast<int>(line.size()) <= (line.rfind("best", 0) == 0 ? 200 : 100));
  CHECK_THAT(text, has_text("geometric mean"));
  CHECK_THAT(text, !has_text("1 against a trace"));
}
