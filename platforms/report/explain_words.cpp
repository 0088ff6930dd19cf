#include "platforms/report/explain_words.h"

#include <algorithm>
#include <sstream>

#include "platforms/report/glossary.h"

namespace strata::platforms {
namespace {

/// Without links and code marks of Markdown.
std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "](") == 0)
      at = text.find(')', at);
    else if (text[at] != '`' && text[at] != '[')
      out += text[at];
  }
  return out;
}

/// Rows `| term, other term | meaning |` of the page docs/guide/glossary.md.
std::vector<GlossaryTerm> read_glossary() {
  std::vector<GlossaryTerm> terms;
  std::istringstream page{std::string(glossary_page)};
  for (std::string line; std::getline(page, line);) {
    const std::size_t middle = line.find(" | ");
    if (line.rfind("| ", 0) != 0 || line.rfind("| term", 0) == 0 || line.rfind("| ---", 0) == 0 ||
        middle == std::string::npos)
      continue;
    const std::string meaning = plain(line.substr(middle + 3, line.rfind(" |") - middle - 3));
    std::istringstream names(plain(line.substr(2, middle - 2)));
    for (std::string name; std::getline(names >> std::ws, name, ',');) terms.push_back({name, meaning});
  }
  return terms;
}

}  // namespace

std::string spelled_alike(std::string term) {
  std::transform(term.begin(), term.end(), term.begin(), [](char c) {
    return c == '_' || c == '-' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return term;
}

const std::vector<GlossaryTerm>& glossary() {
  static const std::vector<GlossaryTerm> terms = read_glossary();
  return terms;
}

const std::vector<ExplainedWord>& explained_words() {
  static const std::vector<ExplainedWord> words = {
      {"l2", "the last-level cache: Strata calls it LLC; its slices are the module llc_slice, instance llc"},
      {"l1", "the first cache, private to an SM, or shared by SMs where nodes hold it (DC-L1)"},
      {"dram", "the memory behind the LLC: channels of memory_controller and dram_channel"},
      {"launch", "by_launch.csv: number of a kernel's launch in the trace, from 0"},
      {"grid", "by_launch.csv: thread blocks of a launch, 8x1x1"},
      {"block", "by_launch.csv: threads of a thread block, 32x1x1"},
      {"registers", "by_launch.csv: registers of a thread"},
      {"shared_bytes", "by_launch.csv: shared memory of a thread block, static and dynamic"},
      {"global_load_sectors", "by_launch.csv: 32 B sectors requested by global loads of SMs"},
      {"global_store_sectors", "by_launch.csv: 32 B sectors that global stores of SMs wrote"},
      {"global_atomic_sectors", "by_launch.csv: 32 B sectors of atomics and reductions of SMs"},
      {"llc_read_sectors", "by_launch.csv: 32 B sectors of loads that reached LLC slices"},
      {"llc_write_sectors", "by_launch.csv: 32 B sectors of stores that reached LLC slices"},
      {"llc_atomic_sectors", "by_launch.csv: 32 B sectors of atomics that reached LLC slices"},
      {"llc_read_hit_rate", "by_launch.csv: read hits over reads of LLC slices, by request"},
      {"dram_read_sectors", "by_launch.csv: bytes that DRAM channels read, over 32"},
      {"dram_write_sectors", "by_launch.csv: bytes that DRAM channels wrote, over 32"},
      {"sm_ipc", "by_launch.csv: warp instructions per cycle of an SM"},
      {"stream", "by_launch.csv, kernels.csv: the CUDA stream of a launch"},
      {"ctas", "thread blocks of a kernel, or those that were launched or done"},
      {"bottleneck",
       "what limits a run: the first line of the verdict names it (docs/methods/verdict.md has the rule)"},
      {"limit", "what limits a run, as the verdict's rule finds it"},
      {"next", "verdict: the resources that were busiest behind the limit"},
      {"latency",
       "cycles from the issue of an access to its reply; as a verdict: nothing is busy, and accesses take "
       "their time"},
      {"uneven", "verdict: a resource whose busiest part has 1.5 times the mean or more"},
      {"try", "verdict: the resource whose doubling helps most, by the rule or, with --what-if, as measured"},
      {"busy",
       "share of the time for which a resource is used; for links derived from their queues "
       "(docs/methods/verdict.md)"},
      {"used", "of a resource: uses over the most that are possible in the time"},
      {"full",
       "of places such as MSHRs: taken in the mean; as a rule of the verdict: a resource was busy for 70 % "
       "of the time or more"},
      {"idle", "rule of the verdict: schedulers had no instruction for a reason that is not memory"},
      {"room",
       "rule of the verdict: the entries of a resource were taken, and nothing behind it was busy; as a kind "
       "of resource: places"},
      {"rate", "kind of resource: so many uses a cycle"},
      {"size",
       "rule of the verdict: misses that L1s of twice the size would avoid; as a kind of resource: capacity"},
      {"wait",
       "rule of the verdict: a resource was busy for half of the time or more, or accesses waited for half "
       "of theirs"},
      {"kernel_boundaries", "limit: schedulers have no warp because kernels begin and end"},
      {"accesses", "lines that loads, stores and atomics ask for, after lanes of a warp are put together"},
      {"hits", "accesses whose line is in the cache"},
      {"merges", "accesses whose line is already being fetched: they wait for the same reply"},
      {"misses", "accesses whose line is fetched from farther on"},
      {"bypasses", "loads that go past the L1's tags"},
      {"gini",
       "how unevenly a load is distributed over parts: 0 if all are equal, towards 1 if one has everything"},
      {"mean", "sum over count"},
      {"partial", "a run that was cut off: its figures cover what was simulated until then"},
      {"trace", "what the machine executes: instructions of warps from a file, a workload or a pattern"},
      {"workload", "a shipped program, at a scale: gemm@tiny"},
      {"variant", "of a sweep: settings that change together"},
      {"kernel", "a function of a program that runs on the GPU; its number in the trace"},
      {"kernels", "launches of functions on the GPU"},
      {"application", "one of several programs that run side by side; its number"},
      {"launches", "how often a kernel was started"},
      {"began", "first cycle"},
      {"ended", "last cycle"},
      {"complete", "it ran to its end, and was not cut off"},
      {"end_cycle", "last core cycle of the epoch"},
      {"cycle", "a core cycle, counted from the start of the run"},
      {"llc_parallelism", "column of epochs.csv: accesses of all LLC slices over those of the busiest one"},
      {"change", "compare: relative to the first group"},
      {"summary", "the figures of a run: stats.json, and the first table of compare"},
      {"results", "a results directory"},
      {"runs", "compare: how many runs a group has, which differ in chance only"},
      {"seeds", "sweep: share of the variance that comes from chance"},
      {"within_noise", "compare: the 95 % interval of the change holds 0"},
      {"baseline", "what the other values of a sweep's key are compared with"},
      {"interactions", "share of the variance of log time that single keys of a sweep do not explain"},
      {"geometric_mean", "the mean of logarithms: used for speed-ups of several workloads"},
      {"least", "the smallest over combinations or seeds"},
      {"most", "the largest over combinations or seeds, or over like parts"},
      {"loads", "accesses that read, and wait for their reply"},
      {"stores", "accesses that write"},
      {"atomics", "accesses that read and write in the LLC"},
      {"share", "a part of the whole"},
      {"figure", "a number of the summary"},
      {"unit", "what a figure is counted in"},
      {"value", "of a figure"},
      {"instances", "modules of a group"},
      {"queue", "where accesses wait for their turn"},
      {"mean_per_access", "column of ledger.csv: cycles over accesses"},
      {"group", "accesses of one kind (loads, stores, atomics), or instances of one name"},
      {"module", "a block of the machine: strata modules lists them"},
      {"counter", "a number that a module counts"},
      {"cycles", "of the core clock"},
  };
  return words;
}

}  // namespace strata::platforms
