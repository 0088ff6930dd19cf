// Check line sizes on the path from the SMs to DRAM.
#include "models/common/units.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/engine/netlist/resolver.h"

namespace strata::platforms {
namespace {

// The line that a member's loads refer to. Texture loads use the line of the data unless the member says
// otherwise.
struct Lines {
  std::string data, texture;  // empty if it has none
  std::string fine;           // chunks that 32 B sector masks cannot name
  bool parts = false;         // accesses name smaller sectors
};

Lines lines_of(const ResolvedMember& member) {
  Lines lines;
  bool textures = true;
  for (const ParamRow& row : list_params(*member.params)) {
    if (row.name == "line" && row.unit == "bytes") lines.data = row.value;
    if (row.name == "texture_line" && parse_bytes(row.value)->count != 0) lines.texture = row.value;
    if (row.name == "texture_sets") textures = row.value != "0";
    if (row.name == "chunk" && parse_bytes(row.value)->count < sector_bytes) lines.fine = row.value;
    if (row.name == "asks") lines.parts = row.value == "parts";
  }
  if (lines.texture.empty() || !textures) lines.texture = lines.data;
  return lines;
}

}  // namespace

// The first groups that do not pass requests on, as routers do, that are reached from a group.
std::vector<std::size_t> Resolver::levels_below(std::size_t group) const {
  std::vector<std::size_t> below, ways = {group};
  std::vector<bool> seen(out_.groups.size());
  for (std::size_t i = 0; i < ways.size(); ++i)
    for (const ResolvedConnection& connection : out_.connections) {
      const auto to = static_cast<std::size_t>(connection.to.group);
      if (!connection.tlm || static_cast<std::size_t>(connection.from.group) != ways[i] || seen[to]) continue;
      seen[to] = true;
      (passes(out_.groups[to].kind->role) ? ways : below).push_back(to);
    }
  return below;
}

// Requests are lines of the sender, and must lie within a line of the receiver. The sender to an L1 has the
// L1's line; an L1 requests lines of the address map or smaller ones; from the LLC to DRAM all use the line
// of the map.
void Resolver::check_lines() {
  const std::string map_line = to_text(out_.address_map.line);
  for (std::size_t g = 0; g < out_.groups.size(); ++g) {
    const ResolvedGroup& group = out_.groups[g];
    if (doubtful(group.name)) continue;
    const bool asks = group.kind->role == Role::sm || group.kind->role == Role::generator;
    std::vector<std::size_t> below;
    if (asks) below = levels_below(g);
    const ResolvedMember* last = nullptr;
    for (const ResolvedMember& member : group.members) {
      if (last != nullptr && member.params == last->params) continue;
      last = &member;
      const Lines lines = lines_of(member);
      const std::string& line = lines.data;
      if (line.empty() || group.kind->role == Role::l1) continue;
      bool asks_l1 = false;
      for (const std::size_t served : below) {
        if (out_.groups[served].kind->role != Role::l1) continue;
        asks_l1 = true;
        check_same_line(group, line, lines.texture, out_.groups[served]);
        if (group.kind->role == Role::sm && !lines.parts) check_sectors(group, out_.groups[served]);
      }
      if (asks_l1 || (asks ? parse_bytes(line)->count <= out_.address_map.line : line == map_line)) continue;
      fault(place_of(group, "line"), group.name + ".line is " + line + ", but address_map.line is " +
                                         map_line +
                                         (asks ? "; allowed: no more than that where no L1 is in between"
                                               : "; allowed: one line size from the LLC to DRAM"));
    }
  }
}

// Reject SMs that name 32 B sectors in front of an L1 with smaller chunks.
void Resolver::check_sectors(const ResolvedGroup& asks, const ResolvedGroup& l1) {
  if (doubtful(l1.name)) return;
  const ResolvedMember* last = nullptr;
  for (const ResolvedMember& member : l1.members) {
    if (last != nullptr && member.params == last->params) continue;
    last = &member;
    const std::string fine = lines_of(member).fine;
    if (fine.empty()) continue;
    return fault(place_of(l1, "chunk"), l1.name + ".chunk is " + fine + ", but " + asks.name +
                                            ".asks is sectors, of 32 B; allowed: 32 B or more, or " +
                                            asks.name + ".asks: parts");
  }
}

void Resolver::check_same_line(const ResolvedGroup& asks, const std::string& line,
                               const std::string& texture_line, const ResolvedGroup& l1) {
  if (doubtful(l1.name)) return;
  const ResolvedMember* last = nullptr;
  for (const ResolvedMember& member : l1.members) {
    if (last != nullptr && member.params == last->params) continue;
    last = &member;
    const Lines other = lines_of(member);
    if (other.data.empty()) continue;
    if (other.data != line)
      return fault(place_of(l1, "line"), l1.name + ".line is " + other.data + ", but " + asks.name +
                                             ".line is " + line +
                                             "; allowed: one line size in an L1 and in what it serves");
    if (other.texture == texture_line || asks.kind->role != Role::sm) continue;
    return fault(place_of(asks, "texture_line"),
                 "loads of the texture path are lines of " + texture_line + " for " + asks.name +
                     ", but of " + other.texture + " for " + l1.name + "; allowed: one texture_line in both");
  }
}

}  // namespace strata::platforms
