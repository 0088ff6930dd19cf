// The parts of a paper's table about finished runs: orders, decisions, charts and the sheet.
#include "platforms/studies/reproduce/paper_reader.h"

namespace strata::platforms {

void PaperReader::read_order(const Node& node) {
  Order order;
  order.where = yaml_.where(node);
  for (const Entry& e :
       entries(node, "order", {"figure", "says", "claims", "metric", "of", "on", "groups", "goes"})) {
    if (e.key == "figure") order.figures = words(e.value, "figure");
    if (e.key == "says") order.says = yaml_.scalar(e.value, "says");
    if (e.key == "claims") order.claims = words(e.value, "claims");
    if (e.key == "metric") order.metric = yaml_.scalar(e.value, "metric");
    if (e.key == "of") order.of = yaml_.scalar(e.value, "of");
    if (e.key == "on")
      for (const std::string& workload : expanded(words(e.value, "on"), order.where))
        order.steps.push_back({workload, workload, {workload}});
    if (e.key == "groups")
      for (const std::string& group : words(e.value, "groups"))
        order.steps.push_back({group, group, expanded({group}, order.where)});
    if (e.key == "goes") order.falling = choice<int>(e.value, "goes", {"up", "down"}) == 1;
  }
  paper_.orders.push_back(std::move(order));
}

void PaperReader::read_decision(const std::string& name, const Node& node) {
  Decision decision;
  decision.name = decision.says = name;
  decision.where = yaml_.where(node);
  for (const Entry& e : entries(node, name,
                                {"figure", "says", "metric", "of", "between", "on", "shows", "neutral",
                                 "right", "loss", "mean_loss"})) {
    if (e.key == "figure") decision.figures = words(e.value, "figure");
    if (e.key == "says") decision.says = yaml_.scalar(e.value, "says");
    if (e.key == "metric") decision.metric = yaml_.scalar(e.value, "metric");
    if (e.key == "of") decision.of = yaml_.scalar(e.value, "of");
    if (e.key == "between") decision.between = words(e.value, "between");
    if (e.key == "on") decision.on = expanded(words(e.value, "on"), decision.where);
    if (e.key == "shows") decision.shows = words(e.value, "shows");
    if (e.key == "neutral") decision.neutral = number(e.value, "neutral");
    if (e.key == "right") decision.bars.right = number(e.value, "right");
    if (e.key == "loss") decision.bars.loss = number(e.value, "loss");
    if (e.key == "mean_loss") decision.bars.mean_loss = number(e.value, "mean_loss");
  }
  paper_.decisions.push_back(std::move(decision));
}

void PaperReader::read_chart(const std::string& name, const Node& node) {
  Chart chart;
  chart.name = name;
  chart.where = yaml_.where(node);
  for (const Entry& e : entries(
           node, name,
           {"figure", "title", "axis", "metrics", "configurations", "on", "claims", "relative_to", "show"})) {
    if (e.key == "figure") chart.figures = words(e.value, "figure");
    if (e.key == "title") chart.title = yaml_.scalar(e.value, "title");
    if (e.key == "axis") chart.axis = yaml_.scalar(e.value, "axis");
    if (e.key == "metrics") chart.metrics = words(e.value, "metrics");
    if (e.key == "configurations") chart.configurations = words(e.value, "configurations");
    if (e.key == "on") chart.on = words(e.value, "on");
    if (e.key == "claims") chart.claims = words(e.value, "claims");
    if (e.key == "show") chart.only_means = choice<int>(e.value, "show", {"workloads", "means"}) == 1;
    if (e.key == "relative_to") chart.relative_to = yaml_.scalar(e.value, "relative_to");
  }
  paper_.charts.push_back(std::move(chart));
}

void PaperReader::read_sheet(const Node& node) {
  for (const Entry& e :
       entries(node, "sensitivity", {"title", "of", "to", "metrics", "on", "variants", "removes"})) {
    if (e.key == "title") paper_.sheet.title = yaml_.scalar(e.value, "title");
    if (e.key == "of") paper_.sheet.of = yaml_.scalar(e.value, "of");
    if (e.key == "to") paper_.sheet.to = yaml_.scalar(e.value, "to");
    if (e.key == "metrics") paper_.sheet.metrics = words(e.value, "metrics");
    if (e.key == "on") paper_.sheet.on = expanded(words(e.value, "on"), yaml_.where(e.value));
    if (e.key == "variants") paper_.sheet.variants = words(e.value, "variants");
    if (e.key == "removes")
      for (const Entry& pair : entries(e.value, "removes", {}))
        paper_.sheet.removes.emplace_back(pair.key, yaml_.scalar(pair.value, "removes"));
  }
  for (const std::string& variant : paper_.sheet.variants)
    check_name("variant", variant, paper_.variants, yaml_.where(node));
  for (const auto& [source, variant] : paper_.sheet.removes) {
    check_name("variant", variant, paper_.variants, yaml_.where(node));
    if (std::find(paper_.sheet.variants.begin(), paper_.sheet.variants.end(), variant) ==
        paper_.sheet.variants.end())
      yaml_.fault(node, "sensitivity: removes: '" + variant + "' must be among the variants of the sheet");
  }
  for (const std::string& metric : paper_.sheet.metrics)
    check_name("metric", metric, paper_.metrics, yaml_.where(node));
  for (const std::string& organization : {paper_.sheet.of, paper_.sheet.to})
    check_name("organization", organization, paper_.organizations, yaml_.where(node));
  if (paper_.sheet.metrics.empty() || paper_.sheet.on.empty())
    yaml_.fault(node, "sensitivity: 'metrics' and 'on' must each name one at least");
}

}  // namespace strata::platforms
