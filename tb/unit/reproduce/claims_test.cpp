// Claims about the machine alone: judged without a run, and traced to the constants that they stand on.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "platforms/engine/netlist/data_folders.h"
#include "platforms/studies/energy/machine_model.h"
#include "platforms/studies/reproduce/bar_chart.h"
#include "platforms/studies/reproduce/costs.h"
#include "platforms/studies/reproduce/page.h"
#include "platforms/studies/reproduce/run_plan.h"
#include "platforms/studies/reproduce/throughput.h"
#include "platforms/studies/reproduce/verdicts.h"
#include "tb/support/catch.h"
#include "tb/support/sealed_results.h"
#include "tb/support/temp_folder.h"

using namespace strata;
using namespace strata::platforms;
using strata::tb::has_text;
using strata::tb::seal_results;
using strata::tb::TempFolder;

namespace {

const char* const table = R"(paper: "How large?"
jitter: {set: cta.launch_jitter=2, quick: [1], full: [1, 2]}
workloads:
  va: {label: VA, quick: {workload: va@tiny}, full: {workload: va@tiny}}
organizations:
  plain: {label: plain, platform: tiny}
  twice: {label: twice, platform: tiny, set: [l1.size=96 KiB, l1.ways=12]}
metrics:
  ipc:    {label: IPC, over: ipc}
  area:   {label: area of L1s, over: area.l1s}
  old:    {label: the same at 45 nm, over: area.l1s, nanometres: 45}
  tags:   {label: tags, over: tags.storage}
claims:
  larger: {figure: 1, says: twice the size, metric: area, of: twice, to: plain, by: percent, paper: 100, tolerance: 60}
  off:    {figure: 1, says: a size that nobody claims, metric: area, of: plain, by: value, paper: 1000, tolerance: 1}
  older:  {figure: 1, says: the same at 45 nm, metric: old, of: plain, by: value, paper: 1000, tolerance: 1}
  more:   {figure: 1, says: KiB of tags, metric: tags, of: twice, to: plain, by: difference, sign: 1}
)";

std::string fault_of(const std::string& from, const std::string& to) {
  return tb::paper_fault(table, from, to);
}

}  // namespace

TEST_CASE("claims about the machine alone are judged without a run") {
  TempFolder folder;
  const Paper paper = Paper::load(folder.write("paper.yaml", table));
  const RunPlan plan(paper, {}, "");
  CHECK(plan.runs().empty());
  Measurements measurements(paper, plan, folder.path() + "/runs");
  std::vector<ClaimResult> results;
  for (const Claim& claim : paper.claims) results.push_back(judge(claim, measurements));
  CHECK(results[0].verdict == Verdict::within);
  CHECK(results[0].values.empty());  // no workload has a value of its own
  CHECK(results[1].verdict == Verdict::miss);
  CHECK(results[2].model / results[1].model == Approx(3.5));  // technology.area_45nm
  CHECK(results[3].verdict == Verdict::within);
  CHECK(results[3].model > 0);

  trace_to_constants(results, measurements);
  CHECK(results[0].constants.empty());
  // The areas of SRAMs alone: all constants at their low are those at their low.
  REQUIRE(results[1].constants.size() >= 1);
  CHECK(results[1].constants[0].family == "all constants");
  CHECK(results[1].constants[0].low < results[1].model);
  CHECK(results[1].constants[0].high > results[1].model);
  CHECK_FALSE(stands_on_constants(paper.claims[3], paper));  // bits are counted

  Findings findings;
  findings.claims = results;
  const std::string page = page_of(findings, measurements);
  CHECK_THAT(page, has_text("## Energy and area by their constants"));
  CHECK_THAT(page, has_text("| a size that nobody claims | 1000.00 |"));
}

TEST_CASE("bars of claims are named by what tells them apart") {
  const std::string more =
      std::string(table) +
      R"(  half:   {figure: 1, says: half, metric: area, of: plain+half, to: plain, sign: -1}
  both:   {figure: 1, says: both, metric: area, of: twice+half, to: plain, sign: 1}
variants:
  half: {label: half the LLC, set: llc.size=24 KiB}
charts:
  organizations: {figure: 1, title: a, axis: b, claims: [older, larger]}
  variants:      {figure: 1, title: a, axis: b, claims: [older, half]}
  all:           {figure: 1, title: a, axis: b, claims: [larger, half, both]}
)";
  TempFolder folder;
  const Paper paper = Paper::load(folder.write("paper.yaml", more));
  const RunPlan plan(paper, {}, "");
  Measurements measurements(paper, plan, folder.path() + "/runs");
  std::vector<ClaimResult> results;
  for (const Claim& claim : paper.claims) results.push_back(judge(claim, measurements));
  const auto names = [&](std::size_t chart) {
    const auto bars = bars_of(paper.charts.at(chart), measurements, results);
    REQUIRE(bars.has_value());
    return bars->categories;
  };
  using Names = std::vector<std::string>;
  CHECK(names(0) == Names{"plain", "twice"});
  CHECK(names(1) == Names{"baseline", "half the LLC"});
  CHECK(names(2) == Names{"twice", "plain, half the LLC", "twice, half the LLC"});
}

