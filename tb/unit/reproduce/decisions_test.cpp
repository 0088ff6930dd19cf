// Decisions and orders of `strata reproduce`, judged by hand-made results.
#include "platforms/studies/reproduce/decisions.h"

#include <filesystem>
#include <fstream>

#include "tb/support/catch.h"
#include "tb/support/sealed_results.h"
#include "tb/support/temp_folder.h"

using namespace strata;
using namespace strata::platforms;
using strata::tb::has_text;
using strata::tb::seal_results;
using strata::tb::TempFolder;

namespace {

const char* const table = R"(paper: "Who decides?"
jitter: {set: cta.launch_jitter=2, quick: [1], full: [1]}
workloads:
  va: {label: VA, quick: {workload: va@tiny}, full: {workload: va@tiny}}
  mm: {label: MM, quick: {workload: mm@tiny}, full: {workload: mm@tiny}}
groups: {all: [va, mm], few: [mm]}
organizations:
  shared:  {label: shared, platform: tiny}
  private: {label: private, platform: tiny, set: llc.latency=130}
  third:   {label: third, platform: tiny, set: llc.latency=150}
  chooser: {label: chooser, platform: tiny, set: llc.latency=140}
metrics:
  ipc:   {label: IPC, over: ipc}
  copies: {label: copies, over: llc_slice.replies}
decisions:
  two:   {figure: 1, says: of two, metric: ipc, of: chooser, between: [shared, private], on: all, shows: copies, right: 60, loss: 4, mean_loss: 3}
  three: {figure: 2, says: of three, metric: ipc, of: chooser, between: [shared, private, third], on: all, mean_loss: 20}
orders:
  - {figure: 2, says: copies fall, goes: down, metric: copies, of: chooser, on: [va, mm]}
  - {figure: 2, says: copies rise, metric: copies, of: chooser, on: [va, mm]}
  - {figure: 2, says: means rise, metric: copies, of: chooser, groups: [few, all]}
)";

struct HandMade {
  double ipc = 0;
  int copies = 1;
  const char* kernels = "";  // lines of kernels.csv
  const char* choices = "";  // lines of llc_choices.csv
};

void write_results(const std::string& runs, const RunPlan& plan, const std::string& configuration,
                   const std::string& workload, const HandMade& made) {
  const RunSpec* run = plan.find(configuration, workload, 1);
  REQUIRE(run != nullptr);
  const std::filesystem::path folder = std::filesystem::path(runs) / run->folder();
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "stats.json")
      << R"({"schema": "strata-results", "schema_version": 2, "partial": false, "reason": null, "digest": "0",)"
      << R"( "run": {"exit_code": 0, "trace": "t"}, "summary": {"ipc": )" << made.ipc
      << R"(, "process_cpu_seconds": 1.5}, "ledger": {"loads": {"accesses": 1, "latency": 1, "cycles": {},)"
      << R"( "latency_histogram": {"buckets": []}}},)"
      << R"( "instances": {"llc[0]": {"module": "llc_slice", "counters": {"replies": )" << made.copies
      << "}}}}";
  if (*made.kernels != '\0')
    std::ofstream(folder / "kernels.csv") << "kernel,name,application,ctas,began,ended,complete\n"
                                          << made.kernels;
  if (*made.choices != '\0')
    std::ofstream(folder / "llc_choices.csv")
        << "cycle,why,mode,degree,compared_degree,miss_rate,lsp,bytes_per_cycle\n"
        << made.choices;
  seal_results(folder);
}

