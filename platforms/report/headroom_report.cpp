#include "platforms/report/headroom_report.h"

#include <algorithm>
#include <cmath>

#include "models/llc_predictors/replication_shape.h"
#include "models/llc_predictors/sharing_windows.h"
#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

std::string name_of(int degree, const HeadroomParams& params) {
  if (degree == 1) return "full sharing";
  if (degree == std::min(params.slices, params.clusters)) return "full replication";
  return std::to_string(degree) + " copies";
}

/// A configuration of the LLC, and its shortest possible time.
struct Ceiling {
  std::string name, replacement;
  HeadroomResult result;
  double cycles = 0;
};

std::vector<Ceiling> ceilings_of(const std::vector<LlcLookup>& stream, const HeadroomParams& params,
                                 const HeadroomRun& run) {
  std::vector<Ceiling> ceilings;
  const auto add = [&](const std::string& name, const char* replacement, const HeadroomResult& result) {
    ceilings.push_back({name, replacement, result, cycles_at_least(result, params, run)});
  };
  for (int degree = 1; degree <= params.slices; degree *= 2) {
    if (!ReplicationShape::allows(params.clusters, params.slices, degree)) continue;
    const std::string name = name_of(degree, params);
    add(name, "LRU", replay_degree(stream, params, degree));
    add(name, "OPT", replay_opt(stream, params, degree));
    add(name, "infinite", replay_infinite(stream, params, degree));
  }
  return ceilings;
}

std::string cycles_cell(double cycles) {
  return grouped(static_cast<std::uint64_t>(std::llround(cycles)));
}

std::string table_of(const std::vector<Ceiling>& ceilings, const HeadroomParams& params,
                     const HeadroomRun& run, std::size_t lookups) {
  const bool timed = run.cycles != 0;
  TextTable table;
  std::vector<std::string> heads = {"LLC", "replacement", "hit rate", "LSP", "bytes per cycle"};
  if (timed) heads.insert(heads.end(), {"cycles at least", "faster at most"});
  table.add(heads);
  if (timed)
    table.add({"as simulated", "", percent(run.hit_rate), "",
               rounded(static_cast<double>(lookups) * params.line_bytes / static_cast<double>(run.cycles), 4),
               grouped(run.cycles), ""});
  for (const Ceiling& one : ceilings) {
    std::vector<std::string> cells = {one.name, one.replacement, percent(one.result.hit_rate()),
                                      rounded(one.result.lsp, 3), rounded(one.result.bandwidth, 4)};
    if (timed) {
      cells.push_back(cycles_cell(one.cycles));
      cells.push_back(one.cycles > 0 ? rounded(static_cast<double>(run.cycles) / one.cycles, 3) + " x" : "-");
    }
    table.add(cells);
  }
  return table.text();
}

/// Each compared run, and how much of the ceilings of sharing, of replication and of any configuration it
/// reaches. Runs are compared over the instructions that they executed.
std::string judged_text(const std::vector<Ceiling>& ceilings, const HeadroomRun& run,
                        const std::vector<JudgedRun>& judged) {
  if (judged.empty() || run.cycles == 0 || run.thread_instructions == 0) return "";
  const auto better = [](const Ceiling& a, const Ceiling& b) { return a.cycles < b.cycles; };
  const Ceiling& best = *std::min_element(ceilings.begin(), ceilings.end(), better);
  const auto opt_of = [&](const std::string& name) {
    return std::find_if(ceilings.begin(), ceilings.end(),
                        [&](const Ceiling& one) { return one.name == name && one.replacement == "OPT"; });
  };
  const auto sharing = opt_of("full sharing"), replication = opt_of("full replication");
  TextTable table;
  table.add({"policy", "IPC", "of full sharing", "of full replication", "of the best (" + best.name + ")"});
  const auto work = static_cast<double>(run.thread_instructions);
  for (const JudgedRun& one : judged) {
    const double cycles = one.cycles * work / one.thread_instructions;
    table.add({one.name, rounded(one.thread_instructions / one.cycles),
               sharing == ceilings.end() ? "-" : percent(sharing->cycles / cycles),
               replication == ceilings.end() ? "-" : percent(replication->cycles / cycles),
               percent(best.cycles / cycles)});
  }
  return "Policies against their ceilings (OPT, network without limits; best: any row above)\n" +
         table.text();
}

std::string clusters_text(const std::vector<LlcLookup>& stream, const HeadroomParams& params) {
  SharingWindows windows({params.window, params.clusters});
  for (const LlcLookup& lookup : stream) windows.observe(lookup.number, lookup.cluster, lookup.cycle);
  windows.finish();
  if (windows.lines() == 0) return "";
  const auto share = [&](int from, int to) {
    return percent(static_cast<double>(windows.lines(from, to)) / static_cast<double>(windows.lines()));
  };
  TextTable table;
  table.add({"clusters that touch a line", "1", "2", "3-4", "5-8", "9 or more"});
  table.add(
      {"share of lines", share(1, 1), share(2, 2), share(3, 4), share(5, 8), share(9, params.clusters)});
  return table.text();
}

std::string sms_text(const std::vector<LlcLookup>& stream, const HeadroomParams& params) {
  int sms = 1;
  for (const LlcLookup& lookup : stream) sms = std::max(sms, lookup.sm + 1);
  SharingWindows windows({params.window, sms});
  for (const LlcLookup& lookup : stream)
    if (lookup.access_class == AccessClass::read_only_load)
      windows.observe(lookup.number, lookup.sm, lookup.cycle);
  windows.finish();
  if (windows.lines() == 0) return "";
  TextTable table;
  table.add({"SMs that touch a read-only line", "2 or more", "10 or more"});
  table.add({"share of lines", percent(windows.share_from(2)), percent(windows.share_from(10))});
  return table.text();
}

}  // namespace

double cycles_at_least(const HeadroomResult& result, const HeadroomParams& params, const HeadroomRun& run) {
  const auto bytes = [&](std::uint64_t lines) {
    return static_cast<double>(lines) * static_cast<double>(params.line_bytes);
  };
  double least = bytes(result.busiest) / params.bandwidth.slice;
  if (params.bandwidth.memory > 0)
    least = std::max(least, bytes(result.accesses - result.hits) / params.bandwidth.memory);
  if (run.issue_slots != 0)
    least =
        std::max(least, static_cast<double>(run.warp_instructions) / static_cast<double>(run.issue_slots));
  return least;
}

std::string headroom_report(const std::vector<LlcLookup>& stream, const HeadroomParams& params,
                            const HeadroomRun& run, const std::vector<JudgedRun>& judged) {
  const std::vector<Ceiling> ceilings = ceilings_of(stream, params, run);
  std::string text = grouped(stream.size()) + " lookups of the LLC, replayed in the order of the run\n" +
                     table_of(ceilings, params, run, stream.size());
  if (run.cycles != 0 && run.issue_slots != 0)
    text += "Issue of all instructions alone: " +
            cycles_cell(static_cast<double>(run.warp_instructions) / static_cast<double>(run.issue_slots)) +
            " cycles\n";
  text += judged_text(ceilings, run, judged);
  const std::string window = std::to_string(params.window);
  const std::string clusters = clusters_text(stream, params);
  if (!clusters.empty()) text += "Lines in windows of " + window + " cycles\n" + clusters;
  return text + sms_text(stream, params);
}

}  // namespace strata::platforms
