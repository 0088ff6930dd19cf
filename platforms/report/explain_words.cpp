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
      // A sweep's tables.
      {"point", "of a sweep: a run of one platform, variant, workload, seed and value of each key under set"},
      {"points", "the runs of a sweep"},
      {"platform", "the machine of a run: a netlist file, or the name of a shipped platform"},
      {"sweep", "many runs that one file describes: platforms, variants, settings, workloads and seeds"},
      {"what matters",
       "compare: share of the variance of the logarithm of time that each key of a sweep explains"},
      {"alike in all workloads",
       "compare: share of the variance that a key explains in the same way in every workload"},
      {"differs by workload",
       "compare: share of the variance that a key explains, differently in each workload"},
      {"best over worst value", "compare: time with the worst value of a key over that with its best"},
      {"best", "compare: the configuration that needs the least time, over all workloads"},
      {"± 95 %", "half of the 95 % confidence interval of a mean, over the seeds"},
      // Instructions by source line.
      {"of load cycles", "--by-source: share of the cycles in which loads and atomics are in flight"},
      {"share_of_load_cycles", "by_source.csv: share of the cycles in which loads and atomics are in flight"},
      {"of stalls",
       "--by-source: of all cycles in which warps wait for loads, the share that waits for the result of "
       "this one"},
      {"share_of_stalls",
       "by_source.csv: of all cycles in which warps wait for loads, the share that waits for the result of "
       "this one"},
      {"stall_cycles",
       "by_source.csv: cycles for which warps could not go on, up to the last reply of this load; of several "
       "loads that a warp waits for, the last to arrive has the cycles"},
      {"executed", "--by-source: warp instructions that sent a line access"},
      {"lines each",
       "--by-source: line accesses of a warp instruction; 1 is best, 32 is a line for each thread"},
      {"cycles each", "--by-source: cycles from the load/store unit to the last reply of a warp instruction"},
      {"source", "--by-source: the text of the source line"},
      {"instruction", "--by-source: opcode"},
      {"pc", "by_source.csv: byte offset of an instruction in its kernel"},
      {"file", "by_source.csv: source file, if it is known"},
      {"listing", "by_source.csv: PTX file"},
      {"listing_line", "by_source.csv: line of the PTX file"},
      {"class", "by_source.csv: load, store or atomic"},
      {"l1_looked", "by_source.csv: loads that an L1 looked up"},
      {"line_cycles", "by_source.csv: sum of the cycles from the load/store unit to each reply"},
      // Headings and table heads of pages.
      {"a", "of a page with two runs: the first one"},
      {"b", "of a page with two runs: the second one, which is compared with A"},
      {"b against a", "the change from run A to run B"},
      {"time", "core cycles of the run"},
      {"work", "the trace or workload of the run"},
      {"set", "settings that differ from the platform's netlist (--set)"},
      {"strata", "the version that made the results"},
      {"settings", "what --what-if sets for about twice as much of a resource"},
      {"faster by", "gain of --what-if: more work in the same time"},
      {"busiest", "the part or instance with the largest share"},
      {"busiest / mean", "share of the busiest instance over the mean: 1 is even"},
      {"of the mean", "an instance's count over the mean of its group"},
      {"sum", "of a counter: over all instances"},
      {"all", "the sum"},
      {"low", "lower end of the model's interval"},
      {"high", "upper end of the model's interval"},
      {"shortest", "cycles of the shortest launch"},
      {"longest", "cycles of the longest launch"},
      {"share of cycles", "cycles of a kernel's launches over those of all kernels"},
      {"load latency", "cycles of a mean load: mean_load_latency"},
      {"limited by", "what limits a kernel: the verdict's limit"},
      {"summary", "what limited the run, and all of its figures"},
      {"machine", "the netlist from the requesters to memory, coloured by load"},
      {"roofline",
       "work in a cycle over instructions per byte, under the limits by issue slots and by each level's "
       "bandwidth"},
      {"level", "of the roofline: L1, LLC or DRAM"},
      {"roof there",
       "of the roofline: the most thread instructions per cycle at this number of instructions per byte"},
      {"of the roof", "of the roofline: IPC over the roof there"},
      {"thread instructions per byte", "of the roofline: thread instructions over bytes that a level moved"},
      {"thread instructions per cycle (IPC)", "IPC in each epoch"},
      {"name", "kernels.csv: name of a kernel"},
      {"line accesses per cycle", "line_access_rate: accesses that complete in a core cycle"},
      {"dram bandwidth used", "dram_utilization: share of the time for which the DRAM data buses move data"},
      {"bandwidth used", "bytes that a level moved, over the most that it can move in the time"},
      {"over time", "figures of each epoch (--epoch)"},
      {"heat maps", "load over time, a line for each instance"},
      {"counters", "everything that was counted, by group of instances"},
      {"by source",
       "instructions and source lines that access memory, and how long warps wait for them (--by-source)"},
      {"energy", "joules by block, from the counters by the model of strata energy"},
      {"dynamic", "energy of events, such as an access or a flit"},
      {"leakage", "energy that a block needs as long as it is on"},
      {"cycles per access", "of a place and cause: cycles over the accesses of its kind"},
      {"place.cause", "a row of the ledger: where a mean access spends cycles, and why"},
      {"warp schedulers", "share of their cycles in which they issue, or wait, by reason"},
      {"sms",
       "streaming multiprocessors, which execute warps; as a line of the verdict: what their schedulers did"},
      {"sms that have work", "SMs with a warp, in each epoch"},
      {"share of accesses that hit", "hit rates of L1 and LLC in each epoch"},
      {"requests per cycle", "accesses of L1s and LLC, reads and writes of DRAM, in each epoch"},
      {"share of dram bus cycles that move data", "use of the DRAM data buses in each epoch"},
      {"accesses of each l1", "of each L1, in each epoch"},
      {"accesses of each llc slice", "of each slice, in each epoch"},
      {"llc slices that work in parallel",
       "accesses of all slices over those of the busiest one, in each epoch"},
      {"organization of the llc", "when the slices were shared, private, or changing"},
      {"sources of the difference", "the cycles of a mean access that each place and cause adds from A to B"},
      // Pages of strata reproduce.
      {"claim", "of a reproduction: what a paper says, beside what Strata measures"},
      {"paper", "of a reproduction: the figure that the paper prints"},
      {"over the seeds", "least and most of the runs with different seeds"},
      {"order", "of a reproduction: claims whose figures the paper ranks"},
      {"orders", "of a reproduction: rankings that the paper names, and whether they hold"},
      {"goes", "of a reproduction: the order in which figures are claimed to lie"},
  };
  return words;
}

}  // namespace strata::platforms
