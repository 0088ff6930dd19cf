#include "platforms/studies/reproduce/findings_json.h"

#include <nlohmann/json.hpp>

#include "platforms/report/json_text.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;

Json of_claim(const ClaimResult& result, const Paper& paper) {
  const Claim& claim = *result.claim;
  const bool ran = result.verdict != Verdict::not_run;
  const std::string unit = unit_of(claim);
  Json json{{"name", claim.name},
            {"says", claim.says},
            {"figures", claim.figures},
            {"unit", unit.empty() ? "" : unit.substr(1)},
            {"of", claim.of},
            {"to", claim.to},
            {"paper", claim.paper},
            {"printed", claim.printed},
            {"tolerance", claim.tolerance},
            {"verdict", to_text(result.verdict)},
            {"model", nullptr},
            {"least", nullptr},
            {"most", nullptr},
            {"values", Json::array()},
            {"reason", result.reason},
            {"ledger", result.evidence ? evidence_text(result) : ""}};
  if (!ran) return json;
  json["model"] = result.model;
  json["least"] = result.least;
  json["most"] = result.most;
  for (const auto& [workload, value] : result.values)
    json["values"].push_back({paper.workload(workload)->label, value});
  return json;
}

Json of_order(const OrderResult& result, const Paper& paper) {
  Json steps = Json::array();
  for (const std::string& claim : result.order->claims) steps.push_back(paper.claim(claim)->says);
  if (result.order->claims.empty())
    for (const WorkloadGroup& step : result.order->steps) steps.push_back(step.label);
  return {{"says", result.order->says},       {"figures", result.order->figures},
          {"falling", result.order->falling}, {"verdict", to_text(result.verdict)},
          {"reason", result.reason},          {"steps", steps},
          {"values", result.values}};
}

Json of_decision(const DecisionResult& result) {
  Json bars = Json::array();
  for (const BarResult& bar : result.bars)
    bars.push_back(
        {{"says", bar.says}, {"asked", bar.asked}, {"found", bar.found}, {"verdict", to_text(bar.verdict)}});
  return {{"says", result.decision->says},
          {"figures", result.decision->figures},
          {"reason", result.reason},
          {"bars", bars}};
}

}  // namespace

std::string findings_json(const Findings& findings, const Measurements& measurements) {
  const Paper& paper = measurements.paper();
  Json json{{"schema", "strata-reproduction"},
            {"schema_version", 1},
            {"name", paper.name},
            {"title", paper.title},
            {"command", findings.command},
            {"effort", findings.effort},
            {"seeds", measurements.plan().seeds().size()},
            {"interrupted", findings.pool.interrupted},
            {"failures", Json::array()},
            {"claims", Json::array()},
            {"orders", Json::array()},
            {"decisions", Json::array()}};
  for (const RunFailure& failure : findings.pool.failures)
    json["failures"].push_back({{"run", failure.run}, {"why", failure.words}});
  for (const ClaimResult& result : findings.claims) json["claims"].push_back(of_claim(result, paper));
  for (const OrderResult& result : findings.orders) json["orders"].push_back(of_order(result, paper));
  for (const DecisionResult& result : findings.decisions) json["decisions"].push_back(of_decision(result));
  return json_text(json) + "\n";
}

}  // namespace strata::platforms
