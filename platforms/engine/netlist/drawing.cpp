#include "platforms/engine/netlist/drawing.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "models/common/faults.h"
#include "models/common/resource.h"
#include "models/common/text.h"
#include "models/io/draft.h"
#include "platforms/engine/netlist/param_table.h"

extern char** environ;

namespace strata::platforms {
namespace {

constexpr std::size_t most_params = 6;  // parameter lines in a box; the rest is in the netlist

/// `2.87 TB/s`
std::string bandwidth_text(double bytes) {
  return bytes < 1e12 ? formatted("%.3g GB/s", bytes / 1e9) : formatted("%.3g TB/s", bytes / 1e12);
}

std::string capacity_text(double bytes) {
  return bytes < 1 << 20 ? formatted("%.4g KiB", bytes / 1024) : formatted("%.4g MiB", bytes / (1 << 20));
}

/// Total capacity of a group, or the peak of its widest resource; empty if neither is known.
std::string totals_of(const ResolvedNetlist& netlist, const ResolvedGroup& group) {
  double capacity = 0, hertz = 0;
  std::map<std::string_view, double> moved;  // bytes per cycle of the group's clock, by resource
  for (const ResolvedClock& clock : netlist.clocks)
    if (clock.name == group.clock) hertz = static_cast<double>(clock.frequency.count);
  for (const ResolvedMember& member : group.members) {
    const auto line = static_cast<std::uint64_t>(netlist.address_map.line);
    if (const auto shape = cache_shape(ParamValues(*member.params), line);
        shape && (group.kind->role == Role::l1 || group.kind->role == Role::llc))
      capacity += static_cast<double>(shape->line * shape->sets) * shape->ways;
    if (group.kind->resources == nullptr) continue;
    for (const Resource& resource : group.kind->resources(*member.params))
      moved[resource.name] += resource.peak * resource.bytes;
  }
  double most = 0;
  for (const auto& [name, bytes] : moved) most = std::max(most, bytes);
  std::string text = capacity > 0 ? capacity_text(capacity) : "";
  if (most > 0) text += (text.empty() ? "" : ", ") + bandwidth_text(most * hertz);
  return text;
}

/// Mark for the timing of a group in a drawing.
std::string timing_mark(const ResolvedGroup& group) {
  std::string text;
  const auto mark = [&](const char* timing, const auto& has) {
    const auto count = std::count_if(group.members.begin(), group.members.end(), has);
    if (count == 0) return;
    text += (text.empty() ? "" : ", ") + (count == group.count() ? "" : std::to_string(count) + " ") + timing;
  };
  mark("lt", [](const ResolvedMember& member) { return member.lt; });
  mark("rtl", [](const ResolvedMember& member) { return member.rtl != nullptr; });
  return text;
}

std::string header() {
  return "digraph platform {\n"
         "  rankdir=LR; ranksep=0.35; nodesep=0.3; splines=true; bgcolor=white; pad=0.4;\n"
         "  fontname=\"Helvetica\"; fontsize=15; labelloc=t;\n"
         "  node [shape=plain, fontname=\"Helvetica\", fontsize=12];\n"
         "  edge [fontname=\"Helvetica\", fontsize=11, color=\"#475569\", fontcolor=\"#334155\", "
         "arrowsize=0.7];\n";
}

std::string frequency_of(const ResolvedNetlist& netlist, const std::string& clock) {
  for (const ResolvedClock& c : netlist.clocks)
    if (c.name == clock) return to_text(c.frequency);
  return "";
}

std::string group_label(const ResolvedNetlist& netlist, const ResolvedGroup& group, bool control) {
  std::string label =
      "<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"5\" color=\"#64748b\">";
  const std::string count = group.count() > 1 ? "&#215;&#160;" + std::to_string(group.count()) : "";
  label += "<tr><td bgcolor=\"" + std::string(control ? "#e2e8f0" : row_of(group.kind->role).colour) +
           "\"><font point-size=\"15\"><b>" + markup_of(group.name) + "&#160;</b>" + count +
           "</font><br/><font point-size=\"11\" color=\"#334155\">" +
           markup_of(std::string(group.kind->name)) +
           (timing_mark(group).empty() ? "" : ", " + timing_mark(group)) + "</font></td></tr>";
  std::string lines;
  std::size_t shown = 0;
  for (const ParamRow& row : list_params(*group.base.params)) {
    const auto& written = group.written;
    if (std::find(written.begin(), written.end(), row.name) == written.end() || shown == most_params)
      continue;
    lines += markup_of(row.name) + ": " + markup_of(row.value) + (row.unit == "cycles" ? " cycles" : "") +
             "<br align=\"left\"/>";
    ++shown;
  }
  lines +=
      markup_of(group.clock) + ": " + markup_of(frequency_of(netlist, group.clock)) + "<br align=\"left\"/>";
  if (const std::string totals = totals_of(netlist, group); !totals.empty())
    lines += "<b>in all: " + totals + "</b><br align=\"left\"/>";
  label +=
      "<tr><td align=\"left\" balign=\"left\" bgcolor=\"white\"><font point-size=\"10.5\" "
      "color=\"#475569\">" +
      lines + "</font></td></tr></table>>";
  return label;
}

std::string collapsed(const ResolvedNetlist& netlist) {
  std::ostringstream out;
  const std::vector<int> stage = group_stages(netlist);
  out << header() << "  label=<<b>" << markup_of(netlist.title) << "</b>>;\n";
  for (std::size_t g = 0; g < netlist.groups.size(); ++g) {
    const bool control = is_control(netlist, static_cast<int>(g));
    out << "  n" << g << " [label=" << group_label(netlist, netlist.groups[g], control) << "];\n";
  }
  // One arrow per pair of socket groups, labelled with both names and the number of its connections.
  using Key = std::tuple<int, std::string, int, std::string, bool>;
  std::vector<std::pair<Key, int>> edges;
  std::map<Key, std::size_t> found;
  for (const ResolvedConnection& c : netlist.connections) {
    const Key key{c.from.group, netlist.port(c.from).name, c.to.group, netlist.port(c.to).name, c.tlm};
    const auto [at, added] = found.emplace(key, edges.size());
    if (added) edges.push_back({key, 0});
    ++edges[at->second].second;
  }
  // The label is a node between the two halves of its arrow, so no arrow runs through a node. Arrows start at
  // the lower stage, so they do not change the order of stages. Within a stage, controllers are on top.
  std::map<int, std::string> labels_of_stage;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto& [from, out_port, to, in_port, tlm] = edges[e].first;
    const int count = edges[e].second;
    const std::string label = "e" + std::to_string(e);
    const std::string ports = out_port == in_port ? out_port : out_port + " &#8594; " + in_port;
    const int begin = stage[static_cast<std::size_t>(from)], end = stage[static_cast<std::size_t>(to)];
    const bool back = begin > end || (begin == end && is_control(netlist, to) && !is_control(netlist, from));
    const std::string style = tlm ? std::string("penwidth=") + (count >= 64  ? "2.6"
                                                                : count >= 8 ? "1.9"
                                                                             : "1.3")
                                  : "style=dashed, color=\"#94a3b8\"";
    out << "  " << label << " [fontsize=11, fontcolor=\"" << (tlm ? "#334155" : "#64748b") << "\", label=< "
        << ports << (count > 1 ? "<br/><b>&#215;&#160;" + std::to_string(count) + "</b>" : std::string())
        << " >];\n";
    if (begin == end) labels_of_stage[begin] += " " + label + ";";
    const char *const west = begin == end ? "" : ":w", *const east = begin == end ? "" : ":e";
    out << "  n" << (back ? to : from) << " -> " << label << west << " ["
        << (back ? "dir=back, " : "arrowhead=none, ") << style << "];\n  " << label << east << " -> n"
        << (back ? from : to) << " [" << (back ? "arrowhead=none, " : "") << style << "];\n";
  }
  for (int s = 0; s <= *std::max_element(stage.begin(), stage.end()); ++s) {
    std::string same;
    int members = 0;
    for (std::size_t g = 0; g < stage.size(); ++g) {
      if (stage[g] != s) continue;
      same += " n" + std::to_string(g) + ";";
      ++members;
    }
    if (members > 1) out << "  {rank=same;" << same << labels_of_stage[s] << "}\n";
  }
  out << "}\n";
  return out.str();
}

/// Positions in the expanded drawing, in points: one column per stage, members spread over the full height,
/// and control-only groups above the column of the groups they serve.
struct Layout {
  std::vector<int> stage;
  std::vector<bool> control;
  double height = 0;

