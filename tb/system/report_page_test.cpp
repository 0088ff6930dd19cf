// Pages of `strata report` in a headless Chromium: every view draws, shows what stats.json and the tables
// say, answers to pointer, keys and choices, and requests nothing from the network.
// STRATA_PAGE_PICTURES=FOLDER keeps pictures.
#include <chrono>
#include <filesystem>
#include <sstream>

#include "tb/support/page_checks.h"

using namespace strata::tb;

namespace {

/// kernels.json with one name, whose loads take 10 cycles, and what_if.json.
void write_kernels(const TempFolder& folder, const std::string& run) {
  const Json loads{{"accesses", 7}, {"latency", 70}, {"cycles", {{"l1.port", 49}, {"llc.queue", 21}}}};
  const Json kernel{{"name", "bfs_visit"},
                    {"kernel", 0},
                    {"launches", 1},
                    {"cycles", 123},
                    {"ledger", {{"loads", loads}}},
                    {"summary", {{"ipc", 4321.5}}},
                    {"verdict", {{"limit", "llc.tags"}, {"sentence", "the tags"}}}};
  const Json file{{"schema", "strata-kernels"},
                  {"schema_version", 1},
                  {"names", Json::array({kernel})},
                  {"kernels", Json::array({kernel})}};
  folder.write(run + "/kernels.json", file.dump());
  const Json relief{{"resources", {"l1.port"}}, {"sets", {"l1.port_cycles=1"}},
                    {"faster", 0.1234},         {"interval_half", 0.0321},
                    {"within_noise", false},    {"within_noise_of_best", true}};
  const Json reliefs{{"schema", "strata-what-if"}, {"schema_version", 1}, {"reliefs", Json::array({relief})}};
  folder.write(run + "/what_if.json", reliefs.dump());
}

/// Two runs of different machines: one of several kernels, one with 64 slices and an organization that
/// changes.
std::string page_of_two(const TempFolder& folder) {
  const std::string a = folder.path() + "/kernels", b = folder.path() + "/slices",
                    page = folder.path() + "/page.html";
  run_strata(folder, {"run", "tiny", "--workload", "bfs@tiny", "--epoch", "2000", "--by-source", "--quiet",
                      "--out", a});
  write_kernels(folder, "kernels");
  run_strata(folder, {"run", "isca19/adaptive", "--trace", "synthetic:random:loads=8,footprint=1MiB",
                      "--l1-epochs", "--epoch", "500", "--quiet", "--out", b});
  run_strata(folder, {"report", a, b, "--out", page});
  return page;
}

/// Every figure of the summary as the page shows it, of run A or B, against stats.json.
void check_summary(Browser& browser, const Json& stats, int column) {
  const Json shown = browser.value(
      "Object.fromEntries([...document.querySelectorAll('#summary details tbody tr')].map(row => "
      "[row.cells[0].textContent, row.cells[" +
      std::to_string(column) + "].textContent]))");
  for (const auto& [name, value] : stats["summary"].items()) {
    INFO(name << ": " << shown.value(name, "") << " for " << value);
    REQUIRE(shown.contains(name));
    if (value.is_null() || std::abs(value.get<double>()) < 1e-3) continue;
    CHECK(number(shown[name]) == Approx(value.get<double>()).epsilon(1e-5));
  }
}

/// The ledger of loads, row by row: cycles over accesses.
void check_ledger(Browser& browser, const Json& stats, int run) {
  const Json rows =
      browser.value("[...document.querySelectorAll('#ledger [data-run=\"" + std::to_string(run) +
                    "\"] details tbody tr')].map(row => [...row.cells].map(c => c.textContent))");
  const Json& loads = stats["ledger"]["loads"];
  std::size_t there = 0;
  for (const auto& [place, cycles] : loads["cycles"].items()) {
    if (cycles == 0) continue;
    ++there;
    bool found = false;
    for (const Json& row : rows) {
      if (row[0] != place) continue;
      found = true;
      const double mean = cycles.get<double>() / loads["accesses"].get<double>();
      if (mean > 1e-3) CHECK(number(row[1]) == Approx(mean).epsilon(1e-3));
    }
    INFO(place);
    CHECK(found);
  }
  CHECK(rows.size() == there + 1);  // and their sum
  CHECK(number(rows.back()[1]) ==
        Approx(loads["latency"].get<double>() / loads["accesses"].get<double>()).epsilon(1e-3));
}

/// For which share of the time each resource of the machine was busy is what the verdict goes by.
void check_loads(Browser& browser, const Json& stats, int run) {
  const Json shown = browser.value(
      "Object.fromEntries([...document.querySelectorAll('#machine [data-run=\"" + std::to_string(run) +
      "\"] details tbody tr')].map(row => [row.cells[0].textContent, row.cells[2].textContent]))");
  CHECK(shown.size() == stats["verdict"]["ranking"].size());
  for (const Json& one : stats["verdict"]["ranking"]) {
    const std::string name = one["resource"];
    INFO(name << ": " << shown.value(name, "") << " for " << one["busy"]);
    REQUIRE(shown.contains(name));
    CHECK(number(shown[name]) == Approx(100 * one["busy"].get<double>()).margin(0.051));
  }
  // The group with the limit is marked, and says the share that the verdict gives.
  const std::string limit = stats["verdict"]["limit"];
  const std::string marked =
      browser.value("[...document.querySelectorAll('#machine [data-run=\"" + std::to_string(run) +
                    "\"] .card.limits')].map(card => card.parentNode.dataset.group).join()");
  CHECK(marked == (limit.find('.') == std::string::npos ? "" : limit.substr(0, limit.find('.'))));
}

}  // namespace

