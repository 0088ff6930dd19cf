// Pairs of workloads that run side by side, and the runs of each of them alone.
#include "platforms/studies/reproduce/paper_reader.h"

namespace strata::platforms {

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

}  // namespace strata::platforms
