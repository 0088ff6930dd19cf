#include <nlohmann/json.hpp>

#include "platforms/report/json_text.h"
#include "platforms/report/kernel_figures.h"
#include "platforms/report/results_json.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const KernelFigures& figures, const LedgerPlaces& places) {
  Json json;
  json["name"] = figures.name;
  if (figures.application != all_applications) json["application"] = figures.application;
  json["kernel"] = figures.kernel;
  json["launches"] = figures.launches;
  json["complete"] = figures.complete;
  json["began"] = figures.began;
  json["cycles"] = figures.cycles;
  for (const SummaryRow& row : figures.summary.rows) json["summary"][row.name] = figure_json(row);
  json["ledger"] = ledger_json(figures.ledger, places);
  if (figures.verdict) json["verdict"] = verdict_json(*figures.verdict);
  return json;
}

}  // namespace

std::string kernels_json(const KernelRecorders& kernels, const LedgerPlaces& places) {
  Json json;
  json["schema"] = "strata-kernels";
  json["schema_version"] = 1;
  json["kernels"] = Json::array();
  json["names"] = Json::array();
  for (const auto& recorder : kernels) {
    for (const KernelFigures& one : recorder->launches()) json["kernels"].push_back(json_of(one, places));
    for (const KernelFigures& one : recorder->names()) json["names"].push_back(json_of(one, places));
  }
  return json_text(json);
}

}  // namespace strata::platforms
