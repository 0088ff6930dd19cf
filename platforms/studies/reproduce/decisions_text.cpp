// The tables of decisions.

#include "models/common/text.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/reproduce/decisions.h"

namespace strata::platforms {
namespace {

using Words = std::vector<std::string>;

bool between_two(const DecisionResult& result) {
  return result.decision->between.size() == 2;
}

std::string organization_label(const Paper& paper, const std::string& configuration) {
  return paper.organization(configuration_name(configuration).organization)->label;
}

std::string shown_value(const Paper& paper, const std::string& metric, const std::optional<double>& value) {
  if (!value) return "-";
  return paper.metric(metric)->unit == "%" ? formatted("%.1f %%", 100 * *value) : formatted("%.2f", *value);
}

std::string chosen_cell(const DecisionRow& row) {
  return row.share ? formatted("%.0f %%", 100 * *row.share) : "undecided";
}

std::string right_cell(const DecisionRow& row) {
  if (!row.right) return "-";
  return *row.right ? "right" : "WRONG";
}

std::string kernels_cell(const DecisionRow& row) {
  if (!row.kernels) return "-";
  const KernelCounts& k = *row.kernels;
  if (k.not_neutral == 0) return "all " + std::to_string(k.all) + " neutral";
  std::string text = std::to_string(k.right) + " of " + std::to_string(k.not_neutral);
  if (k.undecided != 0) text += " (" + std::to_string(k.undecided) + " undecided)";
  return text;
}

/// `1: 25 %, 4: 75 %`
std::string degrees_cell(const DecisionRow& row) {
  double all = 0;
  for (const auto& [degree, count] : row.degrees) all += static_cast<double>(count);
  std::string text;
  for (const auto& [degree, count] : row.degrees)
    text += (text.empty() ? "" : ", ") + std::to_string(degree) + ": " +
            formatted("%.0f %%", 100 * static_cast<double>(count) / all);
  return text.empty() ? "-" : text;
}

Words heads(const DecisionResult& result, const Paper& paper) {
  const Decision& decision = *result.decision;
  Words all = {"workload"};
  if (between_two(result)) {
    all.push_back(organization_label(paper, decision.between[1]) + " against " +
                  organization_label(paper, decision.between[0]));
    all.insert(all.end(), {"better", "private once decided", "choice", "kernels right"});
  } else {
    for (std::size_t i = 1; i < decision.between.size(); ++i)
      all.push_back(organization_label(paper, decision.between[i]));
    all.insert(all.end(), {"best", "epochs by copies chosen"});
  }
  for (const std::string& metric : decision.shows) all.push_back(paper.metric(metric)->label);
  all.emplace_back("loss to the best");
  return all;
}

Words cells(const DecisionRow& row, const DecisionResult& result, const Paper& paper) {
  const Decision& decision = *result.decision;
  Words all = {paper.workload(row.workload)->label};
  if (between_two(result)) {
    all.push_back(formatted("%+.1f", row.gain) + " %");
    all.push_back(row.neutral ? "neutral" : organization_label(paper, decision.between[row.best]));
    all.insert(all.end(), {chosen_cell(row), right_cell(row), kernels_cell(row)});
  } else {
    for (std::size_t i = 1; i < row.fixed.size(); ++i)
      all.push_back(formatted("%+.1f", 100 * (row.fixed[i] / row.fixed[0] - 1)) + " %");
    all.push_back(organization_label(paper, decision.between[row.best]));
    all.push_back(degrees_cell(row));
  }
  for (std::size_t i = 0; i < row.shows.size(); ++i)
    all.push_back(shown_value(paper, decision.shows[i], row.shows[i]));
  all.push_back(formatted("%+.1f", row.loss) + " %");
  return all;
}

std::string markdown(const std::vector<Words>& rows) {
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += "|";
    for (const std::string& cell : rows[i]) out += " " + cell + " |";
    out += "\n";
    if (i != 0) continue;
    out += "|";
    for (std::size_t c = 0; c < rows[i].size(); ++c) out += " --- |";
    out += "\n";
  }
  return out;
}

std::vector<Words> table_of(const DecisionResult& result, const Paper& paper) {
  std::vector<Words> rows = {heads(result, paper)};
  for (const DecisionRow& row : result.rows) rows.push_back(cells(row, result, paper));
  return rows;
}

std::string verdict_word(const BarResult& bar) {
  if (bar.verdict == Verdict::not_run) return to_text(bar.verdict);
  return bar.verdict == Verdict::within ? "met" : "missed";
}

std::vector<Words> bars_of(const DecisionResult& result) {
  std::vector<Words> rows = {{"bar", "asked", "found", "verdict"}};
  for (const BarResult& bar : result.bars)
    rows.push_back({bar.says, bar.asked, bar.found, verdict_word(bar)});
  return rows;
}

/// Legend of the table.
std::string legend(const DecisionResult& result, const Paper& paper) {
  const Decision& decision = *result.decision;
  const std::string metric = paper.metric(decision.metric)->label;
  if (!between_two(result))
    return metric + " of each fixed configuration relative to " +
           organization_label(paper, decision.between[0]) + ", and what `" + decision.of +
           "` loses to the best of them (negative: it gains).\n";
  return metric + ", means over the seeds. Alike within " + formatted("%.0f", decision.neutral) +
         " % = neutral. \"Private once decided\": share of the cycles after the first decision of each "
         "kernel; the choice\nis what holds for more than half of them. A kernel that ends before its first "
         "decision has stayed with `" +
         decision.between[0] + "`.\nKernels: each launch is one, by its own cycles.\n";
}

}  // namespace

std::string decision_text(const DecisionResult& result, const Paper& paper) {
  std::string out = "### " + result.decision->says + "\n\n";
  if (result.rows.empty()) return out + "Not run: " + result.reason + ".\n\n";
  out += legend(result, paper) + "\n" + markdown(table_of(result, paper)) + "\n";
  if (!result.bars.empty()) out += markdown(bars_of(result)) + "\n";
  return out;
}

std::string decision_console(const DecisionResult& result, const Paper& paper) {
  std::string out = "decisions: " + result.decision->says + "\n";
  if (result.rows.empty()) return out + "  not run: " + result.reason + "\n";
  TextTable table, bars;
  for (Words& row : table_of(result, paper)) table.add(std::move(row));
  for (Words& row : bars_of(result)) bars.add(std::move(row));
  out += table.text();
  return result.bars.empty() ? out : out + bars.text();
}

}  // namespace strata::platforms
