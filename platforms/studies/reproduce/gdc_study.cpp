#include "platforms/studies/reproduce/gdc_study.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "models/io/draft.h"
#include "platforms/engine/pool/run_identity.h"
#include "platforms/engine/session/children.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/interference/interference_run.h"
#include "platforms/studies/reproduce/bar_chart.h"

namespace strata::platforms {
namespace {

using Words = std::vector<std::string>;

constexpr int random_workloads = 32;  // as in the paper's figure 4
constexpr const char* kernels[] = {"vma", "dadd", "agg1", "agg2", "mm",   "mt",
                                   "mmt", "ladd", "lmul", "ldiv", "dmul", "ddiv"};
constexpr const char* organizations[] = {"shared", "private", "adaptive"};

struct Run {
  std::string name;
  Words words;  // arguments of `strata interference`
};

/// The paper does not give the parallelism of an aggressor; it only says that it accesses the LLC rarely
/// compared with VMA and DADD, because it waits for memory: here 2 CTAs of four warps, against 8 of the
/// others. The page shows the effect of more and fewer.
constexpr int aggressor_ctas = 2;
constexpr int other_ctas[] = {1, 4, 8};

/// Matrices at the paper's scale take minutes each; these kernels use the quick scale in any case.
std::string workload(const std::string& kernel, bool quick, int ctas) {
  const bool matrices = kernel.front() == 'm', aggressor = kernel.compare(0, 3, "agg") == 0;
  return kernel + (quick || matrices ? "@quick" : "@paper") +
         (aggressor ? ":ctas=" + std::to_string(ctas) : std::string());
}

Run workload_of(const std::string& name, const Words& chosen, bool quick, int ctas = aggressor_ctas) {
  Run run{name, {"gdc/xavier"}};
  for (const std::string& kernel : chosen)
    run.words.insert(run.words.end(), {"--workload", workload(kernel, quick, ctas)});
  return run;
}

/// Four different kernels; the first is the analysed one.
std::vector<Words> random_choices() {
  std::mt19937_64 random(1);
  std::vector<Words> choices;
  for (int w = 0; w < random_workloads; ++w) {
    Words left(std::begin(kernels), std::end(kernels)), chosen;
    for (int k = 0; k < 4; ++k) {
      const auto at = static_cast<std::ptrdiff_t>(random() % left.size());
      chosen.push_back(left[static_cast<std::size_t>(at)]);
      left.erase(left.begin() + at);
    }
    choices.push_back(chosen);
  }
  return choices;
}

std::vector<Run> runs_of(bool quick) {
  const Words study = {"vma", "dadd", "agg1", "agg2"};
  std::vector<Run> runs = {workload_of("vma", study, quick)};
  for (const int ctas : other_ctas) {
    runs.push_back(workload_of("ctas-" + std::to_string(ctas), study, quick, ctas));
    runs.back().words.emplace_back("--no-rerun");
  }
  int number = 0;
  for (const Words& chosen : random_choices()) {
    runs.push_back(workload_of("random-" + std::to_string(++number), chosen, quick));
    runs.back().words.emplace_back("--no-rerun");
  }
  for (const std::string organization : organizations)
    runs.push_back({"isca19-" + organization,
                    {"isca19/multi", "--workload", quick ? "gemm@quick" : "gemm@paper", "--workload",
                     "agg1@paper:ctas=640", "--max-instructions", quick ? "5000000" : "30000000", "--set",
                     "ctl.organizations=" + organization + ":" + organization}});
  return runs;
}

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `key`, a hash of all inputs of a run, is stored beside its results.
bool is_finished(const std::string& folder, const std::string& key) {
  return read_all(folder + "/key") == key && !read_all(folder + "/interference.json").empty();
}

/// Each run's key is written when the run has ended, so finished runs survive any end of the study.
void simulate(const std::vector<Run>& runs, const GdcStudyOptions& options) {
  RunIdentities identities(program_identity(options.program));
  std::vector<ChildRun> children;
  std::vector<std::pair<std::string, std::string>> keys;
  for (const Run& run : runs) {
    const std::string folder = options.out + "/" + run.name, key = identities.of(run.words).key;
    if (options.resume && is_finished(folder, key)) continue;
    std::error_code nothing_to_remove;
    std::filesystem::remove(folder + "/key", nothing_to_remove);
    ChildRun child{options.program, run.words, folder + ".log", "interference"};
    child.words.insert(child.words.end(), {"--quiet", "--jobs", "1", "--out", folder});
    children.push_back(std::move(child));
    keys.emplace_back(folder + "/key", key);
  }
  run_children(children, static_cast<std::size_t>(options.jobs),
               [&](std::size_t number) { write_file(keys[number].first, keys[number].second); });
}

/// In the form in which `strata reproduce` lists the runs of other papers.
std::string list_of(const std::vector<Run>& runs, const GdcStudyOptions& options) {
  RunIdentities identities(program_identity(options.program));
  std::string text;
  for (const Run& run : runs) {
    const bool done =
        options.resume && is_finished(options.out + "/" + run.name, identities.of(run.words).key);
    text += run.name + (done ? ", finished" : "") + ": strata interference";
    for (const std::string& word : run.words) text += " " + word;
    text += "\n";
  }
  return text + std::to_string(runs.size()) + " runs\n";
}

}  // namespace

std::string reproduce_gdc(const GdcStudyOptions& options) {
  const std::vector<Run> runs = runs_of(options.quick);
  if (options.list) return list_of(runs, options);
  const std::string docs = options.docs.empty() ? options.out : options.docs;
  std::error_code error;
  for (const std::string& folder : {options.out, docs + "/gdc"}) {
    std::filesystem::create_directories(folder, error);
    if (error) throw ConfigError("cannot write to '" + folder + "': " + error.message());
  }
  simulate(runs, options);
  GdcStudy study;
  for (const Run& run : runs) {
    Interference found = read_interference(options.out + "/" + run.name + "/interference.json");
    if (run.name == "vma")
      study.vma = std::move(found);
    else if (run.name.rfind("ctas", 0) == 0)
      study.by_ctas.push_back(std::move(found));
    else if (run.name.rfind("random", 0) == 0)
      study.random.push_back(std::move(found));
    else
      study.isolated.push_back(std::move(found));
  }
  study.ctas.assign(std::begin(other_ctas), std::end(other_ctas));
  study.organizations.assign(std::begin(organizations), std::end(organizations));
  write_file(docs + "/gdc/vma.svg", interference_svg(study.vma));
  write_file(docs + "/gdc/wbd.svg", gdc_distances_svg(study));
  const std::string page = gdc_page(study, options);
  write_file(docs + "/gdc.md", page);
  return page + "\npage: " + docs + "/gdc.md\n";
}

namespace {

enum Kernel : std::size_t { vma, dadd, agg1, agg2 };
constexpr double paper_gdc[] = {22.3, 57.6, 18.3, 1.7};  // section IV-B

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + cell + " |";
  return text + "\n";
}

std::string head(const std::vector<std::string>& cells) {
  return row(cells) + row(std::vector<std::string>(cells.size(), "---"));
}

std::string in_percent(double share) {
  return fixed(100 * share, 1);
}

const char* verdict(bool holds) {
  return holds ? "holds" : "**does not hold**";
}

double distance(const Interference& run) {
  return breakdown_distance(run.gdc(run.victim), run.plob(run.victim));
}

std::string vma_part(const Interference& run) {
  const Shares gdc = run.gdc(vma), plob = run.plob(vma), self = run.plob(vma, true), truth = run.truth(vma);
  std::string text =
      "## VMA, DADD, AGG1, AGG2\n\n" + head({"misses of VMA ascribed to, %", "GDC", "paper's GDC", "PLOB",
                                             "paper's PLOB", "PLOB with self", "Shapley"});
  const char* names[] = {"itself", "DADD", "AGG1", "AGG2"};
  const char* paper_plob[] = {"", "", "72.7", "26.7"};
  for (std::size_t k = vma; k <= agg2; ++k)
    text += row({names[k], in_percent(gdc[k]), fixed(paper_gdc[k], 1), in_percent(plob[k]), paper_plob[k],
                 in_percent(self[k]), in_percent(truth[k])});
  text += "\n![LLC misses by victim and aggressor](gdc/vma.svg)\n\n" + head({"claim", "paper", "here", ""});
  text += row({"order under GDC", "DADD > itself > AGG1 > AGG2",
               in_percent(gdc[dadd]) + ", " + in_percent(gdc[vma]) + ", " + in_percent(gdc[agg1]) + ", " +
                   in_percent(gdc[agg2]),
               verdict(gdc[dadd] > gdc[vma] && gdc[vma] > gdc[agg1] && gdc[agg1] > gdc[agg2])});
  text += row({"GDC of AGG1 within 10 points", "18.3 %", in_percent(gdc[agg1]) + " %",
               verdict(100 * gdc[agg1] >= 8.3 && 100 * gdc[agg1] <= 28.3)});
  text += row({"GDC of AGG2 at most 5 %", "1.7 %", in_percent(gdc[agg2]) + " %", verdict(gdc[agg2] <= 0.05)});
  text += row({"GDC of both at most 35 %", "20.0 %", in_percent(gdc[agg1] + gdc[agg2]) + " %",
               verdict(gdc[agg1] + gdc[agg2] <= 0.35)});
  text += row({"PLOB of both at least 85 %", "99.4 %", in_percent(plob[agg1] + plob[agg2]) + " %",
               verdict(plob[agg1] + plob[agg2] >= 0.85)});
  text += "\nWithout one contender, simulated again until VMA has ended:\n\n" +
          head({"without", "misses of VMA saved, %", "its cycles saved, %", "cycles of an access saved",
                "of these in queues"});
  for (const WithoutContender& one : run.without)
    text +=
        row({names[one.contender],
             in_percent(1 - static_cast<double>(one.misses) / static_cast<double>(run.counts.misses[vma])),
             in_percent(1 - static_cast<double>(one.cycles) / static_cast<double>(run.cycles)),
             fixed(run.latency[vma] - one.latency, 1), fixed(run.queues[vma] - one.queues, 1)});
  return text + "\nAn access of VMA takes " + fixed(run.latency[vma], 1) + " cycles, " +
         fixed(run.queues[vma], 1) + " of them in queues.\n";
}

/// The parallelism of an aggressor determines its request rate.
std::string ctas_part(const GdcStudy& study) {
  std::string text =
      "\nHow many CTAs the aggressors have is our choice: the paper only says that AGG1 accesses the LLC "
      "much more "
      "seldom than VMA and DADD. With fewer and more of them:\n\n" +
      head({"CTAs", "requests of AGG1 for each of VMA", "GDC %", "PLOB %", "Shapley %"});
  const auto line = [](const std::string& ctas, const Interference& run) {
    std::string shares[3];
    const Shares breakdowns[] = {run.gdc(vma), run.plob(vma), run.truth(vma)};
    for (std::size_t k = vma; k <= agg2; ++k)
      for (int b = 0; b < 3; ++b) shares[b] += (k == vma ? "" : " / ") + in_percent(breakdowns[b][k]);
    return row({ctas,
                fixed(static_cast<double>(run.accesses[agg1]) / static_cast<double>(run.accesses[vma]), 2),
                shares[0], shares[1], shares[2]});
  };
  text += line("as above", study.vma);
  for (std::size_t i = 0; i < study.by_ctas.size(); ++i)
    text += line(std::to_string(study.ctas[i]), study.by_ctas[i]);
  return text + "\nShares: VMA itself, DADD, AGG1, AGG2.\n";
}

/// Errors of an estimate, over some of the random workloads.
struct Errors {
  double all = 0, contenders = 0;
  int inversions = 0, contender_inversions = 0;
  void add(const Shares& estimate, const Shares& truth, int victim, std::size_t workloads) {
    const auto each = static_cast<double>(workloads);
    all += mean_absolute_error(estimate, truth) / each;
    Shares of_others = of_contenders(estimate, victim), true_others = of_contenders(truth, victim);
    of_others.erase(of_others.begin() + victim);
    true_others.erase(true_others.begin() + victim);
    contenders += mean_absolute_error(of_others, true_others) / each;
    inversions += rank_inversions(estimate, truth, -1);
    contender_inversions += rank_inversions(estimate, truth, victim);
  }
  std::string line(const char* name, const std::string& workloads, bool of_contenders_too) const {
    return row({name, workloads, in_percent(all), std::to_string(inversions),
                of_contenders_too ? in_percent(contenders) : "",
                of_contenders_too ? std::to_string(contender_inversions) : ""});
  }
};

/// Cost of the contenders for the victim, as a share of its misses.
double cost(const Interference& run) {
  return 1 - run.truth(run.victim)[static_cast<std::size_t>(run.victim)];
}

/// Errors of the three estimates, over the workloads in which contenders cost at least this much.
std::string errors_above(const std::vector<Interference>& runs, double least, bool of_contenders_too) {
  Errors gdc, plob, self;
  const auto judged = static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [=](const Interference& run) { return cost(run) >= least; }));
  for (const Interference& run : runs) {
    if (cost(run) < least) continue;
    const Shares truth = run.truth(run.victim);
    gdc.add(run.gdc(run.victim), truth, run.victim, judged);
    plob.add(run.plob(run.victim), truth, run.victim, judged);
    self.add(run.plob(run.victim, true), truth, run.victim, judged);
  }
  const std::string workloads = std::to_string(judged);
  return gdc.line("GDC", workloads, of_contenders_too) + plob.line("PLOB", workloads, of_contenders_too) +
         self.line("PLOB with self", workloads, of_contenders_too);
}

