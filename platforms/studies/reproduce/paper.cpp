// Names in a paper's table must refer to something: all are checked before any is used.
#include "platforms/studies/reproduce/paper.h"

#include <algorithm>
#include <filesystem>

#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/module_table.h"
#include "platforms/report/epoch_series.h"
#include "platforms/report/summary.h"
#include "platforms/studies/energy/machine_figures.h"
#include "platforms/studies/reproduce/paper_reader.h"
#include "traces/workloads/workload.h"

namespace strata::platforms {
namespace {

template <class T>
const T* named(const std::vector<T>& all, const std::string& word) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const T& one) { return one.name == word; });
  return at == all.end() ? nullptr : &*at;
}

}  // namespace

const PaperWorkload* Paper::workload(const std::string& word) const {
  return named(workloads, word);
}
const Organization* Paper::organization(const std::string& word) const {
  return named(organizations, word);
}
const Variant* Paper::variant(const std::string& word) const {
  return named(variants, word);
}
const Metric* Paper::metric(const std::string& word) const {
  return named(metrics, word);
}
const Claim* Paper::claim(const std::string& word) const {
  return named(claims, word);
}

std::vector<std::string> Paper::figures() const {
  std::vector<std::string> all;
  const auto add = [&](const std::vector<std::string>& some) {
    for (const std::string& figure : some)
      if (std::find(all.begin(), all.end(), figure) == all.end()) all.push_back(figure);
  };
  for (const Claim& claim : claims) add(claim.figures);
  for (const Order& order : orders) add(order.figures);
  for (const Decision& decision : decisions) add(decision.figures);
  for (const Chart& chart : charts) add(chart.figures);
  return all;
}

Paper at_effort(Paper paper, Effort effort) {
  const Paper all = paper;
  const auto reduce = [&](std::vector<std::string>& workloads) {
    workloads.erase(std::remove_if(workloads.begin(), workloads.end(),
                                   [&](const std::string& name) {
                                     return !all.workload(name)->in_effort[static_cast<int>(effort)];
                                   }),
                    workloads.end());
  };
  for (WorkloadGroup& group : paper.groups) reduce(group.workloads);
  for (Claim& claim : paper.claims) reduce(claim.on);
  for (Decision& decision : paper.decisions) reduce(decision.on);
  for (Order& order : paper.orders)
    for (WorkloadGroup& step : order.steps) reduce(step.workloads);
  reduce(paper.sheet.on);
  return paper;
}

ConfigurationName configuration_name(const std::string& text) {
  const std::size_t plus = text.find('+');
  if (plus == std::string::npos) return {text, ""};
  return {text.substr(0, plus), text.substr(plus + 1)};
}

std::string configuration_of(const std::string& organization, const std::string& variant) {
  return variant == "baseline" ? organization : organization + "+" + variant;
}

std::vector<std::string> members_of(const Paper& paper, const std::string& configuration) {
  const ConfigurationName name = configuration_name(configuration);
  std::vector<std::string> members = paper.organization(name.organization)->best_of;
  if (members.empty()) return {configuration};
  for (std::string& member : members)
    if (!name.variant.empty()) member += "+" + name.variant;
  return members;
}

std::vector<std::string> paper_names() {
  std::vector<std::string> names;
  for (const std::string& folder : data_folders("reproduce", ""))
    for (const auto& file : std::filesystem::directory_iterator(folder))
      if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string find_paper(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored) && !std::filesystem::is_directory(name, ignored)) return name;
  for (const std::string& folder : data_folders("reproduce", "")) {
    const std::string file = folder + "/" + name + ".yaml";
    if (std::filesystem::is_regular_file(file, ignored)) return file;
  }
  std::vector<std::string> names = paper_names();
  names.emplace_back("gdc");  // a study without a table
  std::string text = "no paper '" + name + "'" + suggestion(name, names) + "; there are";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? " " : ", ") + names[i];
  throw ConfigError(text);
}

namespace {

/// Names of figures in results: figures of the summary, KIND.COUNTER, and cycles of loads (loads.PLACE.CAUSE
/// is not included: netlists name places).
std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const SummaryRow& row : describe_summary().rows) names.push_back(row.name);
  names.insert(names.end(), {"loads", "loads.latency"});
  for (const std::string& name : energy_figure_names()) names.push_back(name);
  for (const std::string& name : EpochSeries::column_names()) names.push_back("epochs." + name);
  for (const ModuleKind* kind : built_in_modules()) {
    if (kind->new_stats == nullptr) continue;
    const std::string name(kind->name);
    for (const CounterRow& row : read_stats({}, *kind, *kind->new_stats()).counters)
      names.push_back(name + "." + row.name);
  }
  return names;
}

bool is_place(const std::string& word) {
  return word.rfind("loads.", 0) == 0;
}

}  // namespace

void PaperReader::check_configuration(const std::string& text, const SourcePosition& where) {
  const ConfigurationName name = configuration_name(text);
  check_name("organization", name.organization, paper_.organizations, where);
  if (!name.variant.empty()) check_name("variant", name.variant, paper_.variants, where);
}

void PaperReader::check_netlist(const std::string& owner, const std::string& word, const Words& known,
                                const SourcePosition& where) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(find_platform(word), ignored))
    yaml_.fault(where, owner + ": no netlist '" + word + "'" + suggestion(word, known));
}

