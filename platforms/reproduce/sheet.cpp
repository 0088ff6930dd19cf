#include "platforms/reproduce/sheet.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "models/common/ledger.h"

namespace strata::platforms {
namespace {

using Words = std::vector<std::string>;

struct CauseGroup {
  const char* title;
  std::vector<Cause> causes;
};

/// What the sheet keeps apart. A packet that waits in a router waits for an output, for credits, or behind a
/// packet that does: head-of-line blocking and its back-pressure. A request that waits at a slice has come to
/// one that others want too: camping. A merged access waits for a line that another one fetches.
const std::array<CauseGroup, 5>& cause_groups() {
  static const std::array<CauseGroup, 5> groups = {{
      {"routers", {Cause::request_queue, Cause::reply_queue}},
      {"slices", {Cause::llc_queue, Cause::llc_reply_queue, Cause::llc_mshr_full}},
      {"merging", {Cause::l1_merge, Cause::llc_merge}},
      {"memory",
       {Cause::memory_queue, Cause::row_activate, Cause::row_conflict, Cause::dram_access, Cause::dram_bus}},
      {"L1 side", {Cause::coalescer, Cause::l1_port, Cause::l1_mshr_full, Cause::l1_miss_queue}},
  }};
  return groups;
}

std::string signed_text(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.*f", digits, value);
  return text;
}

/// The workloads of the sheet by group of the paper.
std::vector<std::pair<std::string, Words>> parts_of(const Paper& paper) {
  std::vector<std::pair<std::string, Words>> parts;
  for (const WorkloadGroup& group : paper.groups) {
    Words some;
    for (const std::string& workload : paper.sheet.on)
      if (std::find(group.workloads.begin(), group.workloads.end(), workload) != group.workloads.end())
        some.push_back(workload);
    if (!some.empty()) parts.emplace_back(group.label, some);
  }
  return parts;
}

class SheetText {
 public:
  explicit SheetText(Measurements& measurements)
      : measurements_(measurements),
        paper_(measurements.paper()),
        parts_(parts_of(paper_)),
        seed_(measurements.plan().seeds().front()) {}
  std::string text();

 private:
  std::string gain(const std::string& metric, const Words& workloads, const std::string& of,
                   const std::string& to);
  std::string gains_table();
  std::string gains_of_workloads();
  std::string ledger_table();
  std::string of(const std::string& variant) const { return configuration_of(paper_.sheet.of, variant); }
  std::string to(const std::string& variant) const { return configuration_of(paper_.sheet.to, variant); }

  Measurements& measurements_;
  const Paper& paper_;
  std::vector<std::pair<std::string, Words>> parts_;
  std::uint64_t seed_;
};

std::string SheetText::gain(const std::string& metric, const Words& workloads, const std::string& of,
                            const std::string& to) {
  double sum = 0;
  std::string why;
  for (const std::string& workload : workloads) {
    const auto one = measurements_.value(metric, of, workload, seed_, why);
    const auto reference = measurements_.value(metric, to, workload, seed_, why);
    if (!one || !reference || *reference == 0) return "not run";
    sum += 100 * (*one / *reference - 1);
  }
  return signed_text(sum / static_cast<double>(workloads.size()), 1);
}

std::string SheetText::gains_table() {
  std::string out = "| variant |";
  std::string rule = "| --- |";
  for (const auto& [label, workloads] : parts_) {
    for (const std::string& metric : paper_.sheet.metrics) {
      out += " " + paper_.metric(metric)->label + ", " + label + " |";
      rule += " --- |";
    }
  }
  out += "\n" + rule + "\n";
  for (const std::string& variant : paper_.sheet.variants) {
    out += "| " + paper_.variant(variant)->label + " |";
    for (const auto& part : parts_)
      for (const std::string& metric : paper_.sheet.metrics)
        out += " " + gain(metric, part.second, of(variant), to(variant)) + " |";
    out += "\n";
  }
  return out;
}

std::string SheetText::gains_of_workloads() {
  std::string out = "| variant |", rule = "| --- |";
  for (const std::string& workload : paper_.sheet.on) {
    out += " " + paper_.workload(workload)->label + " |";
    rule += " --- |";
  }
  out += "\n" + rule + "\n";
  for (const std::string& variant : paper_.sheet.variants) {
    out += "| " + paper_.variant(variant)->label + " |";
    for (const std::string& workload : paper_.sheet.on)
      out += " " + gain(paper_.sheet.metrics.front(), {workload}, of(variant), to(variant)) + " |";
    out += "\n";
  }
  return out;
}

/// Cycles of a mean load with `to`, and how each group of causes changes with `of`.
std::string SheetText::ledger_table() {
  const auto& [label, workloads] = parts_.front();
  std::string out = "Mean load of the " + label + " workloads, cycles:\n\n| variant | " +
                    paper_.organization(paper_.sheet.to)->label + " | " +
                    paper_.organization(paper_.sheet.of)->label + " |";
  std::string rule = "| --- | --- | --- |";
  for (const CauseGroup& group : cause_groups()) {
    out += std::string(" ") + group.title + " |";
    rule += " --- |";
  }
  out += " rest |\n" + rule + " --- |\n";
  for (const std::string& variant : paper_.sheet.variants) {
    const auto evidence = ledger_evidence(of(variant), to(variant), workloads, measurements_);
    out += "| " + paper_.variant(variant)->label + " |";
    if (!evidence) {
      out += " not run |\n";
      continue;
    }
    double rest = evidence->of - evidence->to;
    out += " " + std::to_string(static_cast<long>(evidence->to)) + " | " +
           std::to_string(static_cast<long>(evidence->of)) + " |";
    for (const CauseGroup& group : cause_groups()) {
      double change = 0;
      for (const LedgerDifference& one : evidence->causes)
        for (const Cause cause : group.causes)
          if (one.cause == to_text(cause)) change += one.of - one.to;
      rest -= change;
      out += " " + signed_text(change, 0) + " |";
    }
    out += " " + signed_text(rest, 0) + " |\n";
  }
  return out;
}

std::string SheetText::text() {
  std::string out = "## " + paper_.sheet.title + "\n\n" + paper_.organization(paper_.sheet.of)->label +
                    " relative to " + paper_.organization(paper_.sheet.to)->label +
                    " on the same machine, in percent; one seed.\n\n";
  out += gains_table() + "\n" + paper_.metric(paper_.sheet.metrics.front())->label +
         " of each workload:\n\n" + gains_of_workloads() + "\n" + ledger_table();
  out +=
      "\nThe columns are differences: negative = less waiting. Routers: `request_queue` and `reply_queue`, "
      "which "
      "is head-of-line\nblocking and its back-pressure. Slices: `llc_queue`, `llc_reply_queue` and "
      "`llc_mshr_full`, requests that camp on one slice.\nMerging: `l1_merge` and `llc_merge`, accesses that "
      "wait "
      "for another's fetch. `strata explain CAUSE` defines each.\n";
  return out;
}

}  // namespace

std::string sheet_of(Measurements& measurements) {
  return SheetText(measurements).text();
}

}  // namespace strata::platforms