std::string errors_part(const std::vector<Interference>& runs) {
  return "## Which of them is right\n\nShapley values of the contenders, from replaying the recorded stream "
         "of LLC requests for every set of them; what the victim misses alone is its own. Errors are means "
         "of absolute differences between shares, in percentage points; inversions are pairs of kernels in "
         "the wrong order. The last two columns leave the victim's own share out of all; they are given "
         "where contenders cause at least 1 % of the victim's misses, for shares of nothing are noise.\n\n" +
         head({"", "workloads", "error", "inversions", "error, contenders", "inversions, contenders"}) +
         errors_above(runs, -1, false) + errors_above(runs, 0.01, true) + "\n";
}

std::string random_part(const std::vector<Interference>& runs) {
  double least = 2, most = 0;
  for (const Interference& run : runs) {
    least = std::min(least, distance(run));
    most = std::max(most, distance(run));
  }
  std::string text =
      "## 32 random workloads\n\nFour different kernels of twelve each, drawn with a fixed seed; the "
      "first is the victim.\n\n![Distances](gdc/wbd.svg)\n\n" +
      head({"claim", "paper", "here", ""});
  text += row({"least wbd at most 0.15", "0.03", fixed(least, 3), verdict(least <= 0.15)});
  text += row({"largest wbd at least 0.8", "1.15", fixed(most, 3), verdict(most >= 0.8)});
  text += "\n" + errors_part(runs) +
          head({"", "victim", "contenders", "misses", "wbd", "GDC %", "PLOB %", "Shapley %"});
  for (std::size_t w = 0; w < runs.size(); ++w) {
    const Interference& run = runs[w];
    std::string others, shares[3];
    const Shares breakdowns[] = {run.gdc(run.victim), run.plob(run.victim), run.truth(run.victim)};
    for (std::size_t k = 0; k < run.names.size(); ++k) {
      if (k != 0) others += (others.empty() ? "" : ", ") + run.names[k];
      for (int b = 0; b < 3; ++b) shares[b] += (k == 0 ? "" : " / ") + in_percent(breakdowns[b][k]);
    }
    text += row({std::to_string(w + 1), run.names[0], others, grouped(run.counts.misses[0]),
                 fixed(distance(run), 3), shares[0], shares[1], shares[2]});
  }
  return text + "\nShares: the victim's own, then those of the contenders in their order.\n";
}

