#include "platforms/studies/interference/interference_text.h"

#include "models/common/text.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/interference/heat_map.h"

namespace strata::platforms {
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
