// Claims about the machine alone: judged without a run, and traced to the constants that they stand on.
#include "platforms/studies/energy/machine_model.h"
#include "platforms/studies/reproduce/bar_chart.h"
#include "platforms/studies/reproduce/costs.h"
#include "platforms/studies/reproduce/page.h"
#include "tb/support/catch.h"
#include "tb/support/paper_fault.h"
#include "tb/support/temp_folder.h"

using namespace strata;
using namespace strata::platforms;
using strata::tb::has_text;
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
