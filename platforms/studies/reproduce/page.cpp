#include "platforms/studies/reproduce/page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/common/text.h"
#include "platforms/report/json_text.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/reproduce/costs.h"
#include "platforms/studies/reproduce/sheet.h"

namespace strata::platforms {
namespace {

constexpr std::size_t causes_shown = 6;

std::string fixed(double value, const char* format = "%+.1f") {
  return formatted(format, value);
}

}  // namespace

std::string unit_of(const Claim& claim) {
  if (claim.counts()) return "";
  switch (claim.kind) {
    case ClaimKind::percent:
    case ClaimKind::share:
      return " %";
    case ClaimKind::points:
      return " pp";
    default:
      return "";
  }
}

std::string evidence_text(const ClaimResult& result) {
  const LedgerEvidence& evidence = *result.evidence;
  std::string text = "mean load " + fixed(evidence.to, "%.0f") + " cycles with " + result.claim->to + ", " +
                     fixed(evidence.of, "%.0f") + " with " + result.claim->of + ";";
  std::size_t shown = 0;
  for (const LedgerDifference& one : evidence.rows) {
    if (shown == causes_shown || std::abs(one.of - one.to) < 0.5) break;  // the largest difference first
    text += std::string(shown++ == 0 ? " " : ", ") + one.row + " " + fixed(one.to, "%.0f") + " -> " +
            fixed(one.of, "%.0f");
  }
  return shown == 0 ? text + " no cause differs by a cycle" : text;
}

namespace {

const char* format_of(const Claim& claim) {
  if (claim.counts()) return "%.0f";
  if (claim.kind == ClaimKind::difference) return "%+.3g";
  return claim.compares() ? "%+.1f" : "%.2f";
}

std::string paper_cell(const Claim& claim) {
  if (!claim.printed) return claim.paper > 0 ? "above 0" : "below 0";
  return fixed(claim.paper, format_of(claim)) + unit_of(claim);
}

std::string model_cell(const ClaimResult& result) {
  if (result.verdict == Verdict::not_run) return "-";
  return fixed(result.model, format_of(*result.claim)) + unit_of(*result.claim);
}

std::string difference_cell(const ClaimResult& result) {
  if (result.verdict == Verdict::not_run || !result.claim->printed) return "-";
  return fixed(result.model - result.claim->paper,
               result.claim->kind == ClaimKind::difference ? "%+.2g" : "%+.1f");
}

std::string verdict_cell(const ClaimResult& result) {
  if (result.verdict == Verdict::within && !result.claim->printed) return "sign holds";
  return to_text(result.verdict);
}

std::string spread_cell(const ClaimResult& result) {
  if (result.verdict == Verdict::not_run || result.least == result.most) return "-";
  const char* format = format_of(*result.claim);
  return fixed(result.least, format) + " to " + fixed(result.most, format);
}

/// Value of a metric, without a sign, unlike a claim in percent.
std::string order_value(double value, const OrderResult& result) {
  return fixed(value, result.order->metric.empty() ? "%+.1f" : "%.2f");
}

std::string count_line(const Findings& findings) {
  std::array<int, 4> counts{};
  for (const ClaimResult& result : findings.claims) ++counts[static_cast<std::size_t>(result.verdict)];
  for (const OrderResult& result : findings.orders) ++counts[static_cast<std::size_t>(result.verdict)];
  for (const DecisionResult& decision : findings.decisions)
    for (const BarResult& bar : decision.bars) ++counts[static_cast<std::size_t>(bar.verdict)];
  std::string text;
  for (int i = 0; i < 4; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(counts[static_cast<std::size_t>(i)]) + " " +
            to_text(static_cast<Verdict>(i));
  }
  return text;
}

/// Processor time of the runs, so that a budget can be checked on a busy machine.
std::string processor_line(const Findings& findings) {
  const double seconds = findings.processor.seconds;
  std::string text = "processor time of the " + std::to_string(findings.processor.runs) +
                     " runs: " + fixed(seconds, "%.0f") + " s = " + fixed(seconds / 120, "%.1f") +
                     " minutes on 2 cores";
  if (findings.budget <= 0) return text;
  text += ", of a budget of " + fixed(findings.budget, "%.0f") + " s: ";
  return text + (seconds <= findings.budget ? "within it" : "EXCEEDED");
}

std::string values_text(const ClaimResult& result, const Paper& paper) {
  std::string text;
  for (const auto& [workload, value] : result.values)
    text += (text.empty() ? "" : ", ") + paper.workload(workload)->label + " " +
            fixed(value, format_of(*result.claim));
  return text;
}

std::string claims_table(const Findings& findings, const Paper& paper) {
  std::string out =
      "| figure | claim | paper | model | difference | over the seeds | verdict |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const ClaimResult& result : findings.claims)
    out += "| " + comma_list(result.claim->figures) + " | " + result.claim->says + " | " +
           paper_cell(*result.claim) + " | " + model_cell(result) + " | " + difference_cell(result) + " | " +
           spread_cell(result) + " | " + verdict_cell(result) + " |\n";
  if (findings.orders.empty()) return out;
  out += "\n| figure | order | goes | model | verdict |\n| --- | --- | --- | --- | --- |\n";
  for (const OrderResult& result : findings.orders) {
    std::string values;
    for (const double value : result.values)
      values += (values.empty() ? "" : ", ") + order_value(value, result);
    const char* held = result.verdict == Verdict::within ? "holds" : "";
    out += "| " + comma_list(result.order->figures) + " | " + result.order->says + " | " +
           (result.order->falling ? "down | " : "up | ") + (values.empty() ? "-" : values) + " | " +
           (*held != '\0' ? held : to_text(result.verdict)) + " |\n";
  }
  (void)paper;
  return out;
}

std::string constants_text(const ClaimResult& result) {
  const char* format = format_of(*result.claim);
  std::string text;
  for (const ConstantEvidence& one : result.constants)
    text += (text.empty() ? "" : "; ") + one.family + " " + fixed(one.low, format) + " to " +
            fixed(one.high, format);
  return text;
}

/// Claims about energy and area that miss, with the intervals of the constants they depend on.
std::string traced(const Findings& findings) {
  std::string out;
  for (const ClaimResult& result : findings.claims)
    if (!result.constants.empty())
      out += "| " + result.claim->says + " | " + paper_cell(*result.claim) + " | " + model_cell(result) +
             " | " + constants_text(result) + " |\n";
  return out.empty() ? ""
                     : "## Energy and area by their constants\n\nWhat a claim would be with a family of "
                       "constants at their low and at their high values, the others as they are.\n\n"
                       "| claim | paper | model | low to high |\n| --- | --- | --- | --- |\n" +
                           out + "\n";
}

std::string missed_orders(const Findings& findings, const Paper& paper) {
  std::string out;
  for (const OrderResult& result : findings.orders) {
    if (result.verdict != Verdict::miss) continue;
    out += "- **order: " + result.order->says + "**: not " + (result.order->falling ? "falling" : "rising") +
           ":";
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      const bool claims = !result.order->claims.empty();
      out += std::string(i == 0 ? " " : "; ") +
             (claims ? paper.claim(result.order->claims[i])->says : result.order->steps[i].label) + " " +
             order_value(result.values[i], result);
      for (const ClaimResult& claim : findings.claims)
        if (claims && claim.claim->name == result.order->claims[i] && !claim.values.empty())
          out += " (" + values_text(claim, paper) + ")";
    }
    out += ".\n";
  }
  return out;
}

std::string misses(const Findings& findings, Measurements& measurements) {
  const Paper& paper = measurements.paper();
  std::string out;
  for (const ClaimResult& result : findings.claims) {
    if (result.verdict != Verdict::miss) continue;
    out += "- **" + result.claim->says + "**: paper " + paper_cell(*result.claim) + ", model " +
           model_cell(result) + ".";
    if (!result.values.empty()) out += " " + values_text(result, paper) + ".";
    if (result.evidence) out += " Ledger: " + evidence_text(result) + ".";
    const std::string sheet = findings.sheet.empty() ? "" : sheet_evidence(*result.claim, measurements);
    if (!sheet.empty()) out += " Sheet, the machines that move it most: " + sheet + ".";
    out += "\n";
  }
  out += missed_orders(findings, paper);
  if (out.empty()) return "";
  if (paper.sheet.present() && findings.sheet.empty())
    out += "\nWhat moves these figures: `--sensitivity` runs the sheet.\n";
  return "## Misses\n\n" + out + "\n";
}

std::string not_run(const Findings& findings) {
  std::string out;
  for (const ClaimResult& result : findings.claims)
    if (result.verdict == Verdict::not_run)
      out += "| " + comma_list(result.claim->figures) + " | " + result.claim->says + " | " +
             paper_cell(*result.claim) + " | " + result.reason + " |\n";
  return out.empty()
             ? ""
             : "## Not run\n\n| figure | claim | paper | reason |\n| --- | --- | --- | --- |\n" + out + "\n";
}

std::string failures(const PoolOutcome& pool) {
  std::string out;
  for (const RunFailure& failure : pool.failures) out += "- " + failure.run + ": " + failure.words + "\n";
  return out.empty() ? "" : "## Runs that failed\n\n" + out + "\n";
}

/// Every value of a chart: rows are workloads, columns configurations.
std::string chart_table(const Chart& chart, Measurements& measurements) {
  if (!chart.claims.empty() || chart.metrics.size() != 1) return "";
  const Paper& paper = measurements.paper();
  std::vector<std::string> columns;
  for (const std::string& one : chart.configurations)
    if (awaited_by(paper, one).empty()) columns.push_back(one);
  std::string out = "| " + paper.metric(chart.metrics.front())->label + " |", rule = "| --- |";
  for (const std::string& column : columns) {
    out += " " + column + " |";
    rule += " --- |";
  }
  out += "\n" + rule + "\n";
  for (const WorkloadGroup& group : paper.groups) {
    if (std::find(chart.on.begin(), chart.on.end(), group.name) == chart.on.end()) continue;
    for (const std::string& workload : group.workloads) {
      out += "| " + paper.workload(workload)->label + " |";
      for (const std::string& column : columns) {
        std::string why;
        const auto value = measurements.mean_value(chart.metrics.front(), column, workload, why);
        out += " " + (value ? rounded(*value) : std::string("-")) + " |";
      }
      out += "\n";
    }
  }
  return out + "\n";
}

std::string workloads_table(const Paper& paper, Effort effort) {
  std::string out =
      "| workload | what runs | ends after M thread instructions | settings |\n| --- | --- | --- | --- |\n";
  for (const PaperWorkload& workload : paper.workloads) {
    if (!workload.programs.empty()) continue;  // a pair of other workloads
    const Subset& portion = workload.portions[static_cast<int>(effort)];
    out += "| " + workload.label + " | `" + portion.workload + "` | " +
           (portion.instructions == 0 ? std::string("its end")
                                      : rounded(static_cast<double>(portion.instructions) * 1e-6)) +
           " | " + (workload.sets.empty() ? std::string("-") : "`" + comma_list(workload.sets) + "`") +
           " |\n";
  }
  return out;
}

}  // namespace