TEST_CASE("pages show what results hold, and answer") {
  if (no_browser()) return;
  TempFolder folder;
  const std::string page = page_of_two(folder);
  const Json a = Json::parse(read_file(folder.path() + "/kernels/stats.json"));
  const Json b = Json::parse(read_file(folder.path() + "/slices/stats.json"));
  Browser browser(1280, 900);
  browser.open(page);
  REQUIRE(browser.value("document.documentElement.dataset.ready") == "yes");
  check_summary(browser, a, 1);
  check_summary(browser, b, 2);
  check_ledger(browser, a, 0);
  check_ledger(browser, b, 1);
  check_loads(browser, a, 0);
  check_loads(browser, b, 1);

  // Different work is not compared in cycles.
  CHECK_THAT(browser.value("document.querySelector('h1').textContent").get<std::string>(),
             has_text("per cycle, of other work than A"));
  CHECK(browser.value("document.querySelectorAll('.tile').length") == 5);

  // What limited the run, and what a relief gives.
  const std::string verdict =
      browser.value("document.querySelector('#summary [data-run=\"0\"] .verdict').textContent");
  CHECK_THAT(verdict, has_text(a["verdict"]["sentence"].get<std::string>()));
  CHECK_THAT(verdict,
             has_text("l1.port12.3\u202f% \u00b1 3.2\u202f%, as the first within noisel1.port_cycles=1"));

  // A last epoch that is shorter than the others is marked in every chart over time, and named.
  for (const std::string run : {"0", "1"}) {
    INFO(run);
    const std::string rows = "DATA.runs[" + run + "].epochs.rows";
    const bool partial =
        browser.value("(rows => rows.length > 1 && rows[rows.length - 1][1] < rows[0][1])(" + rows + ")");
    const int marks = browser.value("document.querySelectorAll('#time [data-run=\"" + run +
                                    "\"] .partial').length"),
              charts = browser.value("document.querySelectorAll('#time [data-run=\"" + run +
                                     "\"] figure.series').length");
    CHECK(marks == (partial ? charts : 0));
    const std::string text =
        browser.value("document.querySelector('#time [data-run=\"" + run + "\"]').innerText");
    CHECK((text.find("The last epoch, shaded, has ") != std::string::npos) == partial);
  }

  // The machines: an element an instance, with its counters under the pointer; links with their packets.
  for (const auto& [stats, run] : {std::pair(&a, 0), {&b, 1}}) {
    const std::string host = "#machine [data-run=\"" + std::to_string(run) + "\"] ";
    const Json cells =
        browser.value("[...document.querySelectorAll('" + host + ".cell')].map(c => c.dataset.cell)");
    for (const Json& cell : cells) CHECK((*stats)["instances"].contains(cell.get<std::string>()));
    CHECK(cells.size() > 5);
  }
  browser.hover("#machine [data-cell=\"llc[17]\"]");
  const Json& slice = b["instances"]["llc[17]"]["counters"];
  CHECK_THAT(text_of_tip(browser), has_text("llc[17]"));
  CHECK_THAT(text_of_tip(browser), has_text("accesses\t" + slice["accesses"].dump()));
  browser.hover("#machine [data-run=\"0\"] [data-link-hit=\"3\"]");
  CHECK_THAT(text_of_tip(browser), has_text("rtr.out \u2192 llc.noc"));
  CHECK_THAT(text_of_tip(browser), has_text("32\u202fB per cycle"));  // channel_bytes of one socket
  // By key: the fourth instance of the slices.
  browser.value("document.querySelector('#machine [data-run=\"1\"] [data-group=llc]').focus()");
  for (int i = 0; i < 4; ++i) browser.press("ArrowRight");
  CHECK_THAT(text_of_tip(browser), has_text("llc[3]"));
  browser.press("Escape");
  CHECK(text_of_tip(browser).empty());

  // Heat map: the value under the pointer is that of slices.csv.
  browser.value("document.querySelector('#heat [data-run=\"1\"] .heat').focus()");
  for (const char* key : {"ArrowDown", "ArrowDown", "ArrowRight"}) browser.press(key);
  std::istringstream slices(read_file(folder.path() + "/slices/slices.csv"));
  std::string line;
  for (int i = 0; i < 3; ++i) std::getline(slices, line);  // the second epoch
  std::vector<std::string> values;
  std::istringstream cells(line);
  for (std::string value; std::getline(cells, value, ',');) values.push_back(value);
  CHECK_THAT(text_of_tip(browser), has_text("llc[2]"));
  CHECK(number(browser.value("document.querySelector('#tip tr:nth-child(2) td:nth-child(2)').textContent")) ==
        std::stod(values[4]));
  browser.press("Escape");
  CHECK(browser.value("document.querySelectorAll('#heat [data-run=\"1\"] .heat').length") ==
        2);  // slices and L1s

  // Charts answer to the pointer.
  for (const auto& [chart, mark] : {std::pair("#time .series", "svg"),
                                    {"#ledger .waterfall", "[aria-label=bar] rect"},
                                    {"#kernels .kernels", "[aria-label=bar] rect"},
                                    {"#roofline .roofline", "circle"},
                                    {"#energy .energy", "[aria-label=bar] rect"}}) {
    INFO(chart);
    browser.hover(std::string(chart) + " " + mark);
    CHECK(!text_of_chart_tip(browser, chart).empty());
  }
  CHECK(browser.value("document.querySelectorAll('#ledger .bridge svg rect').length") > 2);

  // Switching: A and B change places, and B goes.
  browser.value("document.getElementById('swap').click()");
  check_summary(browser, b, 1);
  browser.value(
      "(() => { const pick = document.getElementById('pick-b'); pick.value = ''; pick.dispatchEvent(new "
      "Event('change')); })()");
  CHECK(browser.value("document.querySelector('.runs').textContent") == "slices");
  CHECK(browser.value("document.querySelectorAll('#ledger .bridge').length") == 0);
  browser.value(
      "(() => { const pick = document.getElementById('pick-a'); pick.value = 0; pick.dispatchEvent(new "
      "Event('change')); })()");
  check_summary(browser, a, 1);
  browser.value(
      "[...document.querySelectorAll('#ledger .choice button')].find(b => b.textContent == "
      "'stores').click()");
  CHECK_THAT(browser.value("document.querySelector('#ledger .pane').innerText").get<std::string>(),
             has_text("A mean store takes"));

  // A kernel of those that kernels.json knows.
  CHECK(browser.value("[...document.querySelectorAll('#kernels tbody tr')].some(row => "
                      "/bfs_visit.*4\u2009322.*llc.tags/.test(row.textContent))") == true);
  browser.value(
      "(() => { const pick = document.getElementById('pick-kernel'); pick.value = 'name bfs_visit'; "
      "pick.dispatchEvent(new Event('change')); })()");
  CHECK_THAT(browser.value("document.querySelector('#ledger .pane').innerText").get<std::string>(),
             has_text("A mean load takes 10 cycles (7 loads)"));

  for (const int width : {1280, 400}) check_layout(browser, width);
  // Two runs beside each other, and as they are printed.
  browser.value(
      "(() => { const pick = document.getElementById('pick-b'); pick.value = 1; pick.dispatchEvent(new "
      "Event('change')); })()");
  for (const int width : {400, 1280}) check_layout(browser, width);
  check_print(browser, {"Limited by", "Gain from about twice", "l1.port_cycles=1", "replies_in",
                        "mean_load_latency", "bfs_visit", "Roofline", "leakage"});
  const auto paper = [&] {
    return browser.value("getComputedStyle(document.querySelector('section')).backgroundColor");
  };
  CHECK(paper() == "rgb(255, 255, 255)");
  browser.prefer_dark(true);
  CHECK(paper() != "rgb(255, 255, 255)");
  CHECK(cut_texts(browser) == Json::array());
  browser.value("document.getElementById('theme').click()");
  CHECK(browser.value("document.getElementById('theme').textContent") == "Theme: dark");
  CHECK(browser.complaints() == Words());
}

