#include "platforms/studies/reproduce/paper.h"

#include <algorithm>
#include <filesystem>

#include "platforms/engine/netlist/data_folders.h"

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

}  // namespace strata::platforms
