#include "tb/support/sealed_results.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "models/tlm/module_kind.h"
#include "platforms/report/digest.h"
#include "platforms/report/json_text.h"
#include "platforms/report/manifest.h"
#include "platforms/report/results_digest.h"
#include "platforms/report/results_files.h"

namespace strata::tb {

void seal_results(const std::filesystem::path& folder) {
  using Json = nlohmann::ordered_json;
  const auto text_of = [](const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  Json stats = platforms::parsed_json(text_of(folder / "stats.json"));
  for (int g = 0; g < LedgerTotals::group_count; ++g) {
    Json& group = stats["ledger"][std::string(platforms::group_name(g))];
    const auto fill = [](Json& place, const std::string& key) {
      if (!place.contains(key)) place[key] = 0;
    };
    for (const char* key : {"accesses", "latency"}) fill(group, key);
    for (const Place place : nominal_places().on_the_way())
      fill(group["cycles"], nominal_places().name(place));
    Json& histogram = group["latency_histogram"];
    for (const char* key : {"total", "maximum"}) fill(histogram, key);
    if (!histogram.contains("buckets")) histogram["buckets"] = Json::array();
  }
  for (const LedgerPlaces::Stop& stop : nominal_places().stops())
    stats["ledger_places"][stop.place] = stop.role;
  stats["digest"] = platforms::digest_of(stats).value_or("none");
  std::ofstream(folder / "stats.json") << platforms::json_text(stats, -1);
  platforms::Manifest manifest;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename() != platforms::manifest_name)
      manifest.add(entry.path().filename().string(), text_of(entry.path()));
  std::ofstream(folder / platforms::manifest_name) << manifest.json();
}

}  // namespace strata::tb
