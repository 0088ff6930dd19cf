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

}  // namespace strata::platforms