TEST_CASE("what does not go with a machine alone is named") {
  CHECK_THAT(fault_of("by: percent,", "on: va,"),
             has_text("'area' is known without a run; 'on' must not be given"));
  CHECK_THAT(fault_of("over: ipc", "over: ipc, nanometres: 45"),
             has_text("'nanometres' goes with figures of the machine alone: area.noc"));
  CHECK_THAT(fault_of("nanometres: 45", "nanometres: 7"), has_text("nanometres must be 22 to 45"));
  CHECK_THAT(fault_of("nanometres: 45", "nanometres: nan"), has_text("nanometres must be 22 to 45"));
  CHECK_THAT(fault_of("over: area.l1s}", "over: area.l1}"), has_text("did you mean 'area.l1s'?"));
  CHECK_THAT(fault_of("by: difference", "by: differenc"), has_text("difference"));
  TempFolder folder;
  std::string text = table;
  text.replace(text.find("96 KiB"), 6, "47 KiB");
  const Paper paper = Paper::load(folder.write("paper.yaml", text));
  CHECK_THROWS_WITH(RunPlan(paper, {}, ""), has_text("(needed for twice)"));
}

// Programs side by side in `strata reproduce`: which runs a table of pairs asks for, and system throughput.

namespace {

const char* const pairs_table = R"(
paper: two programs
jitter: {set: cta.launch_jitter=2, quick: [1], full: [1, 2]}
workloads:
  va: {label: VA, quick: {workload: va@tiny}, full: {workload: va@tiny}}
  mm: {label: MM, quick: {workload: mm@tiny}, full: {workload: mm@tiny}}
  nn: {label: NN, quick: {workload: nn@tiny}, full: {workload: nn@tiny}}
groups: {some: [va, mm], other: [nn]}
pairs:
  both: {of: some, with: other, instructions: {va: 1000, mm: 2000, nn: 4000}, quick: {only: va+nn, part: 0.5}}
organizations:
  plain: {platform: isca19/shared}
  mixed: {platform: isca19/multi}
metrics:
  stp: {label: system throughput, alone: plain}
claims:
  gain: {figure: 1, says: gain, metric: stp, of: mixed, to: plain, on: both, paper: 10, tolerance: 1}
)";

std::string pairs_fault(const std::string& from, const std::string& to) {
  return tb::paper_fault(pairs_table, from, to);
}

void write_results(const std::string& runs, const RunSpec& run, double ipc,
                   const std::vector<double>& programs) {
  const std::filesystem::path folder = std::filesystem::path(runs) / run.folder();
  std::filesystem::create_directories(folder);
  std::ostringstream file;
  file << R"({"schema": "strata-results", "schema_version": 2, "digest": "0", "partial": true, "reason": ")"
       << (programs.empty() ? "max-instructions" : "every application is measured")
       << R"(", "run": {"exit_code": 0, "trace": "t"}, "summary": {"ipc": )" << ipc << R"(}, )";
  if (!programs.empty()) {
    file << R"("applications": [)";
    for (std::size_t i = 0; i < programs.size(); ++i)
      file << (i == 0 ? "" : ",") << R"({"summary": {"ipc": )" << programs[i] << "}}";
    file << "], ";
  }
  file
      << R"("ledger": {"loads": {"accesses": 10, "latency": 50, "cycles": {"l1.pipeline": 50}, "latency_histogram": {"buckets": []}}}, "instances": {}})";
  std::ofstream(folder / "stats.json") << file.str();
  seal_results(folder);
}

}  // namespace

TEST_CASE("pairs of two groups run side by side, and each of their programs alone") {
  TempFolder folder;
  const Paper paper = Paper::load(folder.write("paper.yaml", pairs_table));
  // Full: two pairs on two machines and three programs alone, with two seeds each.
  const RunPlan full(at_effort(paper, Effort::full), {{}, false, false, {}, {}, Effort::full}, "p");
  CHECK(full.runs().size() == (2 * 2 + 3) * 2);
  const RunSpec* pair = full.find("mixed", "mm+nn", 2);
  REQUIRE(pair != nullptr);
  CHECK(pair->arguments == std::vector<std::string>{"isca19/multi", "--workload", "mm@tiny", "--workload",
                                                    "nn@tiny", "--max-instructions", "2000:4000", "--seed",
                                                    "2", "--set", "cta.launch_jitter=2"});
  const RunSpec* alone = full.find("plain", "nn_alone", 1);
  REQUIRE(alone != nullptr);
  CHECK(alone->arguments[3] == "--max-instructions");
  CHECK(alone->arguments[4] == "4000");
  CHECK(full.find("mixed", "nn_alone", 1) == nullptr);
  // Quick: one pair of two, and half the instructions.
  const Paper reduced = at_effort(paper, Effort::quick);
  const RunPlan quick(reduced, {{}, false, false, {}, {}, Effort::quick}, "p");
  CHECK(quick.runs().size() == 2 + 2);
  CHECK(quick.find("mixed", "va+nn", 1)->arguments[6] == "500:2000");
}

