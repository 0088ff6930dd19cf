// Pairs of workloads that run side by side, and the runs of each of them alone.
// The parts of a paper's table about finished runs: orders, decisions, charts and the sheet.
#include "platforms/studies/reproduce/paper_reader.h"

#include <cstdlib>
#include <filesystem>
#include <map>

#include "models/common/text.h"
#include "models/common/units.h"
#include "platforms/studies/energy/machine_figures.h"

namespace strata::platforms {

PaperReader::Entries PaperReader::entries(const Node& node, const std::string& what, const Words& allowed) {
  Entries all;
  for (const auto& [key, value] : yaml_.pairs(node, what, allowed)) all.push_back({key.Scalar(), value});
  return all;
}

PaperReader::Words PaperReader::words(const Node& node, const std::string& what) {
  Words all;
  for (const Node& item : yaml_.list(node, what)) all.push_back(yaml_.scalar(item, what));
  return all;
}

double PaperReader::number(const Node& node, const std::string& what) {
  const std::string text = yaml_.scalar(node, what);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') yaml_.fault(node, what + ": '" + text + "' is no number");
  return value;
}

std::uint64_t PaperReader::whole(const Node& node, const std::string& what) {
  const std::string text = yaml_.scalar(node, what);
  const auto value = parse_integer(text);
  if (value && *value >= 0) return static_cast<std::uint64_t>(*value);
  yaml_.fault(node, what + ": '" + text + "' is no whole number of at least 0");
  return 0;
}

/// Replaces groups by their workloads.
PaperReader::Words PaperReader::expanded(const Words& on, const SourcePosition& where) {
  Words all;
  for (const std::string& word : on) {
    bool found = paper_.workload(word) != nullptr;
    if (found) all.push_back(word);
    Words known;
    for (const WorkloadGroup& group : paper_.groups) {
      known.push_back(group.name);
      if (group.name != word) continue;
      found = true;
      all.insert(all.end(), group.workloads.begin(), group.workloads.end());
    }
    for (const PaperWorkload& workload : paper_.workloads) known.push_back(workload.name);
    if (!found) yaml_.fault(where, "no workload and no group '" + word + "'" + suggestion(word, known));
  }
  return all;
}

void PaperReader::read_jitter(const Node& node) {
  for (const Entry& e : entries(node, "jitter", {"set", "quick", "full", "single"})) {
    if (e.key == "set" || e.key == "single") {
      (e.key == "set" ? paper_.jitter : paper_.single_seed) = words(e.value, "jitter." + e.key);
      continue;
    }
    for (const Node& seed : yaml_.list(e.value, "jitter." + e.key))
      paper_.seeds[e.key == "full" ? 1 : 0].push_back(whole(seed, "jitter." + e.key));
  }
}

void PaperReader::read_portion(const Node& node, Subset& portion) {
  for (const Entry& e : entries(node, "workload", {"workload", "instructions"})) {
    if (e.key == "workload") portion.workload = yaml_.scalar(e.value, "workload");
    if (e.key == "instructions") portion.instructions = whole(e.value, "instructions");
  }
}

void PaperReader::read_workload(const std::string& name, const Node& node) {
  PaperWorkload workload;
  workload.name = workload.label = name;
  workload.where = yaml_.where(node);
  for (const Entry& e : entries(node, name, {"label", "quick", "full", "set"})) {
    if (e.key == "label") workload.label = yaml_.scalar(e.value, "label");
    if (e.key == "set") workload.sets = words(e.value, "set");
    if (e.key == "quick") read_portion(e.value, workload.portions[0]);
    if (e.key == "full") read_portion(e.value, workload.portions[1]);
  }
  for (const Subset& portion : workload.portions)
    if (portion.workload.empty())
      yaml_.fault(workload.where, name + ": 'quick' and 'full' must each name a workload");
  paper_.workloads.push_back(std::move(workload));
}

void PaperReader::read_organization(const std::string& name, const Node& node) {
  Organization organization;
  organization.name = organization.label = name;
  organization.where = yaml_.where(node);
  for (const Entry& e : entries(node, name, {"label", "platform", "set", "best_of", "awaits"})) {
    if (e.key == "label") organization.label = yaml_.scalar(e.value, "label");
    if (e.key == "best_of") organization.best_of = words(e.value, "best_of");
    if (e.key == "platform") organization.platform = yaml_.scalar(e.value, "platform");
    if (e.key == "set") organization.sets = words(e.value, "set");
    if (e.key == "awaits") organization.awaits = yaml_.scalar(e.value, "awaits");
  }
  paper_.organizations.push_back(std::move(organization));
}

void PaperReader::read_variant(const std::string& name, const Node& node) {
  Variant variant;
  variant.name = variant.label = name;
  variant.where = yaml_.where(node);
  for (const Entry& e : entries(node, name, {"label", "with", "set", "options", "platforms", "awaits"})) {
    if (e.key == "label") variant.label = yaml_.scalar(e.value, "label");
    if (e.key == "with") variant.with = words(e.value, "with");
    if (e.key == "set") variant.sets = words(e.value, "set");
    if (e.key == "options") variant.options = words(e.value, "options");
    if (e.key == "platforms")
      for (const Entry& pair : entries(e.value, "platforms", {}))
        variant.platforms.emplace_back(pair.key, yaml_.scalar(pair.value, "platforms"));
    if (e.key == "awaits") variant.awaits = yaml_.scalar(e.value, "awaits");
  }
  paper_.variants.push_back(std::move(variant));
}

void PaperReader::read_metric(const std::string& name, const Node& node) {
  Metric metric;
  metric.name = metric.label = name;
  metric.where = yaml_.where(node);
  for (const Entry& e :
       entries(node, name, {"label", "unit", "over", "under", "alone", "awaits", "nanometres"})) {
    if (e.key == "alone") metric.alone = yaml_.scalar(e.value, "alone");
    if (e.key == "label") metric.label = yaml_.scalar(e.value, "label");
    if (e.key == "unit") metric.unit = yaml_.scalar(e.value, "unit");
    if (e.key == "over") metric.over = words(e.value, "over");
    if (e.key == "under") metric.under = words(e.value, "under");
    if (e.key == "awaits") metric.awaits = yaml_.scalar(e.value, "awaits");
    if (e.key == "nanometres") metric.nanometres = number(e.value, "nanometres");
  }
  const auto of_machine = [](const std::string& word) {
    const Words& names = machine_figure_names();
    return std::find(names.begin(), names.end(), word) != names.end();
  };
  metric.of_machine = !metric.over.empty() &&
                      std::all_of(metric.over.begin(), metric.over.end(), of_machine) &&
                      std::all_of(metric.under.begin(), metric.under.end(), of_machine);
  if (!(metric.nanometres >= 22 && metric.nanometres <= 45))
    yaml_.fault(metric.where, name + ": nanometres must be 22 to 45");
  if (metric.nanometres != 22 && !metric.of_machine)
    yaml_.fault(metric.where, name + ": 'nanometres' goes with figures of the machine alone: " +
                                  comma_list(machine_figure_names()));
  paper_.metrics.push_back(std::move(metric));
}

void PaperReader::read_claim(const std::string& name, const Node& node) {
  Claim claim;
  claim.name = name;
  claim.where = yaml_.where(node);
  Words on;
  for (const Entry& e : entries(node, name,
                                {"figure", "says", "metric", "of", "to", "on", "by", "mean", "paper", "sign",
                                 "tolerance", "awaits"})) {
    if (e.key == "figure") claim.figures = words(e.value, "figure");
    if (e.key == "says") claim.says = yaml_.scalar(e.value, "says");
    if (e.key == "metric") claim.metric = yaml_.scalar(e.value, "metric");
    if (e.key == "of") claim.of = yaml_.scalar(e.value, "of");
    if (e.key == "to") claim.to = yaml_.scalar(e.value, "to");
    if (e.key == "on") on = words(e.value, "on");
    if (e.key == "by")
      claim.kind = choice<ClaimKind>(e.value, "by", {"percent", "points", "value", "share", "difference"});
    if (e.key == "mean")
      claim.mean =
          choice<ClaimMean>(e.value, "mean", {"mean", "most", "least", "geometric", "above", "below"});
    if (e.key == "paper") claim.paper = number(e.value, "paper");
    if (e.key == "sign") {
      claim.printed = false;
      claim.paper = number(e.value, "sign");
    }
    if (e.key == "tolerance") claim.tolerance = number(e.value, "tolerance");
    if (e.key == "awaits") claim.awaits = yaml_.scalar(e.value, "awaits");
  }
  if (claim.mean == ClaimMean::geometric && claim.kind != ClaimKind::percent)
    yaml_.fault(claim.where, name + ": mean: geometric is of quotients, and needs by: percent");
  claim.on = expanded(on, claim.where);
  const Metric* metric = paper_.metric(claim.metric);
  const bool of_machine = metric != nullptr && metric->of_machine;
  if (of_machine && !claim.on.empty())
    yaml_.fault(claim.where,
                name + ": '" + claim.metric + "' is known without a run; 'on' must not be given");
  if (claim.awaits.empty() && claim.on.empty() && !of_machine)
    yaml_.fault(claim.where, name + ": 'on' names no workload");
  paper_.claims.push_back(std::move(claim));
}

Paper PaperReader::read() {
  std::map<std::string, Node> parts;
  for (const Entry& e : entries(
           yaml_.top(), "paper",
           {"paper", "notes", "options", "jitter", "budget", "groups", "workloads", "pairs", "organizations",
            "variants", "metrics", "claims", "orders", "decisions", "charts", "sensitivity"}))
    parts[e.key] = e.value;
  const auto each = [&](const char* part, auto&& read_one) {
    if (parts.count(part) == 0) return;
    for (const Entry& e : entries(parts[part], part, {})) read_one(e.key, e.value);
  };
  if (parts.count("paper") != 0) paper_.title = yaml_.scalar(parts["paper"], "paper");
  if (parts.count("notes") != 0) paper_.notes = yaml_.scalar(parts["notes"], "notes");
  if (parts.count("options") != 0) paper_.options = words(parts["options"], "options");
  if (parts.count("jitter") != 0) read_jitter(parts["jitter"]);
  if (parts.count("budget") != 0)
    for (const Entry& e : entries(parts["budget"], "budget", {"quick", "full"}))
      paper_.budget[e.key == "full" ? 1 : 0] = number(e.value, "budget." + e.key);
  each("workloads", [&](const auto& key, const Node& node) { read_workload(key, node); });
  each("groups", [&](const auto& key, const Node& node) {
    WorkloadGroup group{key, key, {}};
    std::replace(group.label.begin(), group.label.end(), '_', ' ');
    for (const std::string& workload : words(node, key))  // later keys depend on its workloads
      if (check_name("workload", workload, paper_.workloads, yaml_.where(node)))
        group.workloads.push_back(workload);
    paper_.groups.push_back(std::move(group));
  });
  each("pairs", [&](const auto& key, const Node& node) { read_pairs(key, node); });
  each("organizations", [&](const auto& key, const Node& node) { read_organization(key, node); });
  each("variants", [&](const auto& key, const Node& node) { read_variant(key, node); });
  each("metrics", [&](const auto& key, const Node& node) { read_metric(key, node); });
  each("claims", [&](const auto& key, const Node& node) { read_claim(key, node); });
  each("decisions", [&](const auto& key, const Node& node) { read_decision(key, node); });
  each("charts", [&](const auto& key, const Node& node) { read_chart(key, node); });
  if (parts.count("orders") != 0)
    for (const Node& node : yaml_.list(parts["orders"], "orders")) read_order(node);
  if (parts.count("sensitivity") != 0) read_sheet(parts["sensitivity"]);
  check();
  yaml_.finish();
  return std::move(paper_);
}

Paper Paper::load(const std::string& path) {
  return PaperReader(path).read();
}

/// Adds the run of a pair's workload alone: its first instructions.
void PaperReader::add_alone(const std::string& name, const PairGroup& pairs) {
  const PaperWorkload* base = paper_.workload(name);
  const auto budget = pairs.instructions.find(name);
  if (budget == pairs.instructions.end())
    return yaml_.fault(pairs.where, pairs.name + ": 'instructions' lacks '" + name + "'");
  PaperWorkload alone = *base;
  alone.name = name + "_alone";
  alone.label = base->label + " of a pair";
  alone.where = pairs.where;
  const double parts[2] = {pairs.quick_part, 1};
  for (int effort = 0; effort < 2; ++effort) {
    const double instructions = static_cast<double>(budget->second) * parts[effort];
    alone.portions[effort] = {base->portions[1].workload, static_cast<std::uint64_t>(instructions)};
  }
  if (paper_.workload(alone.name) == nullptr) paper_.workloads.push_back(std::move(alone));
}

void PaperReader::add_pair(const std::string& first, const std::string& second, const PairGroup& pairs) {
  PaperWorkload pair;
  pair.name = first + "+" + second;
  pair.label = paper_.workload(first)->label + "+" + paper_.workload(second)->label;
  pair.programs = {first + "_alone", second + "_alone"};
  pair.where = pairs.where;
  pair.in_effort[0] =
      std::find(pairs.quick_only.begin(), pairs.quick_only.end(), pair.name) != pairs.quick_only.end();
  paper_.workloads.push_back(std::move(pair));
}

double PaperReader::part(const Node& node) {
  const double value = number(node, "part");
  if (value > 0 && value <= 1) return value;
  yaml_.fault(node, "part: '" + yaml_.scalar(node, "part") + "'; allowed: above 0, at most 1");
  return 1;
}

void PaperReader::read_pairs(const std::string& name, const Node& node) {
  PairGroup pairs;
  pairs.name = name;
  pairs.where = yaml_.where(node);
  Words first, second;
  for (const Entry& e : entries(node, name, {"of", "with", "instructions", "quick"})) {
    if (e.key == "of") first = expanded(words(e.value, "of"), pairs.where);
    if (e.key == "with") second = expanded(words(e.value, "with"), pairs.where);
    if (e.key == "instructions")
      for (const Entry& one : entries(e.value, "instructions", {}))
        pairs.instructions[one.key] = whole(one.value, "instructions");
    if (e.key == "quick")
      for (const Entry& one : entries(e.value, "quick", {"only", "part"})) {
        if (one.key == "only") pairs.quick_only = words(one.value, "only");
        if (one.key == "part") pairs.quick_part = part(one.value);
      }
  }
  for (const Words* some : {&first, &second})
    for (const std::string& workload : *some) {
      if (!paper_.workload(workload)->programs.empty())
        return yaml_.fault(pairs.where, name + ": '" + workload + "' is a pair itself");
      add_alone(workload, pairs);
    }
  WorkloadGroup group{name, name, {}};
  std::replace(group.label.begin(), group.label.end(), '_', ' ');
  for (const std::string& a : first)
    for (const std::string& b : second) {
      add_pair(a, b, pairs);
      group.workloads.push_back(paper_.workloads.back().name);
    }
  for (const std::string& pair : pairs.quick_only)
    if (std::find(group.workloads.begin(), group.workloads.end(), pair) == group.workloads.end())
      yaml_.fault(pairs.where, name + ": no pair '" + pair + "'" + suggestion(pair, group.workloads));
  if (group.workloads.empty()) yaml_.fault(pairs.where, name + ": 'of' and 'with' must each name a workload");
  paper_.groups.push_back(std::move(group));
}

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