void PaperReader::check_metrics() {
  const Words known = figure_names();
  for (const Metric& metric : paper_.metrics) {
    if (!metric.alone.empty()) check_configuration(metric.alone, metric.where);
    if (!metric.awaits.empty()) continue;
    for (const Words* words : {&metric.over, &metric.under})
      for (const std::string& word : *words)
        if (!is_place(word) && std::find(known.begin(), known.end(), word) == known.end())
          yaml_.fault(metric.where, metric.name + ": results hold no figure and no counter '" + word + "'" +
                                        suggestion(word, known));
  }
}

void PaperReader::check_machines() {
  const Words platforms = platform_names(), variants = variant_names();
  for (const Organization& one : paper_.organizations) {
    for (const std::string& word : one.best_of) {
      const ConfigurationName member = configuration_name(word);
      if (!check_name("organization", member.organization, paper_.organizations, one.where)) continue;
      if (!member.variant.empty()) check_name("variant", member.variant, paper_.variants, one.where);
      if (paper_.organization(member.organization)->platform.empty())
        yaml_.fault(one.where, one.name + ": best_of: '" + word + "' has no platform of its own");
    }
    if (one.platform.empty() == one.best_of.empty())
      yaml_.fault(one.where, one.name + ": needs either 'platform' or 'best_of'");
    else if (one.awaits.empty() && !one.platform.empty())
      check_netlist(one.name, one.platform, platforms, one.where);
  }
  for (const Variant& variant : paper_.variants) {
    const bool awaits = !variant.awaits.empty();
    for (const auto& [organization, platform] : variant.platforms) {
      check_name("organization", organization, paper_.organizations, variant.where);
      if (!awaits) check_netlist(variant.name, platform, platforms, variant.where);
    }
    if (awaits) continue;
    for (const std::string& file : variant.with) check_netlist(variant.name, file, variants, variant.where);
  }
}

void PaperReader::check_workloads() {
  for (const PaperWorkload& workload : paper_.workloads)
    for (const Subset& portion : workload.portions) {
      if (portion.workload.empty()) continue;
      try {
        traces::find_workload(portion.workload.substr(0, portion.workload.find('@')));
      } catch (const ConfigError& error) {
        yaml_.fault(workload.where, workload.name + ": " + error.what());
      }
    }
}

void PaperReader::check_order(const Order& order) {
  for (const std::string& claim : order.claims) check_name("claim", claim, paper_.claims, order.where);
  if (order.claims.empty() == order.metric.empty() || (!order.claims.empty() && !order.steps.empty()))
    yaml_.fault(order.where, "order: needs either 'claims' or 'metric' with 'of' and 'on' or 'groups'");
  if (order.metric.empty()) return;
  check_name("metric", order.metric, paper_.metrics, order.where);
  check_configuration(order.of, order.where);
}

void PaperReader::check_decision(const Decision& decision) {
  check_name("metric", decision.metric, paper_.metrics, decision.where);
  for (const std::string& metric : decision.shows)
    check_name("metric", metric, paper_.metrics, decision.where);
  check_configuration(decision.of, decision.where);
  for (const std::string& text : decision.between) check_configuration(text, decision.where);
  if (decision.between.size() < 2)
    yaml_.fault(decision.where, decision.name + ": 'between' must name two configurations at least");
  if (decision.on.empty()) yaml_.fault(decision.where, decision.name + ": 'on' names no workload");
}

void PaperReader::check_chart(const Chart& chart) {
  if (chart.claims.empty() && (chart.metrics.empty() || chart.configurations.empty() || chart.on.empty()))
    yaml_.fault(chart.where, chart.name + ": needs either 'claims' or 'metrics', 'configurations' and 'on'");
  for (const std::string& claim : chart.claims) check_name("claim", claim, paper_.claims, chart.where);
  for (const std::string& metric : chart.metrics)
    if (check_name("metric", metric, paper_.metrics, chart.where) && paper_.metric(metric)->of_machine)
      yaml_.fault(chart.where,
                  chart.name + ": '" + metric + "' is known without a run; name 'claims' instead");
  for (const std::string& text : chart.configurations) check_configuration(text, chart.where);
  for (const std::string& group : chart.on) check_name("group", group, paper_.groups, chart.where);
  if (!chart.relative_to.empty() && std::find(chart.configurations.begin(), chart.configurations.end(),
                                              chart.relative_to) == chart.configurations.end())
    yaml_.fault(chart.where, "relative_to must be one of the configurations of the chart" +
                                 suggestion(chart.relative_to, chart.configurations));
}

void PaperReader::check() {
  for (const Claim& claim : paper_.claims) {
    if (!claim.awaits.empty()) continue;
    check_name("metric", claim.metric, paper_.metrics, claim.where);
    check_configuration(claim.of, claim.where);
    if (claim.compares()) check_configuration(claim.to, claim.where);
  }
  check_metrics();
  check_machines();
  check_workloads();
  for (const Order& order : paper_.orders) check_order(order);
  for (const Decision& decision : paper_.decisions) check_decision(decision);
  for (const Chart& chart : paper_.charts) check_chart(chart);
  const auto figures = paper_.figures();
  for (const std::string& figure : paper_.single_seed)
    if (std::find(figures.begin(), figures.end(), figure) == figures.end())
      yaml_.fault(yaml_.top(), "jitter.single: no figure '" + figure + "'" + suggestion(figure, figures));
  if (paper_.seeds[0].empty() || paper_.seeds[1].empty())
    yaml_.fault(yaml_.top(), "jitter: 'quick' and 'full' must each list a seed at least");
}

}  // namespace strata::platforms
