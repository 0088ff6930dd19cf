#include "platforms/studies/reproduce/decisions.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "models/common/text.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/reproduce/run_figures.h"

namespace strata::platforms {
namespace {

/// Cycles of a kernel summed over the seeds. The runs end after the same number of instructions: a kernel
/// that the limit cuts off has done the same work in each of them.
struct KernelTime {
  Cycle cycles = 0;
  std::size_t runs = 0;
  bool complete = true;
};
using KernelTimes = std::map<std::size_t, KernelTime>;

/// Empty if a run does not report the times of its kernels.
KernelTimes times_of(const std::string& configuration, const std::string& workload,
                     Measurements& measurements) {
  KernelTimes times;
  for (const std::uint64_t seed : measurements.plan().seeds()) {
    const auto& history = measurements.history(configuration, workload, seed);
    if (history.empty()) return {};
    for (const KernelHistory& kernel : history) {
      KernelTime& time = times[kernel.kernel];
      time.cycles += kernel.cycles();
      time.complete = time.complete && kernel.complete;
      ++time.runs;
    }
  }
  return times;
}

/// The choices for each kernel, over the seeds.
std::map<std::size_t, KernelHistory> choices_of(const Decision& decision, const std::string& workload,
                                                Measurements& measurements) {
  std::map<std::size_t, KernelHistory> choices;
  for (const std::uint64_t seed : measurements.plan().seeds())
    for (const KernelHistory& kernel : measurements.history(decision.of, workload, seed)) {
      KernelHistory& all = choices[kernel.kernel];
      all.decided += kernel.decided;
      all.decided_private += kernel.decided_private;
    }
  return choices;
}

bool mostly_private(const KernelHistory& kernel) {
  return kernel.decided_private * 2 > kernel.decided;
}

std::optional<KernelCounts> count_kernels(const Decision& decision, const std::string& workload,
                                          Measurements& measurements) {
  const KernelTimes first = times_of(decision.between[0], workload, measurements);
  const KernelTimes second = times_of(decision.between[1], workload, measurements);
  auto choices = choices_of(decision, workload, measurements);
  if (first.empty() || second.empty() || choices.empty()) return std::nullopt;
  KernelCounts counts;
  for (const auto& [number, time] : first) {
    const auto other = second.find(number);
    // The limit may fall on the border of two kernels: then only some of the runs include the later one.
    if (other == second.end() || other->second.runs != time.runs || other->second.complete != time.complete ||
        other->second.cycles == 0 || choices.count(number) == 0)
      continue;
    ++counts.all;
    const double gain =
        100 * (static_cast<double>(time.cycles) / static_cast<double>(other->second.cycles) - 1);
    if (std::abs(gain) <= decision.neutral) continue;
    ++counts.not_neutral;
    const KernelHistory& choice = choices[number];
    if (choice.decided == 0) ++counts.undecided;
    if (mostly_private(choice) == (gain > 0)) ++counts.right;
  }
  return counts;
}

std::optional<double> private_share(const Decision& decision, const std::string& workload,
                                    Measurements& measurements) {
  Cycle decided = 0, decided_private = 0;
  for (const auto& [number, kernel] : choices_of(decision, workload, measurements)) {
    decided += kernel.decided;
    decided_private += kernel.decided_private;
  }
  if (decided == 0) return std::nullopt;
  return static_cast<double>(decided_private) / static_cast<double>(decided);
}

/// Empty if a run is missing; `missing` names it.
std::optional<DecisionRow> row_of(const Decision& decision, const std::string& workload,
                                  Measurements& measurements, std::string& missing) {
  DecisionRow row;
  row.workload = workload;
  for (const std::string& configuration : decision.between) {
    const auto value = measurements.mean_value(decision.metric, configuration, workload, missing);
    if (!value) return std::nullopt;
    row.fixed.push_back(*value);
  }
  const auto chosen = measurements.mean_value(decision.metric, decision.of, workload, missing);
  if (!chosen) return std::nullopt;
  row.chosen = *chosen;
  const auto best = std::max_element(row.fixed.begin(), row.fixed.end());
  row.best = static_cast<std::size_t>(best - row.fixed.begin());
  row.loss = 100 * (1 - row.chosen / *best);
  const bool two = row.fixed.size() == 2;
  row.gain = 100 * ((two ? row.fixed.back() : *best) / row.fixed.front() - 1);
  row.neutral = std::abs(row.gain) <= decision.neutral;
  std::string ignored;
  for (const std::string& metric : decision.shows)
    row.shows.push_back(measurements.mean_value(metric, decision.of, workload, ignored));
  if (!two) {
    row.degrees = measurements.degrees(decision.of, workload);
    return row;
  }
  row.share = private_share(decision, workload, measurements);
  if (!row.neutral) row.right = (row.share.value_or(0) > 0.5) == (row.gain > 0);
  row.kernels = count_kernels(decision, workload, measurements);
  return row;
}

BarResult bar_of(const std::string& says, double bar, bool at_least, double value,
                 const std::string& detail) {
  const bool met = at_least ? value >= bar : value <= bar;
  return {says, formatted(at_least ? "at least %.0f %%" : "at most %.0f %%", bar),
          formatted("%.1f %%", value) + detail, met ? Verdict::within : Verdict::miss};
}

BarResult right_bar(const Decision& decision, const std::string& what, std::size_t right, std::size_t of,
                    const std::string& detail) {
  const std::string says = "the better one chosen, " + what + " that are not neutral";
  const double share = of == 0 ? 100.0 : 100 * static_cast<double>(right) / static_cast<double>(of);
  return bar_of(says, decision.bars.right, true, share,
                " (" + std::to_string(right) + " of " + std::to_string(of) + detail + ")");
}

void judge_right(DecisionResult& result) {
  const Decision& decision = *result.decision;
  std::size_t right = 0, judged = 0;
  for (const DecisionRow& row : result.rows) {
    judged += row.right ? 1 : 0;
    right += row.right && *row.right ? 1 : 0;
  }
  result.bars.push_back(right_bar(decision, "workloads", right, judged, ""));
  const KernelCounts& kernels = result.kernels;
  if (result.all_kernels_known) {
    result.bars.push_back(right_bar(decision, "kernels", kernels.right, kernels.not_neutral,
                                    ", " + std::to_string(kernels.undecided) + " ended undecided"));
    return;
  }
  BarResult unknown = right_bar(decision, "kernels", 0, 0, "");
  unknown.verdict = Verdict::not_run;
  unknown.found = "some results lack the times of their kernels";
  result.bars.push_back(unknown);
}

void judge_losses(DecisionResult& result, const Paper& paper) {
  const Decision& decision = *result.decision;
  const auto worst =
      std::max_element(result.rows.begin(), result.rows.end(),
                       [](const DecisionRow& a, const DecisionRow& b) { return a.loss < b.loss; });
  if (decision.bars.loss >= 0)
    result.bars.push_back(bar_of("largest loss to the best", decision.bars.loss, false, worst->loss,
                                 " (" + paper.workload(worst->workload)->label + ")"));
  if (decision.bars.mean_loss >= 0)
    result.bars.push_back(
        bar_of("mean loss to the best", decision.bars.mean_loss, false, result.mean_loss, ""));
}

}  // namespace

DecisionResult judge(const Decision& decision, Measurements& measurements) {
  DecisionResult result;
  result.decision = &decision;
  result.all_kernels_known = true;
  for (const std::string& workload : decision.on) {
    auto row = row_of(decision, workload, measurements, result.reason);
    if (!row) {
      result.rows.clear();
      return result;
    }
    result.mean_loss += row->loss / static_cast<double>(decision.on.size());
    if (row->kernels) {
      result.kernels.all += row->kernels->all;
      result.kernels.not_neutral += row->kernels->not_neutral;
      result.kernels.right += row->kernels->right;
      result.kernels.undecided += row->kernels->undecided;
    } else {
      result.all_kernels_known = false;
    }
    result.rows.push_back(std::move(*row));
  }
  if (decision.bars.right >= 0 && decision.between.size() == 2) judge_right(result);
  judge_losses(result, measurements.paper());
  return result;
}

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