/// VA, three kernels. Private needs 800 instead of 1000 cycles for the first (+25 %), 102 instead of 100 for
/// the second (neutral), 400 instead of 300 for what the limit leaves of the third (-25 %). MM, one kernel:
/// 500 and 600 cycles.
void write_all(const std::string& runs, const RunPlan& plan) {
  write_results(runs, plan, "shared", "va",
                {10, 1, "0,k,0,8,0,1000,yes\n1,l,0,8,1000,1100,yes\n2,k,0,8,1100,1400,no\n"});
  write_results(runs, plan, "private", "va",
                {12, 1, "0,k,0,8,0,800,yes\n1,l,0,8,800,902,yes\n2,k,0,8,902,1302,no\n"});
  // Kernel 0: private from 100 on, two lines a decision: right. Kernel 2: over before its first decision, so
  // shared: right.
  write_results(runs, plan, "chooser", "va",
                {11.4, 8, "0,k,0,8,0,900,yes\n1,l,0,8,900,1000,yes\n2,k,0,8,1000,1300,no\n",
                 "100,rule 2,private,8,1,0.1,2,3\n100,rule 2,private,8,8,0.1,4,6\n"});
  write_results(runs, plan, "shared", "mm", {10, 1, "0,k,0,8,0,500,yes\n"});
  write_results(runs, plan, "private", "mm", {9, 1, "0,k,0,8,0,600,yes\n"});
  // Private from 100 to 400, then shared to 550: 300 of 450 cycles, wrong.
  write_results(
      runs, plan, "chooser", "mm",
      {9.5, 2, "0,k,0,8,0,550,yes\n", "100,rule 2,private,8,1,0.1,2,3\n400,bandwidth,shared,1,1,0.1,2,3\n"});
  write_results(runs, plan, "third", "va", {15, 1});
  write_results(runs, plan, "third", "mm", {8, 1});
}

struct Bench {
  TempFolder folder;
  Paper paper = Paper::load(folder.write("paper.yaml", table));
  Selection all;
  RunPlan plan{paper, all, ""};
  std::string runs = folder.path() + "/runs";
};

}  // namespace

// VA: +20 %, chosen private for 800 of 800 decided cycles, loss 1 - 11.4 / 12 = 5 %. MM: -10 %, chosen
// private for 2/3, wrong, loss 5 %. Right: 1 of 2 workloads = 50 %, 2 of 3 kernels = 66.7 %.
TEST_CASE("a choice of two is judged by workload and by kernel") {
  Bench bench;
  write_all(bench.runs, bench.plan);
  Measurements measurements(bench.paper, bench.plan, bench.runs);
  const DecisionResult result = judge(bench.paper.decisions[0], measurements);
  REQUIRE(result.rows.size() == 2);
  const DecisionRow& va = result.rows[0];
  CHECK(va.gain == Approx(20));
  CHECK(va.loss == Approx(5));
  CHECK(va.share == 1.0);
  CHECK(va.right == true);
  REQUIRE(va.kernels);
  CHECK(va.kernels->all == 3);
  CHECK(va.kernels->not_neutral == 2);
  CHECK(va.kernels->right == 2);
  CHECK(va.kernels->undecided == 1);
  const DecisionRow& mm = result.rows[1];
  CHECK(mm.gain == Approx(-10));
  REQUIRE(mm.share);
  CHECK(*mm.share == Approx(2.0 / 3));
  CHECK(mm.right == false);
  CHECK(result.mean_loss == Approx(5));

  REQUIRE(result.bars.size() == 4);
  CHECK(result.bars[0].found == "50.0 % (1 of 2)");
  CHECK(result.bars[0].verdict == Verdict::miss);
  CHECK(result.bars[1].found == "66.7 % (2 of 3, 1 ended undecided)");
  CHECK(result.bars[1].verdict == Verdict::within);
  CHECK(result.bars[2].asked == "at most 4 %");
  CHECK(result.bars[2].verdict == Verdict::miss);
  CHECK(result.bars[3].verdict == Verdict::miss);
  const std::string text = decision_text(result, bench.paper);
  INFO(text);
  CHECK_THAT(text,
             has_text("| VA | +20.0 % | private | 100 % | right | 2 of 2 (1 undecided) | 8.00 | +5.0 % |"));
  CHECK_THAT(text, has_text("| MM | -10.0 % | shared | 67 % | WRONG | 0 of 1 | 2.00 | +5.0 % |"));
  CHECK_THAT(decision_console(result, bench.paper), has_text("WRONG"));
  CHECK(measurements.processor_time().runs == 8);
  CHECK(measurements.processor_time().seconds == Approx(12));
}

