#include "platforms/studies/reproduce/chart_data.h"

#include <algorithm>

namespace strata::platforms {
namespace {

/// Bar of one workload: the mean over the seeds, relative to another configuration on request.
std::optional<double> bar_of(const Chart& chart, const Metric& metric, const std::string& configuration,
                             const std::string& workload, Measurements& measurements) {
  double sum = 0;
  std::string why;
  const auto& seeds = measurements.plan().seeds_of(chart.figures);
  for (const std::uint64_t seed : seeds) {
    const auto value = measurements.value(metric.name, configuration, workload, seed, why);
    if (!value) return std::nullopt;
    double divisor = metric.unit == "%" ? 0.01 : 1;
    if (!chart.relative_to.empty()) {
      const auto reference = measurements.value(metric.name, chart.relative_to, workload, seed, why);
      if (!reference || *reference == 0) return std::nullopt;
      divisor = *reference;
    }
    sum += *value / divisor;
  }
  return sum / static_cast<double>(seeds.size());
}

void append_mean(std::vector<std::optional<double>>& values, std::size_t count) {
  double sum = 0;
  std::size_t present = 0;
  for (std::size_t i = values.size() - count; i < values.size(); ++i) {
    if (!values[i]) continue;
    sum += *values[i];
    ++present;
  }
  // A mean over some of the workloads must not stand beside means over all of them.
  values.push_back(present == count && count != 0 ? std::optional<double>(sum / static_cast<double>(count))
                                                  : std::nullopt);
}

std::string label_of(const Paper& paper, const std::string& configuration) {
  const ConfigurationName name = configuration_name(configuration);
  const std::string organization = paper.organization(name.organization)->label;
  return name.variant.empty() ? organization : organization + ", " + paper.variant(name.variant)->label;
}

void add_categories(const Chart& chart, const Paper& paper, BarChart& bars) {
  for (const WorkloadGroup& group : paper.groups) {
    if (std::find(chart.on.begin(), chart.on.end(), group.name) == chart.on.end()) continue;
    if (chart.only_means) {
      bars.categories.push_back(group.label);
      continue;
    }
    for (const std::string& workload : group.workloads)
      bars.categories.push_back(paper.workload(workload)->label);
    bars.categories.emplace_back("mean");
    bars.sections.push_back({group.label, group.workloads.size() + 1});
  }
}

BarSeries series_of(const Chart& chart, const Metric& metric, const std::string& configuration,
                    Measurements& measurements) {
  BarSeries series;
  for (const WorkloadGroup& group : measurements.paper().groups) {
    if (std::find(chart.on.begin(), chart.on.end(), group.name) == chart.on.end()) continue;
    for (const std::string& workload : group.workloads)
      series.values.push_back(bar_of(chart, metric, configuration, workload, measurements));
    append_mean(series.values, group.workloads.size());
    if (chart.only_means)
      series.values.erase(series.values.end() - 1 - static_cast<std::ptrdiff_t>(group.workloads.size()),
                          series.values.end() - 1);
  }
  return series;
}

void add_series(BarChart& bars, BarSeries series) {
  const auto has_value = [](const std::optional<double>& value) { return value.has_value(); };
  if (std::any_of(series.values.begin(), series.values.end(), has_value))
    bars.series.push_back(std::move(series));
}

/// What distinguishes the claims of a chart: their variants, their organizations, or both.
std::vector<std::string> labels_of_claims(const Chart& chart, const Paper& paper) {
  std::vector<ConfigurationName> names;
  for (const std::string& claim : chart.claims) names.push_back(configuration_name(paper.claim(claim)->of));
  const auto all_have = [&](std::string ConfigurationName::*part) {
    return std::all_of(names.begin(), names.end(),
                       [&](const ConfigurationName& name) { return name.*part == names.front().*part; });
  };
  const bool one_organization = all_have(&ConfigurationName::organization);
  const bool one_variant = all_have(&ConfigurationName::variant);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ConfigurationName& name = names[i];
    if (one_organization)
      labels.push_back(name.variant.empty() ? "baseline" : paper.variant(name.variant)->label);
    else if (one_variant)
      labels.push_back(paper.organization(name.organization)->label);
    else
      labels.push_back(label_of(paper, paper.claim(chart.claims[i])->of));
  }
  return labels;
}

BarChart bars_of_claims(const Chart& chart, const Paper& paper, const std::vector<ClaimResult>& claims) {
  BarChart bars;
  bars.series = {{"paper", {}, false}, {"model", {}}};
  bars.categories = labels_of_claims(chart, paper);
  for (const std::string& name : chart.claims) {
    const Claim& claim = *paper.claim(name);
    bars.series[0].values.push_back(claim.printed ? std::optional<double>(claim.paper) : std::nullopt);
    const auto at = std::find_if(claims.begin(), claims.end(),
                                 [&](const ClaimResult& one) { return one.claim == &claim; });
    const bool judged = at != claims.end() && at->verdict != Verdict::not_run;
    bars.series[1].values.push_back(judged ? std::optional<double>(at->model) : std::nullopt);
  }
  return bars;
}

}  // namespace

std::optional<BarChart> bars_of(const Chart& chart, Measurements& measurements,
                                const std::vector<ClaimResult>& claims) {
  const Paper& paper = measurements.paper();
  BarChart bars;
  if (!chart.claims.empty()) {
    bars = bars_of_claims(chart, paper, claims);
    const auto& model = bars.series[1].values;
    if (std::none_of(model.begin(), model.end(), [](const auto& value) { return value.has_value(); }))
      return std::nullopt;
  } else {
    add_categories(chart, paper, bars);
    bars.stacked = chart.metrics.size() > 1;
    for (const std::string& metric : chart.metrics)
      for (const std::string& configuration : chart.configurations) {
        if (bars.stacked && configuration != chart.configurations.front()) continue;
        BarSeries series = series_of(chart, *paper.metric(metric), configuration, measurements);
        series.name = bars.stacked ? paper.metric(metric)->label : label_of(paper, configuration);
        add_series(bars, std::move(series));
      }
    if (bars.series.empty()) return std::nullopt;
  }
  bars.title = chart.title;
  bars.axis = chart.axis;
  if (!chart.relative_to.empty()) bars.line = 1;
  return bars;
}

}  // namespace strata::platforms
