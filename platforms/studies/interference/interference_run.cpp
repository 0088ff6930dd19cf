#include "platforms/studies/interference/interference_run.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "models/common/counts_if.h"
#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/text.h"
#include "platforms/report/json_text.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/interference/contention_shares.h"
#include "platforms/studies/interference/llc_replay.h"

namespace strata::platforms {
namespace {

const ContentionCountsIf& tracker_of(const Platform& platform) {
  std::vector<const ContentionCountsIf*> found;
  for (const PlatformInstance& instance : platform.of_role(Role::observer))
    if (const auto* tracker = dynamic_cast<const ContentionCountsIf*>(instance.block))
      found.push_back(tracker);
  if (found.size() != 1)
    throw ConfigError("the platform has " + std::to_string(found.size()) +
                      " contention trackers; allowed: one for all slices");
  return *found.front();
}

/// The application of each kernel that the tracker distinguishes.
std::vector<int> applications_of(const ContentionCountsIf& tracker, const Platform& platform,
                                 const std::vector<ApplicationRun>& runs) {
  std::vector<int> owners;
  if (tracker.by_sm()) {
    for (std::size_t cluster = 0; cluster < platform.of_role(Role::sm).size(); ++cluster)
      for (std::size_t a = 0; a < runs.size(); ++a)
        owners.insert(owners.end(), static_cast<std::size_t>(runs[a].sms), static_cast<int>(a));
  } else {
    for (std::size_t a = 0; a < runs.size(); ++a) owners.push_back(static_cast<int>(a));
  }
  if (static_cast<int>(owners.size()) > tracker.kernels())
    throw ConfigError("the contention tracker has counters for " + std::to_string(tracker.kernels()) +
                      (tracker.by_sm() ? " SMs" : " applications") + ", but " +
                      std::to_string(owners.size()) +
                      " run; allowed: kernels >= " + std::to_string(owners.size()));
  return owners;
}

ContentionCounts counts_of(const ContentionCountsIf& counters, const std::vector<int>& owners,
                           std::size_t applications) {
  ContentionCounts counts;
  counts.misses.resize(applications);
  counts.demotions.assign(applications, std::vector<std::uint64_t>(applications));
  counts.evictions = counts.demotions;
  for (std::size_t v = 0; v < owners.size(); ++v) {
    const auto victim = static_cast<std::size_t>(owners[v]);
    counts.misses[victim] += counters.misses(static_cast<int>(v));
    for (std::size_t a = 0; a < owners.size(); ++a) {
      const auto aggressor = static_cast<std::size_t>(owners[a]);
      counts.demotions[victim][aggressor] += counters.demotions(static_cast<int>(v), static_cast<int>(a));
      counts.evictions[victim][aggressor] += counters.evictions(static_cast<int>(v), static_cast<int>(a));
    }
  }
  return counts;
}

bool is_queue(Cause cause) {
  constexpr Cause queues[] = {Cause::request_queue, Cause::queue,      Cause::full,
                              Cause::miss_queue,    Cause::reply_port, Cause::reply_queue};
  return std::find(std::begin(queues), std::end(queues), cause) != std::end(queues);
}

/// Mean core cycles of an access, and the part spent in queues.
void read_ledger(const LedgerTotals& ledger, const LedgerPlaces& places, double& latency, double& queues) {
  std::uint64_t count = 0, cycles = 0, waiting = 0;
  for (const LedgerTotals::Sums& sums : ledger.groups) {
    count += sums.count;
    cycles += sums.latency;
    for (const Place place : places.on_the_way())
      if (is_queue(places.cause(place))) waiting += sums.cycles[place];
  }
  const double accesses = static_cast<double>(std::max<std::uint64_t>(count, 1));
  latency = static_cast<double>(cycles) / accesses;
  queues = static_cast<double>(waiting) / accesses;
}

void replay(const std::vector<LlcRequest>& stream, const Platform& platform, Interference& result) {
  std::map<ApplicationSet, std::vector<std::uint64_t>> known;
  ApplicationSet active = 0;
  for (int a = 0; a < result.size(); ++a)
    if (result.accesses[static_cast<std::size_t>(a)] != 0) active |= only_application(a);
  const auto misses_of = [&](ApplicationSet who) -> const std::vector<std::uint64_t>& {
    who &= active;
    const auto found = known.find(who);
    return found != known.end() ? found->second
                                : known.emplace(who, replayed_misses(stream, platform, who)).first->second;
  };
  for (int v = 0; v < result.size(); ++v)
    result.shapley.push_back(shapley_values(result.size(), v, misses_of));
  result.replayed = misses_of(only_application(result.size()) - 1);
  result.replayed.resize(result.names.size());
}

}  // namespace

Interference interference_of(Platform& platform, const std::vector<ApplicationRun>& runs,
                             const InterferenceOptions& options, RunOutcome& outcome) {
  const ContentionCountsIf& tracker = tracker_of(platform);
  const std::vector<int> owners = applications_of(tracker, platform, runs);
  LlcStream stream(platform, options.limit);
  Interference result;
  result.platform = platform.title();
  result.victim = options.victim;
  bool ended = false;
  SessionOptions session_options = options.session;
  session_options.measured = [&](std::size_t application) {
    if (static_cast<int>(application) != options.victim) return;
    ended = true;
    stream.stop();
    result.counts = counts_of(tracker, owners, runs.size());
  };
  session_options.enough = [&ended] { return ended; };
  Session session(platform, runs, session_options);
  platform.finish_elaboration();
  outcome = session.run();
  if (!ended) return result;
  const std::vector<ApplicationFigures>& figures = session.applications();
  result.cycles = figures[static_cast<std::size_t>(options.victim)].cycles;
  result.accesses.resize(runs.size());
  for (const LlcRequest& request : stream.requests()) ++result.accesses.at(request.application);
  for (const ApplicationFigures& application : figures) {
    result.names.push_back(application.trace);
    result.latency.emplace_back();
    result.queues.emplace_back();
    read_ledger(application.ledger, platform.ledger_places(), result.latency.back(), result.queues.back());
  }
  result.tracker_bits = tracker.storage_bits();
  result.cut_short = stream.full();
  if (options.replay) replay(stream.requests(), platform, result);
  return result;
}

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

namespace {

std::string in_percent(double share) {
  return fixed(100 * share, 1);
}

/// A table of the misses of one victim, charged to aggressors by each method.
std::string breakdown(const Interference& found, int victim) {
  const auto v = static_cast<std::size_t>(victim);
  const bool replayed = !found.shapley.empty();
  const Shares gdc = found.gdc(victim), plob = found.plob(victim), self = found.plob(victim, true);
  const Shares truth = replayed ? found.truth(victim) : Shares(found.names.size());
  std::string text = "misses of " + found.names[v] + ", " + grouped(found.counts.misses[v]) + " of " +
                     grouped(found.accesses[v]) + " requests, in percent\n";
  TextTable table;
  table.add({"ascribed to", "GDC", "PLOB", "PLOB with self", "Shapley"});
  for (std::size_t a = 0; a < found.names.size(); ++a)
    table.add({found.names[a] + (a == v ? " (itself)" : ""), in_percent(gdc[a]), in_percent(plob[a]),
               in_percent(self[a]), replayed ? in_percent(truth[a]) : "-"});
  text += table.text();
  text += "  distance (wbd): GDC to PLOB " + fixed(breakdown_distance(gdc, plob), 3);
  if (replayed)
    text += ", GDC to Shapley " + fixed(breakdown_distance(gdc, truth), 3) + ", PLOB to Shapley " +
            fixed(breakdown_distance(plob, truth), 3);
  return text + "\n";
}

/// The victim in new simulations without each of its contenders.
std::string reruns(const Interference& found) {
  if (found.without.empty()) return {};
  const auto v = static_cast<std::size_t>(found.victim);
  TextTable table;
  table.add({"simulated without", "misses saved", "% of all", "cycles saved", "% of all",
             "cycles of an access saved", "of these in queues"});
  const auto misses = static_cast<double>(found.counts.misses[v]), cycles = static_cast<double>(found.cycles);
  for (const WithoutContender& without : found.without) {
    const double less_misses = misses - static_cast<double>(without.misses);
    const double less_cycles = cycles - static_cast<double>(without.cycles);
    table.add({found.names[static_cast<std::size_t>(without.contender)], fixed(less_misses, 0),
               in_percent(misses == 0 ? 0 : less_misses / misses), fixed(less_cycles, 0),
               in_percent(less_cycles / cycles), fixed(found.latency[v] - without.latency, 1),
               fixed(found.queues[v] - without.queues, 1)});
  }
  return "\n" + found.names[v] + " with one contender removed (an access takes " +
         fixed(found.latency[v], 1) + " cycles, " + fixed(found.queues[v], 1) + " of them in queues)\n" +
         table.text();
}

}  // namespace

std::string interference_text(const Interference& found) {
  std::string text = found.platform + ": " + grouped(found.cycles) + " cycles until " +
                     found.names[static_cast<std::size_t>(found.victim)] +
                     " has ended; counters and owners take " + grouped(found.tracker_bits) + " bits\n\n";
  for (int first = 0; first < found.size(); ++first) {
    const int victim = first == 0 ? found.victim : first <= found.victim ? first - 1 : first;
    text += breakdown(found, victim) + "\n";
  }
  if (!found.replayed.empty()) {
    TextTable table;
    table.add({"misses", "simulated", "replayed"});
    for (std::size_t a = 0; a < found.names.size(); ++a)
      table.add({found.names[a], grouped(found.counts.misses[a]), grouped(found.replayed[a])});
    text += table.text();
  }
  if (found.cut_short)
    text +=
        "The recorded stream ends before the run: Shapley values cover only the recorded part (--limit).\n";
  return text + reruns(found);
}

std::string interference_csv(const Interference& found) {
  std::string text =
      "victim,aggressor,victim_misses,demotions,evictions,gdc,plob,plob_with_self,shapley_misses,shapley\n";
  for (int victim = 0; victim < found.size(); ++victim) {
    const auto v = static_cast<std::size_t>(victim);
    const Shares gdc = found.gdc(victim), plob = found.plob(victim), self = found.plob(victim, true);
    for (std::size_t a = 0; a < found.names.size(); ++a) {
      text += found.names[v] + "," + found.names[a] + "," + std::to_string(found.counts.misses[v]) + "," +
              std::to_string(found.counts.demotions[v][a]) + "," +
              std::to_string(found.counts.evictions[v][a]);
      for (const double share : {gdc[a], plob[a], self[a]}) text += "," + fixed(share, 6);
      text += found.shapley.empty()
                  ? ",,"
                  : "," + fixed(found.shapley[v][a], 1) + "," + fixed(found.truth(victim)[a], 6);
      text += "\n";
    }
  }
  return text;
}

std::string interference_svg(const Interference& found) {
  HeatPanel gdc{"GDC", {}}, plob{"PLOB", {}}, truth{"Shapley (replayed)", {}};
  for (int v = 0; v < found.size(); ++v) {
    gdc.rows.push_back(found.gdc(v));
    plob.rows.push_back(found.plob(v));
    if (!found.shapley.empty()) truth.rows.push_back(found.truth(v));
  }
  std::vector<HeatPanel> panels = {gdc, plob};
  if (!found.shapley.empty()) panels.push_back(truth);
  return heat_map("Misses of each row's kernel ascribed to each column's, in percent", found.names, panels);
}

}  // namespace strata::platforms
