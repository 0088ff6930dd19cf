#include "platforms/session/wait_graph.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace strata::platforms {
namespace {

enum class Mark { fresh, open, done };

using Graph = std::map<std::string, std::vector<std::string>>;

/// Depth first: the path back to an open node is a circle.
bool find_circle(const Graph& graph, const std::string& node, std::map<std::string, Mark>& marks,
                 std::vector<std::string>& path) {
  marks[node] = Mark::open;
  path.push_back(node);
  const auto next = graph.find(node);
  if (next != graph.end()) {
    for (const std::string& to : next->second) {
      if (marks[to] == Mark::open) {
        path.erase(path.begin(), std::find(path.begin(), path.end(), to));
        path.push_back(to);
        return true;
      }
      if (marks[to] == Mark::fresh && find_circle(graph, to, marks, path)) return true;
    }
  }
  marks[node] = Mark::done;
  path.pop_back();
  return false;
}

std::string describe(const Access& access, const LedgerPlaces& places) {
  char line[32];
  std::snprintf(line, sizeof line, "0x%llx", static_cast<unsigned long long>(access.line));
  std::string text = std::string(to_text(access.access_class)) + " of line " + line + ", SM " +
                     std::to_string(access.sm) + ", warp " + std::to_string(access.warp) + ", CTA " +
                     std::to_string(access.cta) + ", kernel " + std::to_string(access.kernel) +
                     ", born in cycle " + std::to_string(access.birth) + "\n  its ledger until cycle " +
                     std::to_string(access.ledger.mark()) + ":";
  bool any = false;
  for (const Place place : places.on_the_way()) {
    const std::uint32_t cycles = access.ledger.cycles(place);
    if (cycles == 0) continue;
    text += (any ? ", " : " ") + places.name(place) + " " + std::to_string(cycles);
    any = true;
  }
  return text + (any ? "" : " empty") + "\n";
}

}  // namespace

WaitGraph::WaitGraph(const Platform& platform) : places_(platform.ledger_places()) {
  for (const PlatformInstance& instance : platform.instances()) {
    names_.push_back(instance.full_name());
    for (WaitNote& note : instance.block->waits()) edges_.push_back({instance.full_name(), std::move(note)});
  }
}

WaitGraph::WaitGraph(std::vector<Edge> edges, LedgerPlaces places)
    : edges_(std::move(edges)), places_(std::move(places)) {
  for (const Edge& edge : edges_) names_.push_back(edge.from);
}

std::string WaitGraph::target(const Edge& edge) const {
  const std::string& to = edge.note.waits_for;
  std::string best;
  for (const std::string& name : names_) {
    const bool begins =
        to.compare(0, name.size(), name) == 0 && (to.size() == name.size() || to[name.size()] == '.');
    if (begins && name.size() > best.size()) best = name;
  }
  return best.empty() ? to : best;
}

std::vector<std::string> WaitGraph::circle() const {
  Graph graph;
  for (const Edge& edge : edges_) {
    const std::string to = target(edge);
    if (!to.empty() && to != edge.from) graph[edge.from].push_back(to);
  }
  std::map<std::string, Mark> marks;
  for (const auto& [node, next] : graph) {
    std::vector<std::string> path;
    if (marks[node] == Mark::fresh && find_circle(graph, node, marks, path)) return path;
  }
  return {};
}

std::string WaitGraph::text(std::size_t lines) const {
  std::string out = "who waits for whom:\n";
  if (edges_.empty()) out += "  no block says that it waits\n";
  const WaitNote* oldest = nullptr;
  std::string holder;
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const WaitNote& note = edges_[i].note;
    if (note.oldest != nullptr && (oldest == nullptr || note.oldest->birth < oldest->oldest->birth)) {
      oldest = &note;
      holder = edges_[i].from;
    }
    if (i >= lines) continue;
    out += "  " + edges_[i].from + ": " + note.what;
    if (note.capacity > 0)
      out += " (" + std::to_string(note.occupancy) + " of " + std::to_string(note.capacity) + ")";
    else if (note.occupancy > 0)
      out += " (" + std::to_string(note.occupancy) + ")";
    if (!note.waits_for.empty()) out += " -> " + note.waits_for;
    out += "\n";
  }
  if (edges_.size() > lines) out += "  and " + std::to_string(edges_.size() - lines) + " more\n";
  const std::vector<std::string> ring = circle();
  if (!ring.empty()) {
    out += "they wait in a circle: ";
    for (std::size_t i = 0; i < ring.size(); ++i) out += (i == 0 ? "" : " -> ") + ring[i];
    out += "\n";
  }
  if (oldest != nullptr)
    out += "oldest transaction, in " + holder + ": " + describe(*oldest->oldest, places_);
  return out;
}

}  // namespace strata::platforms