TEST_CASE("the claim on pairs is the gain in system throughput") {
  TempFolder folder;
  const Paper paper = at_effort(Paper::load(folder.write("paper.yaml", pairs_table)), Effort::quick);
  const RunPlan plan(paper, {{}, false, false, {}, {}, Effort::quick}, "p");
  const std::string runs = folder.path() + "/runs";
  write_results(runs, *plan.find("plain", "va_alone", 1), 100, {});
  write_results(runs, *plan.find("plain", "nn_alone", 1), 10, {});
  write_results(runs, *plan.find("plain", "va+nn", 1), 1, {50, 5});    // 0.5 + 0.5 = 1.0
  write_results(runs, *plan.find("mixed", "va+nn", 1), 1, {50, 6.2});  // 0.5 + 0.62 = 1.12: 12 % more
  Measurements measurements(paper, plan, runs);
  const ClaimResult result = judge(paper.claims.front(), measurements);
  CHECK(result.model == Approx(12));
  CHECK(result.verdict == Verdict::same_sign);
  // 0.5 + 0.505 = 1.005: a gain of half a percent is none.
  write_results(runs, *plan.find("mixed", "va+nn", 1), 1, {50, 5.05});
  Measurements barely(paper, plan, runs);
  CHECK(judge(paper.claims.front(), barely).verdict == Verdict::miss);
  // A program that did not run alone: no verdict.
  std::filesystem::remove_all(runs + "/" + plan.find("plain", "nn_alone", 1)->folder());
  Measurements again(paper, plan, runs);
  CHECK(judge(paper.claims.front(), again).verdict == Verdict::not_run);
}

TEST_CASE("throughput, turnaround and fairness of two programs") {
  // Progress 0.5 and 0.8: STP 1.3, slowdowns 2 and 1.25, mean 1.625, fairness 0.5 / 0.8.
  const std::vector<Progress> programs = {{"a", 10, 5}, {"b", 100, 80}};
  CHECK(system_throughput(programs) == Approx(1.3));
  CHECK(average_normalized_turnaround(programs) == Approx(1.625));
  CHECK(fairness(programs) == Approx(0.625));
}

TEST_CASE("faults of a table of pairs") {
  CHECK_THAT(pairs_fault("nn: 4000", "na: 4000"), tb::has_text("both: 'instructions' lacks 'nn'"));
  CHECK_THAT(pairs_fault("only: va+nn", "only: va+mm"), tb::has_text("both: no pair 'va+mm'"));
  for (const char* part : {"-1", "0", "1.5", "nan", "1e30"})
    CHECK_THAT(pairs_fault("part: 0.5", std::string("part: ") + part),
               tb::has_text(std::string("part: '") + part + "'; allowed: above 0, at most 1"));
  CHECK_THAT(pairs_fault("of: some", "of: same"),
             tb::has_text("no workload and no group 'same' (did you mean 'some'?)"));
  CHECK_THAT(pairs_fault("alone: plain", "alone: plan"),
             tb::has_text("no organization 'plan' (did you mean 'plain'?)"));
}

TEST_CASE("a misspelt workload is reported with the groups and pairs that name it") {
  const std::string message = pairs_fault("  nn: {label: NN", "  nnn: {label: NN");
  CHECK_THAT(message, tb::has_text("paper.yaml:8:"));
  CHECK_THAT(message, tb::has_text("no workload 'nn' (did you mean 'nnn'?)"));
  CHECK_THAT(pairs_fault("  both: {of: some",
                         "  more: {of: some, with: other, instructions: {va: 1, mm: 1, nn: 1}}\n"
                         "  both: {of: more"),
             tb::has_text("both: 'va+nn' is a pair itself"));
}

TEST_CASE("figure 15 of the adaptive LLC's paper has thirty pairs") {
  const Paper paper = Paper::load(find_paper("isca19"));
  const RunPlan plan(at_effort(paper, Effort::full), {{"15"}, false, false, {}, {}, Effort::full}, "p");
  CHECK(plan.runs().size() == 30 * 2 + 11);  // one seed
}
