// The results of a run as JSON, and back.
#include <nlohmann/json.hpp>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "platforms/report/json_text.h"
#include "platforms/studies/interference/interference_text.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char schema[] = "strata-interference";

}  // namespace

std::string interference_json(const Interference& found) {
  Json json;
  json["schema"] = schema;
  json["platform"] = found.platform;
  json["kernels"] = found.names;
  json["victim"] = found.victim;
  json["cycles"] = found.cycles;
  json["misses"] = found.counts.misses;
  json["accesses"] = found.accesses;
  json["demotions"] = found.counts.demotions;
  json["evictions"] = found.counts.evictions;
  json["latency"] = found.latency;
  json["queues"] = found.queues;
  json["shapley_misses"] = found.shapley;
  json["replayed_misses"] = found.replayed;
  json["tracker_bits"] = found.tracker_bits;
  json["cut_short"] = found.cut_short;
  json["without"] = Json::array();
  for (const WithoutContender& one : found.without)
    json["without"].push_back({{"kernel", one.contender},
                               {"cycles", one.cycles},
                               {"misses", one.misses},
                               {"latency", one.latency},
                               {"queues", one.queues}});
  return json_text(json) + "\n";
}

Interference read_interference(const std::string& path) {
  Interference found;
  try {
    const Json json = parsed_json(read_input(path));
    if (json.at("schema") != schema) throw ConfigError(path + ": not the results of strata interference");
    json.at("platform").get_to(found.platform);
    json.at("kernels").get_to(found.names);
    json.at("victim").get_to(found.victim);
    json.at("cycles").get_to(found.cycles);
    json.at("misses").get_to(found.counts.misses);
    json.at("accesses").get_to(found.accesses);
    json.at("demotions").get_to(found.counts.demotions);
    json.at("evictions").get_to(found.counts.evictions);
    json.at("latency").get_to(found.latency);
    json.at("queues").get_to(found.queues);
    json.at("shapley_misses").get_to(found.shapley);
    json.at("replayed_misses").get_to(found.replayed);
    json.at("tracker_bits").get_to(found.tracker_bits);
    json.at("cut_short").get_to(found.cut_short);
    for (const Json& one : json.at("without"))
      found.without.push_back(
          {one.at("kernel"), one.at("cycles"), one.at("misses"), one.at("latency"), one.at("queues")});
  } catch (const InputError& error) {
    throw ConfigError(path + ": " + error.what());
  } catch (const Json::exception& error) {
    throw ConfigError(path + ": not the results of strata interference: " + error.what());
  }
  return found;
}

}  // namespace strata::platforms