std::string isolation_part(const GdcStudy& study) {
  std::string text =
      "## Which LLC organization isolates best\n\nGEMM and an aggressor on `isca19/multi`, each with half of "
      "the "
      "SMs of every cluster, both with the same organization of the LLC, until the first has issued "
      "its instructions. What others cause of the misses of each:\n\n" +
      head({"organization", "victim", "LLC requests", "misses", "GDC %",
            "evicted by the other, % of evictions", "Shapley %", "Shapley, misses", "cycles of an access",
            "in queues"});
  for (std::size_t o = 0; o < study.isolated.size(); ++o)
    for (int v = 0; v < study.isolated[o].size(); ++v) {
      const Interference& run = study.isolated[o];
      const auto at = static_cast<std::size_t>(v);
      text += row({study.organizations[o], run.names[at], grouped(run.accesses[at]),
                   grouped(run.counts.misses[at]), in_percent(1 - run.gdc(v)[at]),
                   in_percent(1 - run.plob(v, true)[at]), in_percent(1 - run.truth(v)[at]),
                   fixed(run.shapley[at][static_cast<std::size_t>(1 - v)], 0), fixed(run.latency[at], 1),
                   fixed(run.queues[at], 1)});
    }
  text += "\n" + head({"organization", "without the other, the first saves misses, %", "cycles, %",
                       "cycles of an access", "of these in queues"});
  for (std::size_t o = 0; o < study.isolated.size(); ++o)
    for (const WithoutContender& one : study.isolated[o].without) {
      const Interference& run = study.isolated[o];
      text +=
          row({study.organizations[o],
               in_percent(1 - static_cast<double>(one.misses) / static_cast<double>(run.counts.misses[0])),
               in_percent(1 - static_cast<double>(one.cycles) / static_cast<double>(run.cycles)),
               fixed(run.latency[0] - one.latency, 1), fixed(run.queues[0] - one.queues, 1)});
    }
  return text;
}

}  // namespace

std::string gdc_distances_svg(const GdcStudy& study) {
  BarChart chart;
  chart.title = "Distance between the breakdowns of GDC and PLOB";
  chart.axis = "wbd";
  BarSeries series{"wbd", {}};
  for (std::size_t w = 0; w < study.random.size(); ++w) {
    chart.categories.push_back("w" + std::to_string(w + 1));
    series.values.emplace_back(distance(study.random[w]));
  }
  chart.series = {series};
  return to_svg(chart);
}

std::string gdc_page(const GdcStudy& study, const GdcStudyOptions& options) {
  return "# GPU demotion counters\n\nWritten by `" + options.command +
         "`. Counters, shares and what is taken for the truth are defined on the pages of "
         "[contention_tracker](../blocks/contention-tracker.md) and "
         "[interference](../guide/interference.md).\n\n" +
         vma_part(study.vma) + ctas_part(study) + "\n" + random_part(study.random) + "\n" +
         isolation_part(study);
}

}  // namespace strata::platforms
