#include "platforms/studies/reproduce/sheet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "models/common/ledger_places.h"

namespace strata::platforms {
namespace {

using Words = std::vector<std::string>;

/// Causes at every place of a role; without a role: at any place.
struct CausesAt {
  const char* role;
  std::vector<Cause> causes;
};
struct CauseGroup {
  const char* title;
  std::vector<CausesAt> parts;

  bool holds(const LedgerDifference& one) const {
    const auto cause = cause_called(split_place(one.row).cause);
    return cause && std::any_of(parts.begin(), parts.end(), [&](const CausesAt& part) {
             return (*part.role == 0 || part.role == one.role) &&
                    std::find(part.causes.begin(), part.causes.end(), *cause) != part.causes.end();
           });
  }
};

/// The groups of causes on the sheet. A packet in a router waits for an output, for credits, or behind such a
/// packet: head-of-line blocking and its back-pressure. A reply at its slice waits for the slice's own port
/// or for the router behind it; the ledger does not distinguish these. A request in front of a slice competes
/// with others for it: camping. A merged access waits for a line that another one fetches.
const std::array<CauseGroup, 6>& cause_groups() {
  static const std::array<CauseGroup, 6> groups = {{
      {"head-of-line blocking", {{"", {Cause::request_queue, Cause::reply_queue}}}},
      {"reply ports", {{"llc", {Cause::reply_port}}}},
      {"camping", {{"llc", {Cause::queue, Cause::full}}}},
      {"merging", {{"", {Cause::merge}}}},
      {"memory", {{"memory", {Cause::queue, Cause::activate, Cause::conflict, Cause::access, Cause::bus}}}},
      {"L1 side", {{"sm", {Cause::queue}}, {"l1", {Cause::port, Cause::full, Cause::miss_queue}}}},
  }};
  return groups;
}

constexpr std::size_t variants_shown = 6;  // the variants that move a gain most

std::string signed_text(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.*f", digits, value);
  return text;
}

/// The workloads of the sheet, by group of the paper.
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
  std::string evidence(const Claim& claim);

 private:
  std::optional<double> gain(const std::string& metric, const Words& workloads, const std::string& variant);
  std::string gain_text(const std::string& metric, const Words& workloads, const std::string& variant);
  std::string gains_table();
  std::string gains_of_workloads();
  std::string ledger_heads(const std::string& first);
  std::string ledger_row(const std::string& label, const std::string& variant, const Words& workloads,
                         bool shares);
  std::string split_table();
  std::string removal_table();
  std::string ledger_table();
  std::string of(const std::string& variant) const { return configuration_of(paper_.sheet.of, variant); }
  std::string to(const std::string& variant) const { return configuration_of(paper_.sheet.to, variant); }

  Measurements& measurements_;
  const Paper& paper_;
  std::vector<std::pair<std::string, Words>> parts_;
  std::uint64_t seed_;
};

std::optional<double> SheetText::gain(const std::string& metric, const Words& workloads,
                                      const std::string& variant) {
  double sum = 0;
  std::string why;
  for (const std::string& workload : workloads) {
    const auto one = measurements_.value(metric, of(variant), workload, seed_, why);
    const auto reference = measurements_.value(metric, to(variant), workload, seed_, why);
    if (!one || !reference || *reference == 0) return std::nullopt;
    sum += 100 * (*one / *reference - 1);
  }
  return sum / static_cast<double>(workloads.size());
}

std::string SheetText::gain_text(const std::string& metric, const Words& workloads,
                                 const std::string& variant) {
  const auto value = gain(metric, workloads, variant);
  return value ? signed_text(*value, 1) : "not run";
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
        out += " " + gain_text(metric, part.second, variant) + " |";
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
      out += " " + gain_text(paper_.sheet.metrics.front(), {workload}, variant) + " |";
    out += "\n";
  }
  return out;
}

std::string SheetText::ledger_heads(const std::string& first) {
  std::string out = "| " + first + " | " + paper_.organization(paper_.sheet.to)->label + " | " +
                    paper_.organization(paper_.sheet.of)->label + " |";
  std::string rule = "| --- | --- | --- |";
  for (const CauseGroup& group : cause_groups()) {
    out += std::string(" ") + group.title + " |";
    rule += " --- |";
  }
  return out + " rest |\n" + rule + " --- |\n";
}

/// Cycles of a mean load with `to` and `of`, and the change of each group of causes; with shares, also its
/// part of the whole change.
std::string SheetText::ledger_row(const std::string& label, const std::string& variant,
                                  const Words& workloads, bool shares) {
  const auto evidence = ledger_evidence(of(variant), to(variant), workloads, measurements_);
  if (!evidence) return "| " + label + " | not run |\n";
  const double whole = evidence->of - evidence->to;
  const auto cell = [&](double change) {
    std::string text = " " + signed_text(change, 0);
    if (shares && std::abs(whole) >= 1) text += " (" + signed_text(100 * change / whole, 0) + " %)";
    return text + " |";
  };
  double rest = whole;
  std::string out = "| " + label + " | " + std::to_string(std::lround(evidence->to)) + " | " +
                    std::to_string(std::lround(evidence->of)) + " |";
  for (const CauseGroup& group : cause_groups()) {
    double change = 0;
    for (const LedgerDifference& one : evidence->rows)
      if (group.holds(one)) change += one.of - one.to;
    rest -= change;
    out += cell(change);
  }
  return out + cell(rest) + "\n";
}

