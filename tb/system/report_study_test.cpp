// Pages of sweeps and of reproductions in a headless Chromium.
#include <sqlite3.h>

#include "tb/support/page_checks.h"

using namespace strata::tb;

namespace {

/// The answer of SQLite to a question with one figure.
double asked(const std::string& file, const std::string& sql) {
  sqlite3* database = nullptr;
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  REQUIRE(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
  REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
  const double value = sqlite3_column_double(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return value;
}

/// Chooses in a list of the page.
void pick(Browser& browser, const std::string& select, const std::string& value) {
  browser.value("(() => { const pick = document.querySelector('" + select + "'); pick.value = '" + value +
                "'; pick.dispatchEvent(new Event('change')); })()");
}

Json rows_of(Browser& browser, const std::string& host) {
  return browser.value("[...document.querySelectorAll('" + host +
                       " > .scroll tbody tr')].map(row => [...row.cells].map(c => c.textContent))");
}

}  // namespace

TEST_CASE("the page of a sweep shows what its file holds, in the way that is chosen") {
  if (no_browser()) return;
  TempFolder folder;
  const std::string out = folder.path() + "/sweep", file = out + "/sweep.sqlite",
                    page = folder.path() + "/page.html";
  const std::string sweep =
      folder.write("sizes.yaml",
                   "platforms: [tiny]\nset: {l1.size: [96 KiB, 12 KiB], llc.latency: [100, 400]}\n"
                   "traces: [\"synthetic:random:ctas=2,loads=4,footprint=64KiB\"]\nseeds: 1..3\n"
                   "figures: [ipc, mean_load_latency]\n");
  run_strata(folder, {"sweep", sweep, "--jobs", "2", "--out", out});
  run_strata(folder, {"report", out, "--out", page});
  Browser browser(1280, 900);
  browser.open(page);
  CHECK(browser.value("document.querySelector('h1').textContent") == "Sweep sizes");
  CHECK_THAT(browser.value("document.getElementById('sweep').innerText").get<std::string>(),
             has_text("12 points of sweep/sweep.sqlite: 12 done."));

  // At first speed-ups over the first value of the first key under set: those of 12 KiB are geometric means
  // of pairs of equal seeds, and none sets a latency against the other.
  CHECK_THAT(browser.value("document.getElementById('sweep').innerText").get<std::string>(),
             has_text("best of 4: "));
  const auto log_time = [&](const std::string& size) {
    double sum = 0;
    for (const char* seed : {"1", "2", "3"})
      sum +=
          std::log(asked(file,
                         "SELECT f.value FROM figures f JOIN points p ON p.id = f.point JOIN settings s ON "
                         "s.point = p.id JOIN settings t ON t.point = p.id WHERE f.name = 'cycles' AND "
                         "s.key = 'l1.size' AND s.value = '" +
                             size + "' AND t.key = 'llc.latency' AND t.value = '100' AND seed = " + seed));
    return sum / 3;
  };
  for (const Json& row : rows_of(browser, "#sweep")) {
    if (row[0] == "96 KiB") CHECK(number(row[3]) == 1);
    if (row[0] == "12 KiB" && row[1] == "100")
      CHECK(number(row[3]) == Approx(std::exp(log_time("96 KiB") - log_time("12 KiB"))).epsilon(1e-4));
  }
  pick(browser, "[data-pick=base]", "l1.size=12 KiB");
  for (const Json& row : rows_of(browser, "#sweep"))
    if (row[0] == "12 KiB") CHECK(number(row[3]) == 1);
  pick(browser, "[data-pick=y]", "ipc");

  // A row for each of two sizes and two latencies: mean and interval over three seeds, as worked out from the
  // file; 4.303 is Student's quantile of two degrees of freedom.
  const auto where = [](const Json& row) {
    return "FROM figures f JOIN points p ON p.id = f.point WHERE f.name = 'ipc' AND EXISTS (SELECT 1 FROM "
           "settings "
           "WHERE point = p.id AND key = 'l1.size' AND value = '" +
           row[0].get<std::string>() +
           "') AND EXISTS (SELECT 1 FROM settings WHERE point = p.id AND key = "
           "'llc.latency' AND value = '" +
           row[1].get<std::string>() + "')";
  };
  const Json rows = rows_of(browser, "#sweep");
  REQUIRE(rows.size() == 4);
  for (const Json& row : rows) {
    INFO(row);
    const double mean = asked(file, "SELECT avg(value) " + where(row)),
                 squares = asked(
                     file, "SELECT sum(value * value) - count(*) * avg(value) * avg(value) " + where(row));
    CHECK(row[2] == "3");
    CHECK(number(row[3]) == Approx(mean).epsilon(1e-4));
    CHECK(number(row[4]) == Approx(4.303 * std::sqrt(squares / 2 / 3)).epsilon(2e-3));
    CHECK(number(row[5]) == Approx(asked(file, "SELECT min(value) " + where(row))).epsilon(1e-4));
    CHECK(number(row[6]) == Approx(asked(file, "SELECT max(value) " + where(row))).epsilon(1e-4));
  }

  // Along the sizes in their order, a line a latency, an interval each; what lies under the pointer, and by
  // key.
  const auto marks = [&](const char* what) {
    return browser.value("document.querySelectorAll('#sweep .sweep-chart [aria-label=" + std::string(what) +
                         "] *').length");
  };
  CHECK(marks("dot") == 4);
  CHECK(marks("line") == 2);
  CHECK(marks("rule") == 4);
  CHECK(
      browser.value(
          "[...document.querySelectorAll('#sweep .sweep-chart [aria-label=\"x-axis tick label\"] text')].map("
          "t => t.textContent).join()") == "12 KiB,96 KiB");
  browser.hover("#sweep .sweep-chart circle");
  CHECK_THAT(text_of_chart_tip(browser, "#sweep .sweep-chart"), has_text("seeds: 3"));
  browser.value("document.querySelector('#sweep .sweep-chart').focus()");
  browser.press("ArrowRight");
  CHECK_THAT(text_of_tip(browser), has_text("l1.size\t12 KiB"));
  browser.press("Escape");
  CHECK(text_of_tip(browser).empty());

  // Another figure, panels, a filter, an order, a figure over another.
  pick(browser, "[data-pick=y]", "mean_load_latency");
  pick(browser, "[data-pick=colour]", "");
  pick(browser, "[data-pick=facet]", "llc.latency");
  CHECK(browser.value("[...document.querySelectorAll('#sweep .facet h3')].map(h => h.textContent).join()") ==
        "llc.latency 100,llc.latency 400");
  CHECK(
      number(rows_of(browser, "#sweep")[0][3]) ==
      Approx(
          asked(file,
                "SELECT avg(f.value) FROM figures f JOIN settings s ON s.point = f.point JOIN settings t ON "
                "t.point = f.point WHERE f.name = 'mean_load_latency' AND s.value = '96 KiB' AND t.value = "
                "'100'"))
          .epsilon(1e-4));
  browser.value("document.querySelector('[data-filter=\"llc.latency=400\"]').click()");
  CHECK(rows_of(browser, "#sweep").size() == 2);
  CHECK(browser.value("document.activeElement.tagName") == "BODY");  // a click is no focus
  browser.value("document.querySelector('[data-filter=\"seed=3\"]').click()");
  CHECK(rows_of(browser, "#sweep")[0][2] == "2");
  browser.value("document.querySelector('[aria-label=\"Sort by mean_load_latency\"]').click()");
  const Json sorted = rows_of(browser, "#sweep");
  CHECK(number(sorted[0][3]) <= number(sorted[1][3]));
  pick(browser, "[data-pick=x]", "ipc");
  CHECK(marks("dot") == 2);
  for (const char* filter : {"llc.latency=100", "llc.latency=400"})
    browser.value("document.querySelector('[data-filter=\"" + std::string(filter) + "\"]').click()");
  CHECK(rows_of(browser, "#sweep").size() == 2);
  check_layout(browser, 400);
  check_layout(browser, 1280);
  check_print(browser, {"Sweep sizes", "best of 4", "llc.latency", "mean_load_latency"});
  browser.prefer_dark(true);
  CHECK(browser.value("getComputedStyle(document.querySelector('section')).backgroundColor") !=
        "rgb(255, 255, 255)");
  CHECK(browser.complaints() == Words());
}

TEST_CASE("a sweep over categories has bars, and only columns that say something") {
  if (no_browser()) return;
  TempFolder folder;
  const std::string out = folder.path() + "/sweep", page = folder.path() + "/page.html";
  run_strata(folder, {"sweep", "docs/sweeps/l1.yaml", "--out", out});
  run_strata(folder, {"report", out, "--out", page});
  Browser browser(1280, 900);
  browser.open(page);
  const auto marks = [&](const char* what) {
    return browser.value("document.querySelectorAll('#sweep .sweep-chart [aria-label=" + std::string(what) +
                         "] *').length");
  };
  // Sizes along the axis: points of 2 variants, 3 sizes and 2 workloads, in a panel a workload.
  CHECK(browser.value("document.querySelectorAll('#sweep .facet').length") == 2);
  CHECK(marks("dot") == 12);
  CHECK(marks("bar") == 0);
  // One seed: no columns of seeds, interval, least and most.
  CHECK(browser.value("[...document.querySelectorAll('#sweep th')].map(th => th.textContent).join()") ==
        "variant,workload,l1.size,l1.ways,speed-up over l1.size 8 KiB");
  pick(browser, "[data-pick=x]", "variant");
  pick(browser, "[data-pick=colour]", "l1.size");
  CHECK(marks("bar") == 12);
  CHECK(marks("dot") == 0);
  for (const int width : {400, 1280}) check_layout(browser, width);
  check_print(browser, {"speed-up over l1.size 8 KiB", "workload"});
  CHECK(browser.complaints() == Words());
}

TEST_CASE("the page of a reproduction shows each claim beside what was measured") {
  if (no_browser()) return;
  TempFolder folder;
  const std::string out = folder.path() + "/tiny", page = folder.path() + "/page.html";
  run_strata(folder, {"reproduce", "tb/data/reproduce/tiny.yaml", "--jobs", "2", "--quiet", "--out", out});
  run_strata(folder, {"report", out, "--out", page});
  const Json found = Json::parse(read_file(out + "/reproduction.json"));
  REQUIRE(found["claims"].size() == 4);
  Browser browser(1280, 900);
  browser.open(page);
  CHECK(browser.value("document.querySelector('h1').textContent") == "Tiny: does a larger L1 help?");
  for (const Json& claim : found["claims"]) {
    const std::string card = "#claims [data-claim=" + claim["name"].get<std::string>() + "]";
    INFO(claim["name"]);
    const std::string text = browser.value("document.querySelector('" + card + "').innerText");
    CHECK_THAT(text, has_text(claim["says"].get<std::string>()));
    if (claim["verdict"] == "not run") {
      CHECK_THAT(text, has_text("not run: " + claim["reason"].get<std::string>()));
      continue;
    }
    CHECK_THAT(text, has_text(claim["printed"] == true ? claim["verdict"].get<std::string>() : "sign holds"));
    // Both bars from zero on one scale: their lengths are as the figures.
    const Json widths = browser.value("[...document.querySelectorAll('" + card +
                                      " [aria-label=bar] rect')].map(r => Number(r.getAttribute('width')))");
    REQUIRE(widths.size() == (claim["printed"] == true ? 2 : 1));
    if (widths.size() == 2)
      CHECK(widths[0].get<double>() / widths[1].get<double>() ==
            Approx(std::abs(claim["paper"].get<double>() / claim["model"].get<double>())).epsilon(0.02));
    CHECK_THAT(browser.value("document.querySelector('" + card + " svg').getAttribute('aria-label')")
                   .get<std::string>(),
               has_text("Strata "));
  }
  browser.hover("#claims [data-claim=wrong] [aria-label=bar] rect");
  CHECK_THAT(text_of_chart_tip(browser, "#claims [data-claim=wrong]"), has_text("paper: +500"));
  pick(browser, "[data-pick=verdict]", "miss");
  CHECK(browser.value("[...document.querySelectorAll('#claims .claim')].map(c => c.dataset.claim).join()") ==
        "wrong");
  CHECK_THAT(browser.value("document.querySelector('#claims .claim').textContent").get<std::string>(),
             has_text("mean load"));  // its ledger
  for (const int width : {1280, 400}) check_layout(browser, width);
  check_print(browser, {"Tiny: does a larger L1 help?", "miss"});
  browser.prefer_dark(true);
  CHECK(browser.complaints() == Words());
}
