#include "platforms/studies/reproduce/gdc_study.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "models/common/faults.h"
#include "models/io/draft.h"
#include "platforms/engine/pool/run_identity.h"
#include "platforms/engine/session/children.h"
#include "platforms/studies/interference/interference_text.h"

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

}  // namespace strata::platforms