// Two warps load a word a lane, all of one line a warp, then a word a lane from 32 lines a warp, and store to
// one line a warp.
TEST_CASE("a page shows which lines of the source wait, with their text") {
  if (no_browser()) return;
  TempFolder folder;
  const std::string source = folder.write("two.cu",
                                          "__global__ void two(int* p) {\n  int a = p[threadIdx.x];\n"
                                          "  a += p[32 * threadIdx.x];\n  p[threadIdx.x] = a;\n}\n");
  folder.write("two.ptx",
               ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry _Z3twoPij(.param .u64 p)\n{\n"
               ".reg .b64 %d<6>; .reg .b32 %r<4>;\n.loc 1 2 0\nld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\n"
               "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\nld.global.u32 %r2, [%d3];\n.loc 1 3 0\n"
               "mul.wide.u32 %d4, %r1, 128;\nadd.s64 %d5, %d1, %d4;\nld.global.u32 %r3, [%d5];\n"
               "add.u32 %r2, %r2, %r3;\n.loc 1 4 0\nst.global.u32 [%d3], %r2;\nret;\n}\n.file 1 \"" +
                   source + "\"\n");
  const std::string work = folder.write(
      "two.yaml",
      "workload: two loads\nmodule: two.ptx\nbuffers: {data: {type: u32, count: 2048, fill: value(1)}}\n"
      "launches: [{kernel: _Z3twoPij, grid: 1, block: 64, arguments: [data]}, {kernel: _Z3twoPij, grid: 1, "
      "block: 32, arguments: [data]}]\n");
  const std::string run = folder.path() + "/run", page = folder.path() + "/page.html";
  run_strata(folder, {"run", "tiny", "--workload", work, "--by-source", "--quiet", "--out", run});
  run_strata(folder, {"report", run, "--out", page});
  Browser browser(1280, 900);
  browser.open(page);
  const auto cells = [&](const std::string& section, int column) {
    return browser.value("[...document.querySelectorAll('" + section + " tbody tr')].map(row => row.cells[" +
                         std::to_string(column) + "].textContent).join('|')");
  };
  const auto sort_by = [&](const std::string& section, const std::string& head) {
    browser.value("document.querySelector('" + section + " [aria-label=\"Sort by " + head + "\"]').click()");
  };
  // Three warps in two launches. The load from 32 lines waits longest; stores wait for nothing.
  CHECK(cells("#source", 0) == "two.cu:3|two.cu:2|two.cu:4");
  CHECK(cells("#source", 1) == "a += p[32 * threadIdx.x];|int a = p[threadIdx.x];|p[threadIdx.x] = a;");
  CHECK(cells("#source", 4) == "3|3|3");
  CHECK(cells("#source", 5) == "32.00|1.00|1.00");
  CHECK(cells("#source", 8) == "ld.global.u32|ld.global.u32|st.global.u32");
  // Both loads are read together: all of the wait is for the one that comes last.
  CHECK(cells("#source", 2) == "100.0\u202f%|0.0\u202f%|\u2013");
  const std::string shares = cells("#source", 3);
  CHECK(number(shares.substr(0, shares.find('|'))) > 50);
  CHECK(shares.substr(shares.rfind('|') + 1) == "\u2013");
  sort_by("#source", "place");
  CHECK(cells("#source", 0) == "two.cu:2|two.cu:3|two.cu:4");
  sort_by("#source", "lines each");
  CHECK(cells("#source", 5) == "32.00|1.00|1.00");
  sort_by("#source", "lines each");
  CHECK(cells("#source", 5) == "1.00|1.00|32.00");
  sort_by("#source", "cycles each");  // what has no value stays last, in both orders
  sort_by("#source", "cycles each");
  CHECK(cells("#source", 0) == "two.cu:2|two.cu:3|two.cu:4");
  // The whole file: lines without accesses are grey.
  browser.value("(() => { document.querySelector('#source details').open = true; })()");
  browser.value("new Promise(done => setTimeout(done, 100))");
  CHECK(browser.value("[...document.querySelectorAll('#source .code-line')].map(line => "
                      "line.classList.contains('quiet') ? 'grey' : 'hot').join()") ==
        "grey,hot,hot,hot,grey");
  // Kernels as the program spells them, by name and launch by launch; both sort.
  CHECK(cells("#kernels .by-name", 0) == "two");
  CHECK(browser.value("document.querySelector('#kernels .by-name td').title") == "two(int*, unsigned int)");
  CHECK(cells("#kernels .by-launch", 2) == "1|1");
  sort_by("#kernels .by-launch", "launch");
  CHECK(cells("#kernels .by-launch", 0) == "1|0");
  check_print(browser, {"Limited by", "share of stalls", "a += p[32 * threadIdx.x];", "l1_hit_rate"});
  // One sentence and at most five tiles.
  const Json stats = Json::parse(read_file(run + "/stats.json"));
  const std::string head = browser.value("document.querySelector('h1').textContent");
  CHECK_THAT(stats["verdict"]["text"].get<std::string>(), has_text(head.substr(0, 20)));
  CHECK(head.find('[') == std::string::npos);
  CHECK(browser.value("document.querySelectorAll('.tile').length") == 5);
  CHECK(browser.value("Object.keys(DATA.causes).filter(cause => !CAUSE_CLAUSES[cause]).join()") == "");
  CHECK(browser.value("Object.keys(DATA.states).filter(state => !STATE_COLOURS[state]).join()") == "");
  // A source that has changed, and one that is gone.
  std::filesystem::last_write_time(
      source, std::filesystem::last_write_time(run + "/by_source.csv") + std::chrono::seconds(9));
  run_strata(folder, {"report", run, "--out", page});
  browser.open(page);
  CHECK_THAT(browser.value("document.getElementById('source').innerText").get<std::string>(),
             has_text("Changed since the run: "));
  std::filesystem::remove(source);
  run_strata(folder, {"report", run, "--out", page});
  browser.open(page);
  CHECK_THAT(browser.value("document.getElementById('source').innerText").get<std::string>(),
             has_text("Could not be read when this page was made: " + source));
  CHECK(browser.complaints() == Words());
}

TEST_CASE("pages of results that are changed, partial or damaged say so, and do without charts") {
  if (no_browser()) return;
  TempFolder folder;
  const std::string run = folder.path() + "/run", page = folder.path() + "/page.html";
  run_strata(folder, {"run", "tiny", "--trace", "synthetic:random:loads=64", "--max-instructions", "40000",
                      "--quiet", "--out", run});
  std::string stats = read_file(run + "/stats.json");
  const std::size_t at = stats.find("\"llc_accesses\": ");
  stats.replace(at, stats.find(',', at) - at, "\"llc_accesses\": 7654321");
  folder.write("run/stats.json", stats);
  std::filesystem::remove(run + "/config.yaml");
  folder.write("run/slices.csv", "end_cycle,cycles,llc[0]\n1,1\n");
  run_strata(folder, {"report", run, "--out", page});
  Browser browser(1280, 900);
  browser.open(page);
  check_summary(browser, Json::parse(stats), 1);
  const std::string said = browser.value("document.getElementById('summary').innerText");
  CHECK_THAT(said, has_text("Partial: this run was cut short (max-instructions)"));
  CHECK_THAT(said, has_text("Changed since the run: stats.json, config.yaml, slices.csv"));
  CHECK_THAT(said, has_text("Left out: machine."));
  CHECK_THAT(said, has_text("slices.csv:2:1: 2 values, but the first line names 3"));
  CHECK_THAT(said, has_text("7\u2009654\u2009321"));
  CHECK(browser.complaints() == Words());

  // As a program without the library writes it.
  std::string plain = read_file(page);
  const std::size_t library = plain.find("<script>/*! d3");
  if (library == std::string::npos) return;  // it is such a program
  plain.erase(library, plain.find("<script>\n'use strict'") - library);
  browser.open(folder.write("plain.html", plain));
  check_summary(browser, Json::parse(stats), 1);
  CHECK_THAT(browser.value("document.getElementById('ledger').innerText").get<std::string>(),
             has_text("Left out: "));
  CHECK(browser.value("document.querySelectorAll('#ledger table tbody tr').length") > 4);
  CHECK(browser.complaints() == Words());
}

TEST_CASE("the headline of two runs of the same work says which is faster, and where accesses wait less") {
  if (no_browser()) return;
  TempFolder folder;
  const std::string a = folder.path() + "/few", b = folder.path() + "/more",
                    page = folder.path() + "/page.html";
  const Words run{"run", "tiny", "--workload", "bfs@tiny", "--quiet", "--out"};
  Words one = run, other = run;
  one.insert(one.end(), {a, "--set", "l1.size=12KiB"});
  other.push_back(b);
  run_strata(folder, one);
  run_strata(folder, other);
  run_strata(folder, {"report", a, b, "--out", page});
  const auto cycles = [](const std::string& directory) {
    return Json::parse(read_file(directory + "/stats.json"))["summary"]["cycles"].get<double>();
  };
  REQUIRE(cycles(a) > cycles(b));
  Browser browser(1280, 900);
  browser.open(page);
  const auto head = [&] {
    return browser.value("document.querySelector('h1').textContent").get<std::string>();
  };
  const std::string faster = head();
  CHECK_THAT(faster, has_text("% faster: "));
  CHECK_THAT(faster, has_text(" less "));
  CHECK(number(faster.substr(0, faster.find('%'))) == Approx(100 * (cycles(a) / cycles(b) - 1)).margin(0.51));
  browser.value("document.getElementById('swap').click()");
  const std::string slower = head();
  CHECK_THAT(slower, has_text("% slower: "));
  CHECK_THAT(slower, has_text(" more "));
  CHECK(number(slower.substr(0, slower.find('%'))) == Approx(100 * (1 - cycles(b) / cycles(a))).margin(0.51));
  check_print(browser, {"% slower: ", "Sources of the difference", "l1_hit_rate", "B against A"});
  CHECK(browser.complaints() == Words());
}

// What opens fast is small and draws series and heat maps as few elements; no time is tested.
TEST_CASE("the page of a run of 200 kernels is small") {
  if (no_browser()) return;
  TempFolder folder;
  const std::string run = folder.path() + "/run", page = folder.path() + "/page.html";
  run_strata(folder, {"run", "isca19/adaptive", "--trace", "synthetic:random:loads=8,footprint=1MiB",
                      "--quiet", "--out", run});
  std::string kernels = "kernel,name,application,ctas,began,ended,complete\n",
              epochs = "end_cycle,cycles,thread_instructions\n", slices = "end_cycle,cycles";
  for (int s = 0; s < 64; ++s) slices += ",llc[" + std::to_string(s) + "]";
  slices += "\n";
  for (int k = 0; k < 200; ++k)
    kernels += std::to_string(k) + ",kernel_" + std::to_string(k % 37) + ",0,64," +
               std::to_string(50'000 * k) + "," + std::to_string(50'000 * k + 40'000) + ",yes\n";
  for (int e = 1; e <= 1000; ++e) {
    epochs += std::to_string(10'000 * e) + ",10000," + std::to_string(1'000 * (e % 97)) + "\n";
    slices += std::to_string(10'000 * e) + ",10000";
    for (int s = 0; s < 64; ++s) slices += "," + std::to_string((e * s) % 1'000);
    slices += "\n";
  }
  folder.write("run/kernels.csv", kernels);
  folder.write("run/epochs.csv", epochs);
  folder.write("run/slices.csv", slices);
  run_strata(folder, {"report", run, "--out", page});
  CHECK(std::filesystem::file_size(page) < 5'000'000);
  Browser browser(1280, 900);
  browser.open(page);
  CHECK(browser.value("document.querySelectorAll('*').length") < 10'000);
  CHECK(browser.value("document.querySelectorAll('#kernels .by-name tbody tr').length") == 37);
  CHECK_THAT(browser.value("document.getElementById('time').innerText").get<std::string>(),
             has_text("4 epochs are put together"));
  CHECK(browser.complaints() == Words());
}

TEST_CASE("pictures of docs/guide/report.md", "[.pictures]") {
  TempFolder folder;
  const std::string page = folder.path() + "/page.html";
  Words words{"report"};
  for (const char* platform : {"shared", "private"}) {
    words.push_back(folder.path() + "/" + platform);
    run_strata(folder, {"run", std::string("isca19/") + platform, "--trace", "traces/samples/matmul_512",
                        "--l1-epochs", "--epoch", "500", "--quiet", "--out", words.back()});
  }
  run_strata(folder, {"report", words[1], "--out", page});
  Browser browser(1280, 900);
  browser.open(page);
  browser.picture("#machine figure", "docs/images/report-machine.png");
  words.insert(words.end(), {"--out", page});
  run_strata(folder, words);
  browser.open(page);
  browser.picture("#ledger", "docs/images/report-latency.png");
  browser.value(
      "(() => { document.getElementById('swap').click(); const pick = document.getElementById('pick-b'); "
      "pick.value = ''; "
      "pick.dispatchEvent(new Event('change')); [...document.querySelectorAll('#heat figure, #heat details, "
      "#heat .legend, #heat h3')]"
      ".slice(0, 4).forEach(node => node.remove()); })()");
  browser.picture("#heat", "docs/images/report-heat.png");
  browser.open(page);
  browser.prefer_dark(true);
  browser.picture("#time", "docs/images/report-time.png");
  browser.prefer_dark(false);
  const std::string few = folder.path() + "/12-KiB", more = folder.path() + "/48-KiB";
  const Words run{"run", "tiny", "--workload", "bfs@tiny", "--by-source", "--quiet", "--out"};
  Words small = run, large = run;
  small.insert(small.end(), {few, "--set", "l1.size=12KiB"});
  large.push_back(more);
  run_strata(folder, small);
  run_strata(folder, large);
  run_strata(folder, {"report", few, more, "--out", page});
  browser.open(page);
  browser.picture("#summary", "docs/images/report-summary.png");
  run_strata(folder, {"report", few, "--out", page});
  browser.open(page);
  browser.value("(() => { document.querySelector('#source details').open = true; })()");
  browser.value(
      "new Promise(done => setTimeout(() => { document.querySelector('.listing').scrollTop = 1150; done(); "
      "}, "
      "100))");
  browser.picture("#source", "docs/images/report-source.png");
  const std::string sweep = folder.path() + "/sweep";
  run_strata(folder, {"sweep", "docs/sweeps/l1.yaml", "--out", sweep});
  run_strata(folder, {"report", sweep, "--out", page});
  browser.open(page);
  browser.picture("#sweep", "docs/images/report-sweep.png");
  CHECK(browser.complaints() == Words());
}
