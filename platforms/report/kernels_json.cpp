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
  add_summary(json, figures.summary);
  for (const KernelPart& part : figures.parts)
    json["side_by_side"].push_back({{"name", part.name},
                                    {"kernel", part.kernel},
                                    {"stream", part.stream},
                                    {"complete", part.complete},
                                    {"began", part.began},
                                    {"ended", part.ended},
                                    {"ctas", part.ctas},
                                    {"warp_instructions", part.warp_instructions}});
  json["ledger"] = ledger_json(figures.ledger, places);
  if (figures.verdict) json["verdict"] = verdict_json(*figures.verdict);
  return json;
}

Json json_of(const StreamFigures& figures) {
  Json json;
  json["stream"] = figures.stream;
  if (figures.application != all_applications) json["application"] = figures.application;
  json["launches"] = figures.launches;
  json["ctas"] = figures.ctas;
  json["warp_instructions"] = figures.warp_instructions;
  json["began"] = figures.began;
  json["ended"] = figures.ended;
  json["busy"] = figures.busy;
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
    for (const StreamFigures& one : recorder->streams()) json["streams"].push_back(json_of(one));
  }
  return json_text(json);
}

}  // namespace strata::platforms