std::string page_of(const Findings& findings, Measurements& measurements) {
  const Paper& paper = measurements.paper();
  const auto& seeds = measurements.plan().seeds();
  std::string out =
      "# " + paper.title + "\n\nMade by `" + findings.command + "`; written by the program, not by hand.\n";
  out += "Effort `" + findings.effort + "`, " + std::to_string(seeds.size()) +
         (seeds.size() == 1 ? " seed" : " seeds") + " of the launch jitter (`" + comma_list(paper.jitter) +
         "`)";
  if (seeds.size() > 1 && !paper.single_seed.empty())
    out += ", only the first for what figures " + comma_list(paper.single_seed) + " add";
  out += ". " + count_line(findings) + ".\n\n";
  if (findings.pool.interrupted) out += "**Interrupted: this page covers the runs that had finished.**\n\n";
  if (!paper.notes.empty()) out += paper.notes + "\n";
  out +=
      "Differences are in the unit of the claim. \"Within tolerance\" = as near as the table in "
      "`platforms/studies/reproduce` asks "
      "for;\n\"same sign\" = on the same side of zero by 1 % or point at least, further off.\n\n";
  if (!findings.claims.empty()) out += "## Claims\n\n" + claims_table(findings, paper) + "\n";
  if (!findings.decisions.empty()) out += "## Decisions\n\n";
  for (const DecisionResult& decision : findings.decisions) out += decision_text(decision, paper);
  out += costs_section(findings.claims, measurements);
  out += failures(findings.pool) + misses(findings, measurements) + traced(findings);
  for (const auto& [chart, file] : findings.charts) {
    out += "## Figure " + comma_list(chart->figures) + ": " + chart->title + "\n\n";
    if (!file.empty()) out += "![" + chart->title + "](" + file + ")\n\n";
    out += chart_table(*chart, measurements);
  }
  if (!findings.sheet.empty()) out += findings.sheet + "\n";
  out += not_run(findings);
  const Effort effort = findings.effort == "quick" ? Effort::quick : Effort::full;
  out += "## Workloads\n\n" + workloads_table(paper, effort);
  return out + "\nCost on the machine that made this page: " + processor_line(findings) + ".\n";
}