  explicit Layout(const ResolvedNetlist& netlist) : stage(group_stages(netlist)) {
    constexpr double row = 17;
    std::size_t tallest = 1;
    for (std::size_t g = 0; g < netlist.groups.size(); ++g) {
      control.push_back(is_control(netlist, static_cast<int>(g)));
      tallest = std::max(tallest, netlist.groups[g].members.size());
    }
    height = row * static_cast<double>(tallest);
  }
  double x(std::size_t group) const { return 230.0 * stage[group]; }
  double y(std::size_t group, int index, int count) const {
    if (control[group]) return height / 2 + 70;
    return height * ((count - 1) / 2.0 - index) / count;
  }
};

std::string position(double x, double y) {
  std::ostringstream out;
  out << "pos=\"" << x << "," << y << "!\"";
  return out.str();
}

void write_members(std::ostringstream& out, const ResolvedGroup& group, std::size_t g, const Layout& layout) {
  const double top = layout.control[g] ? layout.y(g, 0, 1) + 20 : layout.height / 2 + 20;
  out << "  h" << g << " [shape=plaintext, style=\"\", fontsize=12, label=<<b>" << markup_of(group.name)
      << "</b><br/>" << markup_of(std::string(group.kind->name)) << "<br/>&#215;&#160;" << group.count()
      << ">, " << position(layout.x(g), top + 8) << "];\n";
  for (int i = 0; i < group.count(); ++i) {
    out << "  m" << g << "_" << i << " [label=\"" << group.name << "[" << i << "]\", fillcolor=\""
        << (layout.control[g] ? "#e2e8f0" : row_of(group.kind->role).colour) << "\", "
        << position(layout.x(g), layout.y(g, i, group.count())) << "];\n";
  }
}

std::string expanded(const ResolvedNetlist& netlist) {
  std::ostringstream out;
  const Layout layout(netlist);
  out << header() << "  layout=neato; inputscale=72; overlap=true; splines=line;\n  label=<<b>"
      << markup_of(netlist.title)
      << "</b>>;\n  node [shape=box, style=\"filled,rounded\", margin=\"0.05,0.01\", height=0.19, width=0.6, "
         "fontsize=9, color=\"#64748b\"];\n  edge [arrowsize=0.35, penwidth=0.6, fontsize=8];\n";
  for (std::size_t g = 0; g < netlist.groups.size(); ++g) write_members(out, netlist.groups[g], g, layout);
  using Key = std::tuple<int, int, int, int, bool>;
  std::vector<std::pair<Key, int>> edges;
  std::map<Key, std::size_t> found;
  for (const ResolvedConnection& c : netlist.connections) {
    const Key key{c.from.group, c.from.index, c.to.group, c.to.index, c.tlm};
    const auto [at, added] = found.emplace(key, edges.size());
    if (added) edges.push_back({key, 0});
    ++edges[at->second].second;
  }
  for (const auto& [key, count] : edges) {
    const auto& [from, i, to, k, tlm] = key;
    out << "  m" << from << "_" << i << (tlm ? ":e" : "") << " -> m" << to << "_" << k << (tlm ? ":w" : "")
        << " [";
    if (count > 1) out << "label=\"" << count << "\", ";
    out << (tlm ? "" : "style=dashed, penwidth=0.4, color=\"#94a3b8\"") << "];\n";
  }
  out << "}\n";
  return out.str();
}

int run_dot(const std::string& input, const std::string& output) {
  std::string program = "dot", format = "-Tsvg", to = "-o" + output, from = input;
  char* arguments[] = {program.data(), format.data(), to.data(), from.data(), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, "dot", nullptr, nullptr, arguments, environ);
  if (failed == ENOENT) return 127;
  if (failed != 0) throw ConfigError("cannot start 'dot': " + std::string(std::strerror(failed)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// A hidden folder beside `path`, removed with its contents: the drawing appears complete or not at all.
std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::string to_dot(const ResolvedNetlist& netlist, const DrawingOptions& options) {
  return options.expand ? expanded(netlist) : collapsed(netlist);
}

std::string to_table(const ResolvedNetlist& netlist) {
  std::ostringstream out;
  out << "platform: " << netlist.title << "\nclocks:";
  for (const ResolvedClock& clock : netlist.clocks)
    out << (&clock == &netlist.clocks.front() ? " " : ", ") << clock.name << " " << to_text(clock.frequency);
  out << "\naddress map:";
  AddressMapParams map = netlist.address_map;
  for (const ParamRow& row : list_params(map))
    if (!row.value.empty()) out << " " << row.name << "=" << row.value;
  out << "\n\n";
  std::size_t widest = 0, widest_kind = 0, modules = 0;
  for (const ResolvedGroup& group : netlist.groups) {
    widest = std::max(widest, group.name.size());
    widest_kind = std::max(widest_kind, group.kind->name.size());
    modules += group.members.size();
  }
  for (const ResolvedGroup& group : netlist.groups) {
    const std::string kind(group.kind->name), count = std::to_string(group.count());
    out << "  " << group.name << std::string(widest - group.name.size() + 2, ' ')
        << std::string(count.size() < 5 ? 5 - count.size() : 0, ' ') << count << " x " << kind
        << std::string(widest_kind - kind.size() + 2, ' ') << group.clock
        << (timing_mark(group).empty() ? "" : "  " + timing_mark(group));
    for (const ParamRow& row : list_params(*group.base.params))
      if (std::find(group.written.begin(), group.written.end(), row.name) != group.written.end())
        out << "  " << row.name << "=" << row.value;
    out << "\n";
  }
  out << "\n";
  std::vector<int> counts(netlist.bindings.size());
  for (const ResolvedConnection& connection : netlist.connections)
    ++counts[static_cast<std::size_t>(connection.binding)];
  for (std::size_t b = 0; b < netlist.bindings.size(); ++b) {
    const std::string count = std::to_string(counts[b]);
    out << "  " << std::string(count.size() < 5 ? 5 - count.size() : 0, ' ') << count << " x  "
        << netlist.bindings[b] << "\n";
  }
  out << "\n" << modules << " modules, " << netlist.connections.size() << " connections\n";
  return out.str();
}

void write_svg(const ResolvedNetlist& netlist, const std::string& path, const DrawingOptions& options) {
  check_writable(path);
  const Draft scratch = Draft::scratch("strata-drawing");
  const std::string dot = scratch.path() + "/drawing.dot", svg = scratch.path() + "/drawing.svg";
  std::ofstream file(dot);
  file << to_dot(netlist, options);
  file.close();
  if (!file) throw ConfigError("cannot write '" + path + "': " + std::strerror(errno));
  const int status = run_dot(dot, svg);
  if (status == 127)
    throw ConfigError(
        "drawing needs the program 'dot' of Graphviz, which is not installed: apt install graphviz");
  if (status != 0)
    throw ConfigError("'dot' failed with status " + std::to_string(status) + " on '" + path + "'");
  const std::string drawn = read_all(svg);
  // dot does not report a full disk
  if (drawn.find("</svg>") == std::string::npos)
    throw ConfigError("cannot write '" + path + "': is the disk full?");
  write_file(path, drawn);
}

bool is_control(const ResolvedNetlist& netlist, int group) {
  return std::none_of(
      netlist.connections.begin(), netlist.connections.end(),
      [&](const ResolvedConnection& c) { return c.tlm && (c.from.group == group || c.to.group == group); });
}

std::vector<int> group_stages(const ResolvedNetlist& netlist) {
  std::vector<int> stage(netlist.groups.size(), 0);
  std::set<std::pair<int, int>> edges;
  for (const ResolvedConnection& c : netlist.connections)
    if (c.tlm && c.from.group != c.to.group) edges.emplace(c.from.group, c.to.group);
  for (std::size_t round = 0; round < netlist.groups.size();
       ++round)  // a cycle of groups ends after that many rounds
    for (const auto& [from, to] : edges)
      stage[static_cast<std::size_t>(to)] =
          std::max(stage[static_cast<std::size_t>(to)], stage[static_cast<std::size_t>(from)] + 1);
  for (const ResolvedConnection& c : netlist.connections)  // place a controller below its last caller
    if (!c.tlm && is_control(netlist, c.to.group))
      stage[static_cast<std::size_t>(c.to.group)] = std::max(stage[static_cast<std::size_t>(c.to.group)],
                                                             stage[static_cast<std::size_t>(c.from.group)]);
  return stage;
}

}  // namespace strata::platforms