std::string SheetText::ledger_table() {
  std::string out;
  for (const auto& [label, workloads] : parts_) {
    out += "Mean load of the " + label + " workloads, cycles:\n\n" + ledger_heads("variant");
    for (const std::string& variant : paper_.sheet.variants)
      out += ledger_row(paper_.variant(variant)->label, variant, workloads, false);
    out += "\n";
  }
  return out;
}

/// Changes of latency behind the gain of the first variant, by workload.
std::string SheetText::split_table() {
  const std::string& variant = paper_.sheet.variants.front();
  const Metric& metric = *paper_.metric(paper_.sheet.metrics.front());
  std::string out = "### Split by the ledger\n\nMean load on the machine \"" +
                    paper_.variant(variant)->label +
                    "\", cycles; in brackets the part of the whole change.\n\n" +
                    ledger_heads("workload, gain in " + metric.label);
  for (const auto& [label, workloads] : parts_) {
    for (const std::string& workload : workloads)
      out += ledger_row(
          paper_.workload(workload)->label + ", " + gain_text(metric.name, {workload}, variant) + " %",
          variant, {workload}, true);
    out += ledger_row("**" + label + "**, " + gain_text(metric.name, workloads, variant) + " %", variant,
                      workloads, true);
  }
  return out +
         "\nThe columns are differences: negative = less waiting. Head-of-line blocking: `request_queue` "
         "and `reply_queue`, packets that wait in\na router for an output, for credits, or behind one that "
         "does. Reply ports: `reply_port` of the LLC, replies that wait for their slice's\nport or for the "
         "router behind it. Camping: `queue` and `full` of the LLC, requests in front of a slice that others "
         "want too; a camped\nslice also pushes back into the routers, which then count it. Merging: "
         "`merge`, "
         "accesses that wait for another's\nfetch. `strata explain CAUSE` defines each.\n";
}

/// The rest of the gain on machines that lack one of its sources.
std::string SheetText::removal_table() {
  const Metric& metric = *paper_.metric(paper_.sheet.metrics.front());
  const std::string& base = paper_.sheet.variants.front();
  std::string out = "### Split by removal\n\nGain in " + metric.label +
                    ", percent, where the machine lacks one of its sources; what that takes away is the part "
                    "of the source.\n\n| source | machine without it | workloads | gain | gain left | taken "
                    "away, points |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const auto& [source, variant] : paper_.sheet.removes)
    for (const auto& [label, workloads] : parts_) {
      const auto whole = gain(metric.name, workloads, base), left = gain(metric.name, workloads, variant);
      out += "| " + source + " | " + paper_.variant(variant)->label + " | " + label + " | " +
             (whole ? signed_text(*whole, 1) : "not run") + " | " +
             (left ? signed_text(*left, 1) : "not run") + " | " +
             (whole && left ? signed_text(*whole - *left, 1) : "-") + " |\n";
    }
  return out;
}

std::string SheetText::evidence(const Claim& claim) {
  const FigureTable& sheet = paper_.sheet;
  const bool about = claim.kind == ClaimKind::percent && claim.mean == ClaimMean::mean &&
                     configuration_name(claim.of).organization == sheet.of &&
                     configuration_name(claim.to).organization == sheet.to;
  Words on;
  for (const std::string& workload : claim.on)
    if (std::find(sheet.on.begin(), sheet.on.end(), workload) != sheet.on.end()) on.push_back(workload);
  if (!about || on.empty()) return "";
  const auto base = gain(claim.metric, on, sheet.variants.front());
  if (!base) return "";
  std::vector<std::pair<double, std::string>> moved;
  for (const std::string& variant : sheet.variants)
    if (const auto one = gain(claim.metric, on, variant); one && variant != sheet.variants.front())
      moved.emplace_back(*one, paper_.variant(variant)->label);
  std::stable_sort(moved.begin(), moved.end(), [&](const auto& a, const auto& b) {
    return std::abs(a.first - *base) > std::abs(b.first - *base);
  });
  std::string text = "from " + signed_text(*base, 1) + " %";
  for (std::size_t i = 0; i < std::min(variants_shown, moved.size()); ++i)
    text +=
        std::string(i == 0 ? " to " : ", ") + signed_text(moved[i].first, 1) + " (" + moved[i].second + ")";
  return text;
}

std::string SheetText::text() {
  std::string out = "## " + paper_.sheet.title + "\n\n" + paper_.organization(paper_.sheet.of)->label +
                    " relative to " + paper_.organization(paper_.sheet.to)->label +
                    " on the same machine, in percent; one seed.\n\n";
  out += gains_table() + "\n" + paper_.metric(paper_.sheet.metrics.front())->label +
         " of each workload:\n\n" + gains_of_workloads() + "\n" + split_table() + "\n";
  if (!paper_.sheet.removes.empty()) out += removal_table() + "\n";
  return out + "### By variant\n\n" + ledger_table();
}

}  // namespace

std::string sheet_evidence(const Claim& claim, Measurements& measurements) {
  return SheetText(measurements).evidence(claim);
}

std::string sheet_of(Measurements& measurements) {
  return SheetText(measurements).text();
}

}  // namespace strata::platforms