std::string console_of(const Findings& findings, const Paper& paper) {
  TextTable table;
  table.add({"claim", "figure", "paper", "model", "difference", "verdict"});
  for (const ClaimResult& result : findings.claims)
    table.add({result.claim->says, comma_list(result.claim->figures), paper_cell(*result.claim),
               model_cell(result), difference_cell(result), verdict_cell(result)});
  for (const OrderResult& result : findings.orders) {
    std::string values;
    for (const double value : result.values)
      values += (values.empty() ? "" : ", ") + order_value(value, result);
    table.add({"order: " + result.order->says, comma_list(result.order->figures),
               result.order->falling ? "falling" : "rising", values.empty() ? "-" : values, "-",
               result.verdict == Verdict::within ? "holds" : to_text(result.verdict)});
  }
  std::string out = findings.claims.empty() ? "" : table.text("");
  for (const DecisionResult& decision : findings.decisions) out += decision_console(decision, paper);
  for (const ClaimResult& result : findings.claims) {
    if (result.evidence) out += "miss: " + result.claim->says + ": " + evidence_text(result) + "\n";
    if (!result.constants.empty())
      out += "by its constants: " + result.claim->says + ": " + constants_text(result) + "\n";
    if (result.verdict == Verdict::not_run)
      out += "not run: " + result.claim->says + ": " + result.reason + "\n";
  }
  for (const RunFailure& failure : findings.pool.failures)
    out += "failed: " + failure.run + ": " + failure.words + " (" + failure.log + ")\n";
  return out + count_line(findings) + "\n" + processor_line(findings) + "\n";
}

