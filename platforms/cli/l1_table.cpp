#include "platforms/cli/l1_table.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include "models/common/text.h"
#include "traces/l1_study.h"
#include "traces/workloads/workload.h"

namespace strata::cli {
namespace {

using traces::L1Figures;
using traces::L1Machine;

std::vector<std::string> papers_of(const std::string& suite) {
  std::vector<std::string> papers;
  for (std::size_t at = 0; at < suite.size();) {
    const std::size_t end = std::min(suite.find(", ", at), suite.size());
    papers.push_back(suite.substr(at, end - at));
    at = end + 2;
  }
  return papers;
}

/// A measured share, and the paper's in brackets if it gives one.
std::string percent(double share, const std::optional<double>& paper, double& furthest) {
  const double ours = 100 * share;
  if (!paper) return fixed(ours, 1);
  furthest = std::max(furthest, std::abs(ours - *paper));
  return fixed(ours, 1) + " (" + fixed(*paper, 1) + ")";
}

std::string row(const std::string& name, const L1Machine& machine, const L1Figures& f,
                const traces::PaperFigures& paper) {
  const auto ratio = [](std::uint64_t part, std::uint64_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  };
  double furthest = -1;  // largest distance from the paper
  const double saved = f.misses == 0 ? 0 : 1 - ratio(f.common_misses, f.misses);
  std::string text =
      "| " + name + " | " + machine.name + " | " + fixed(ratio(f.accesses, f.loads), 2) + " | ";
  text += fixed(ratio(f.sectors, f.accesses), 2) + " | " + fixed(f.bytes_used(), 0) + " | ";
  text += percent(f.miss_rate(), paper.l1_misses, furthest) + " | ";
  text += percent(f.fine_miss_rate(), paper.l1_misses_32, furthest) + " | ";
  text += fixed(100 * f.large_miss_rate(), 1) + " | " + percent(saved, paper.one_l1_saves, furthest) + " | ";
  text += percent(f.replication(), paper.replication, furthest) + " | " + fixed(f.copies, 1) + " | ";
  text += fixed(ratio(f.others, f.memory), 1) + " | ";
  if (furthest >= 0) text += furthest <= 10 ? "within 10 points" : "off by " + fixed(furthest, 0) + " points";
  return text + " |";
}

}  // namespace

void print_l1_table(const std::vector<std::string>& specs, const traces::PtxOptions& options,
                    std::uint64_t window) {
  std::cout
      << "| workload | L1s of | lines per load | sectors per line | bytes used of a line | L1 misses % | "
         "with 32 B lines | with 16x L1s | saved by one L1 % | replication % | copies | arithmetic per "
         "access | verdict |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- "
         "|\n";
  for (const std::string& spec : specs) {
    const auto workload = traces::Workload::load(spec);
    const traces::PaperFigures& paper = workload->definition().paper;
    const std::vector<std::string> papers = papers_of(paper.suite);
    for (const std::string& name : papers) {
      const L1Machine* machine = traces::find_l1_machine(name);
      if (machine == nullptr) continue;
      const auto source = traces::Workload::open(workload, options);
      const L1Figures figures = traces::study_l1(*source, *machine, window);
      // If a paper states a figure of L1s, it belongs to the last machine.
      const bool stated = name == papers.back();
      std::cout << row(workload->name(), *machine, figures, stated ? paper : traces::PaperFigures{}) << "\n"
                << std::flush;
    }
  }
}

}  // namespace strata::cli