TEST_CASE("results that do not say when kernels ran are judged by workload alone") {
  Bench bench;
  write_all(bench.runs, bench.plan);
  const RunSpec* run = bench.plan.find("private", "va", 1);
  const std::string folder = bench.runs + "/" + run->folder();
  std::filesystem::remove(folder + "/kernels.csv");
  seal_results(folder);
  Measurements measurements(bench.paper, bench.plan, bench.runs);
  const DecisionResult result = judge(bench.paper.decisions[0], measurements);
  REQUIRE(result.rows.size() == 2);
  CHECK_FALSE(result.rows[0].kernels);
  CHECK(result.rows[0].right == true);
  CHECK(result.bars[0].verdict == Verdict::miss);
  CHECK(result.bars[1].verdict == Verdict::not_run);
}

// The best of three: VA third, 15: the chooser loses 24 %; MM shared, 10: 5 %. Mean 14.5 %.
TEST_CASE("a choice of several is judged by what it loses") {
  Bench bench;
  Measurements nothing(bench.paper, bench.plan, bench.runs);
  const DecisionResult empty = judge(bench.paper.decisions[1], nothing);
  CHECK(empty.rows.empty());
  CHECK(empty.reason == "no finished run of shared, va, seed 1");
  write_all(bench.runs, bench.plan);
  Measurements measurements(bench.paper, bench.plan, bench.runs);
  const DecisionResult result = judge(bench.paper.decisions[1], measurements);
  REQUIRE(result.rows.size() == 2);
  CHECK(result.rows[0].best == 2);
  CHECK(result.rows[0].loss == Approx(24));
  CHECK(result.rows[0].gain == Approx(50));
  CHECK(result.mean_loss == Approx(14.5));
  REQUIRE(result.bars.size() == 1);
  CHECK(result.bars[0].verdict == Verdict::within);
  // MM chose 8 copies once and 1 copy once.
  CHECK_THAT(decision_text(result, bench.paper), has_text("| shared | 1: 50 %, 8: 50 % | +5.0 % |"));
  CHECK_THAT(decision_text(result, bench.paper),
             has_text("| VA | +20.0 % | +50.0 % | third | 8: 100 % | +24.0 % |"));
}

TEST_CASE("orders of a metric rise or fall") {
  Bench bench;
  write_all(bench.runs, bench.plan);
  Measurements measurements(bench.paper, bench.plan, bench.runs);
  const OrderResult falls = judge(bench.paper.orders[0], {}, measurements);
  CHECK(falls.values == std::vector<double>{8, 2});
  CHECK(falls.verdict == Verdict::within);
  CHECK(judge(bench.paper.orders[1], {}, measurements).verdict == Verdict::miss);
  // MM alone 2, the mean of VA and MM (8 + 2) / 2 = 5.
  const OrderResult rises = judge(bench.paper.orders[2], {}, measurements);
  CHECK(rises.values == std::vector<double>{2, 5});
  CHECK(rises.verdict == Verdict::within);
}

TEST_CASE("faults of decisions and orders are named") {
  const auto fault_of = [](const std::string& from, const std::string& to) -> std::string {
    std::string text = table;
    text.replace(text.find(from), from.size(), to);
    TempFolder folder;
    try {
      Paper::load(folder.write("paper.yaml", text));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(fault_of("between: [shared, private],", "between: [shared, privat],"),
             has_text("no organization 'privat' (did you mean 'private'?)"));
  CHECK_THAT(fault_of("between: [shared, private],", "between: shared,"),
             has_text("'between' must name two configurations at least"));
  CHECK_THAT(fault_of("shows: copies", "shows: copys"), has_text("no metric 'copys'"));
  CHECK_THAT(fault_of("goes: down", "goes: sideways"), has_text("allowed: up, down"));
  CHECK_THAT(fault_of(", metric: copies, of: chooser, on: [va, mm]}\n  - ", "}\n  - "),
             has_text("needs either 'claims' or 'metric'"));
}
