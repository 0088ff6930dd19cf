#include "platforms/engine/session/wait_graph.h"

#include <algorithm>
#include <map>

#include "models/common/text.h"

namespace strata::platforms {
namespace {

enum class Mark { fresh, open, done };

using Graph = std::map<std::string, std::vector<std::string>>;

/// Depth first: an edge back to an open node closes a cycle.
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

/// "l1" of "l1[3]", and of "l1[3].sm".
std::string group_of(const std::string& instance) {
  return instance.substr(0, instance.find_first_of("[."));
}

/// "slice_# (request held)": one name for queues of a block that differ only in their number.
std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || out.empty() || out.back() != '#') out += digit ? '#' : c;
  }
  return out;
}

std::string describe(const Access& access, const LedgerPlaces& places) {
  std::string text = std::string(to_text(access.access_class)) + " of line " + hex_text(access.line) +
                     ", SM " + std::to_string(access.sm) + ", warp " + std::to_string(access.warp) +
                     ", CTA " + std::to_string(access.cta) + ", kernel " + std::to_string(access.kernel) +
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
  std::string out = "waits between blocks:\n";
  if (edges_.empty()) out += "  no block reports a wait\n";
  for (std::size_t i = 0; i < std::min(lines, edges_.size()); ++i) {
    const WaitNote& note = edges_[i].note;
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
    out += "circular wait: ";
    for (std::size_t i = 0; i < ring.size(); ++i) out += (i == 0 ? "" : " -> ") + ring[i];
    out += "\n";
  }
  return out + oldest();
}

std::string WaitGraph::oldest() const {
  const Edge* found = nullptr;
  for (const Edge& edge : edges_)
    if (edge.note.oldest != nullptr &&
        (found == nullptr || edge.note.oldest->birth < found->note.oldest->birth))
      found = &edge;
  if (found == nullptr) return "";
  return "oldest transaction, in " + found->from + ": " + describe(*found->note.oldest, places_);
}

std::vector<WaitGraph::Group> WaitGraph::groups() const {
  std::vector<Group> groups;
  for (const Edge& edge : edges_) {
    // For "SM 3: load/store queue" the part after the number; texts that continue with a number name no
    // queue.
    const std::size_t colon = edge.note.what.find(": ");
    const std::string what =
        without_numbers(colon == std::string::npos ? edge.note.what : edge.note.what.substr(colon + 2));
    if (what.empty() || what[0] == '#') continue;
    const std::string to = target(edge);
    const Group wanted{group_of(edge.from), what, to.empty() || to == edge.from ? "" : group_of(to)};
    auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return g.from == wanted.from && g.what == wanted.what && g.to == wanted.to;
    });
    if (found == groups.end()) found = groups.insert(groups.end(), wanted);
    ++found->blocks;
    found->occupancy += edge.note.occupancy;
    found->capacity += edge.note.capacity;
  }
  const auto filled = [](const Group& g) {
    return g.capacity > 0 ? static_cast<double>(g.occupancy) / g.capacity : 0.0;
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const Group& a, const Group& b) { return filled(a) > filled(b); });
  return groups;
}

}  // namespace strata::platforms
