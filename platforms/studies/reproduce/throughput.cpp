#include "platforms/studies/reproduce/throughput.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/common/faults.h"
#include "platforms/report/json_text.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/reproduce/run_figures.h"

namespace strata::platforms {

double system_throughput(const std::vector<Progress>& applications) {
  double sum = 0;
  for (const Progress& one : applications) sum += one.progress();
  return sum;
}

double average_normalized_turnaround(const std::vector<Progress>& applications) {
  double sum = 0;
  for (const Progress& one : applications) sum += one.slowdown();
  return applications.empty() ? 0 : sum / static_cast<double>(applications.size());
}

double fairness(const std::vector<Progress>& applications) {
  const auto [least, most] =
      std::minmax_element(applications.begin(), applications.end(),
                          [](const Progress& a, const Progress& b) { return a.progress() < b.progress(); });
  return applications.empty() || most->progress() == 0 ? 0 : least->progress() / most->progress();
}

std::vector<Progress> read_progress(const std::string& together, const std::vector<std::string>& solos) {
  const RunFigures all = read_figures(together);
  if (all.applications.size() != solos.size())
    throw ConfigError(together + ": results of " + std::to_string(all.applications.size()) +
                      " applications side by side, not of " + std::to_string(solos.size()));
  std::vector<Progress> applications;
  for (std::size_t a = 0; a < solos.size(); ++a) {
    const RunFigures solo = read_figures(solos[a]);
    applications.push_back({solo.trace, solo.values.at("ipc"), all.applications[a]});
  }
  return applications;
}

std::string progress_text(const std::vector<Progress>& applications) {
  TextTable table;
  table.add({"application", "IPC alone", "IPC together", "slowdown"});
  for (const Progress& one : applications)
    table.add({one.application, rounded(one.solo_ipc), rounded(one.ipc), rounded(one.slowdown())});
  TextTable sums;
  sums.add({"system throughput (STP)", rounded(system_throughput(applications))});
  sums.add({"mean slowdown (ANTT)", rounded(average_normalized_turnaround(applications))});
  sums.add({"fairness", rounded(fairness(applications))});
  return table.text() + "\n" + sums.text();
}

std::string progress_json(const std::vector<Progress>& applications) {
  nlohmann::ordered_json json;
  json["schema"] = "strata-multi";
  json["schema_version"] = 1;
  json["stp"] = system_throughput(applications);
  json["antt"] = average_normalized_turnaround(applications);
  json["fairness"] = fairness(applications);
  for (const Progress& one : applications)
    json["applications"].push_back({{"trace", one.application},
                                    {"ipc_alone", one.solo_ipc},
                                    {"ipc_together", one.ipc},
                                    {"slowdown", one.slowdown()}});
  return platforms::json_text(json);
}

}  // namespace strata::platforms