namespace {

using Json = nlohmann::ordered_json;

Json of_claim(const ClaimResult& result, const Paper& paper) {
  const Claim& claim = *result.claim;
  const bool ran = result.verdict != Verdict::not_run;
  const std::string unit = unit_of(claim);
  Json json{{"name", claim.name},
            {"says", claim.says},
            {"figures", claim.figures},
            {"unit", unit.empty() ? "" : unit.substr(1)},
            {"of", claim.of},
            {"to", claim.to},
            {"paper", claim.paper},
            {"printed", claim.printed},
            {"tolerance", claim.tolerance},
            {"verdict", to_text(result.verdict)},
            {"model", nullptr},
            {"least", nullptr},
            {"most", nullptr},
            {"values", Json::array()},
            {"reason", result.reason},
            {"ledger", result.evidence ? evidence_text(result) : ""}};
  if (!ran) return json;
  json["model"] = result.model;
  json["least"] = result.least;
  json["most"] = result.most;
  for (const auto& [workload, value] : result.values)
    json["values"].push_back({paper.workload(workload)->label, value});
  return json;
}

Json of_order(const OrderResult& result, const Paper& paper) {
  Json steps = Json::array();
  for (const std::string& claim : result.order->claims) steps.push_back(paper.claim(claim)->says);
  if (result.order->claims.empty())
    for (const WorkloadGroup& step : result.order->steps) steps.push_back(step.label);
  return {{"says", result.order->says},       {"figures", result.order->figures},
          {"falling", result.order->falling}, {"verdict", to_text(result.verdict)},
          {"reason", result.reason},          {"steps", steps},
          {"values", result.values}};
}

Json of_decision(const DecisionResult& result) {
  Json bars = Json::array();
  for (const BarResult& bar : result.bars)
    bars.push_back(
        {{"says", bar.says}, {"asked", bar.asked}, {"found", bar.found}, {"verdict", to_text(bar.verdict)}});
  return {{"says", result.decision->says},
          {"figures", result.decision->figures},
          {"reason", result.reason},
          {"bars", bars}};
}

}  // namespace

std::string findings_json(const Findings& findings, const Measurements& measurements) {
  const Paper& paper = measurements.paper();
  Json json{{"schema", "strata-reproduction"},
            {"schema_version", 1},
            {"name", paper.name},
            {"title", paper.title},
            {"command", findings.command},
            {"effort", findings.effort},
            {"seeds", measurements.plan().seeds().size()},
            {"interrupted", findings.pool.interrupted},
            {"failures", Json::array()},
            {"claims", Json::array()},
            {"orders", Json::array()},
            {"decisions", Json::array()}};
  for (const RunFailure& failure : findings.pool.failures)
    json["failures"].push_back({{"run", failure.run}, {"why", failure.words}});
  for (const ClaimResult& result : findings.claims) json["claims"].push_back(of_claim(result, paper));
  for (const OrderResult& result : findings.orders) json["orders"].push_back(of_order(result, paper));
  for (const DecisionResult& result : findings.decisions) json["decisions"].push_back(of_decision(result));
  return json_text(json) + "\n";
}

}  // namespace strata::platforms
