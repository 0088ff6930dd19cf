// Rules that involve several blocks of a platform, which no single block can check: the two ends of a binding
// and their clocks, line sizes on the path from the SMs to DRAM, and the number of nodes that share the
// lines.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "models/common/units.h"
#include "models/dram_channel/timing_set.h"
#include "models/llc_control/organization_kind.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/engine/netlist/resolver.h"

namespace strata::platforms {

const NetlistSection* Resolver::section_of(const std::string& instance) const {
  for (const NetlistSection& section : netlist_.instances())
    if (section.name == instance) return &section;
  return nullptr;
}

void Resolver::check_platform() {
  const auto has_core = std::any_of(out_.clocks.begin(), out_.clocks.end(),
                                    [](const ResolvedClock& clock) { return clock.name == "core"; });
  if (!has_core)
    fault(netlist_.clocks().where, "clocks: 'core' is missing; latencies are counted in its cycles");
  check_links();
  check_dsmem();
  check_clocks();
  check_data();
  if (!map_is_sound_) return;
  const AddressMapParams& map = out_.address_map;
  int controllers = 1;
  for (const ResolvedGroup& group : out_.groups)
    if (group.kind->role == Role::memory)
      controllers = static_cast<int>(
          ParamValues(*group.members.front().params).number("controllers_per_channel", controllers));
  check_total(
      Role::memory, map.channels * controllers,
      controllers == 1 ? "address_map.channels" : "address_map.channels * mc.controllers_per_channel");
  check_total(Role::llc, map.channels * map.slices_per_channel,
              "address_map.channels * address_map.slices_per_channel");
  check_lines();
  check_homes();
  check_llc_control();
  check_flushes();
}

// Bytes must not get lost: every block that makes or stores them needs a path that carries them.
void Resolver::check_data() {
  if (!out_.run.carries_data) return;
  for (const ResolvedGroup& group : out_.groups) {
    const Role role = group.kind->role;
    const bool has_bytes = role == Role::sm || role == Role::generator || role == Role::l1 ||
                           role == Role::llc || role == Role::memory || role == Role::channel;
    if (has_bytes && !group.kind->carries_data)
      fault(group.where,
            group.name + ": module " + std::string(group.kind->name) +
                " moves no bytes, as run.data: carried asks for; allowed with it: run.data: none");
  }
}

// The position that sets a parameter of a group, or else of the group.
SourcePosition Resolver::place_of(const ResolvedGroup& group, std::string_view key) const {
  const NetlistSection* section = section_of(group.name);
  const NetlistEntry* entry = section != nullptr ? section->find(std::string(key)) : nullptr;
  return entry != nullptr ? entry->where : group.where;
}

// What the LLC organization requires of the machine around it.
void Resolver::check_llc_control() {
  const ResolvedGroup* control = nullptr;
  int clusters = 0;
  for (const ResolvedGroup& group : out_.groups) {
    if (doubtful(group.name)) return;
    if (group.kind->role == Role::control) control = &group;
    if (group.kind->role == Role::sm) clusters += group.count();
  }
  if (control == nullptr || control->members.empty()) return;
  const auto* params = dynamic_cast<const LlcControlParams*>(control->members.front().params.get());
  if (params == nullptr) return;
  const auto blame = [&](std::string_view key, const std::string& message) {
    fault(place_of(*control, key), control->name + "." + std::string(key) + " " + message);
  };
  const AddressMapParams& map = out_.address_map;
  if (params->slices != map.channels * map.slices_per_channel)
    blame("slices", "is " + std::to_string(params->slices) + ", but the address map has " +
                        std::to_string(map.channels * map.slices_per_channel));
  const bool counts_clusters = params->changes_mode() || params->replicates() || params->sharing_window != 0;
  if (clusters != 0 && counts_clusters && params->clusters != clusters)
    blame("clusters", "is " + std::to_string(params->clusters) + ", but there are " +
                          std::to_string(clusters) + " SM clusters");
  for (const Fault& one : params->kind().faults_with_slices(*params, map.slices_per_channel))
    blame(one.where.file, one.message);
  check_listed_organizations(*control, *params);
  check_prefetchers(*params);
  if (!params->changes_mode()) return;
  check_gates(*control);
}

// A change of the organization counts on nothing being under way when the SMs have drained, and replicas on
// only those reads that were found to be read-only.
void Resolver::check_prefetchers(const LlcControlParams& control) {
  if (!control.changes_mode() && !control.replicates()) return;
  for (const ResolvedGroup& group : out_.groups) {
    if (group.kind->role != Role::llc && (group.kind->role != Role::l1 || !control.changes_mode())) continue;
    for (const ResolvedMember& member : group.members) {
      const std::string prefetcher = ParamValues(*member.params).text("prefetcher");
      if (prefetcher.empty() || prefetcher == "none") continue;
      fault(place_of(group, "prefetcher"),
            group.name + ".prefetcher is " + prefetcher + ", but the organization of the LLC " +
                (control.changes_mode() ? "changes while kernels run" : "keeps replicas of lines") +
                "; allowed: none");
      break;
    }
  }
}

// A router that is always bypassed connects every cluster to its own slice.
void Resolver::check_listed_organizations(const ResolvedGroup& control, const LlcControlParams& params) {
  const auto listed = params.listed();
  if (std::all_of(listed.begin(), listed.end(),
                  [](const OrganizationKind* kind) { return kind->always_private; }))
    return;
  for (const ResolvedGroup& group : out_.groups) {
    if (group.kind->role == Role::router && ParamValues(*group.base.params).number("bypass", 0) != 0)
      return fault(place_of(control, "organizations"),
                   control.name + ".organizations is " + params.organizations + ", but the routers of '" +
                       group.name +
                       "' are bypassed (bypass: true), which only private organizations can use");
  }
}

// Bypass connects input i to output i.
void Resolver::check_gates(const ResolvedGroup& control) {
  for (const ResolvedConnection& connection : out_.connections) {
    if (&out_.groups[static_cast<std::size_t>(connection.from.group)] != &control) continue;
    if (out_.groups[static_cast<std::size_t>(connection.to.group)].kind->role != Role::router) continue;
    int inputs = 0, outputs = 0;
    for (const PortSpec& port : *out_.member(connection.to).ports)
      if (port.protocol == "tlm") (port.role == PortRole::target ? inputs : outputs) += port.count;
    if (inputs == outputs) continue;
    const std::string message = out_.text(connection.to) + " has " + std::to_string(inputs) + " inputs and " +
                                std::to_string(outputs) +
                                " outputs; a router that is bypassed connects input i to output i, so there "
                                "must be as many clusters as "
                                "slices per memory controller";
    const NetlistSection* written =
        section_of(out_.groups[static_cast<std::size_t>(connection.to.group)].name);
    fault(netlist_.bindings()[static_cast<std::size_t>(connection.binding)].where,
          message + (written != nullptr ? origins(*written, message) : ""));
    return;
  }
}

// The number of blocks must match what the address map can name.
void Resolver::check_total(Role role, int expected, const std::string& formula) {
  int total = 0;
  const ResolvedGroup* last = nullptr;
  for (const ResolvedGroup& group : out_.groups) {
    if (group.kind->role != role) continue;
    if (doubtful(group.name)) return;
    total += group.count();
    last = &group;
  }
  if (last == nullptr || total == expected) return;
  fault(last->where, "count mismatch: there are " + std::to_string(total) + " " +
                         std::string(last->kind->name) + " instances, but " + formula + " = " +
                         std::to_string(expected));
}

// Requests to shared memory have no address that maps to a slice.
void Resolver::check_dsmem() {
  for (const ResolvedConnection& connection : out_.connections) {
    const ResolvedGroup& to = out_.groups[static_cast<std::size_t>(connection.to.group)];
    if (!connection.tlm || out_.port(connection.from).name != "dsmem_out" || to.kind->role != Role::router ||
        doubtful(to.name))
      continue;
    const std::string route = ParamValues(*out_.member(connection.to).params).text("route");
    if (route == "sm") continue;
    return fault(place_of(to, "route"), to.name + ".route is " + route + ", but " +
                                            out_.text(connection.from) +
                                            " sends it requests to shared memory of other SMs; allowed: sm");
  }
}

// Blocks that keep lines must flush them at kernel ends.
void Resolver::check_flushes() {
  std::string dispatcher;
  for (const ResolvedGroup& group : out_.groups)
    if (group.kind->role == Role::dispatcher && ParamValues(*group.base.params).number("flush_l1", 0) != 0)
      dispatcher = group.name;
  for (const ResolvedGroup& group : out_.groups) {
    const auto& ports = *group.base.ports;
    if (dispatcher.empty() || group.kind->role != Role::l1 || doubtful(group.name) ||
        std::any_of(ports.begin(), ports.end(),
                    [](const PortSpec& p) { return p.protocol == "LineFlushIf"; }))
      continue;
    fault(group.where, group.name + " (" + std::string(group.kind->name) +
                           ") has no control input 'LineFlushIf', through which an L1 drops its "
                           "lines at the end of kernels; allowed: a module that has one, or " +
                           dispatcher + ".flush_l1 = false");
  }
}

namespace {

/// A parameter that must have one value along a link, if both ends have it.
struct Agreement {
  std::string_view key;
  std::string_view why;
};

// The length of a packet in flits follows from the first two; no block re-segments packets.
constexpr Agreement agreements[] = {
    {"channel_bytes", "the flits of a link are equally wide at both ends"},
    {"header_bytes", "a packet keeps its length along its path"},
    {"timing_set", "a controller plans its commands with the timing that its channel demands"},
};

/// Limit for the slowest clock: an access may take thousands of its cycles, and ledgers count core cycles in
/// 32 bits.
constexpr std::uint64_t most_core_cycles = 200'000;

std::string value_of(const std::vector<ParamRow>& rows, std::string_view key) {
  const auto row = std::find_if(rows.begin(), rows.end(), [key](const ParamRow& r) { return r.name == key; });
  return row == rows.end() ? std::string() : row->value + (row->unit == "bytes" ? " bytes" : "");
}

}  // namespace

Hertz Resolver::frequency_of(std::string_view name) const {
  for (const ResolvedClock& clock : out_.clocks)
    if (clock.name == name) return clock.frequency;
  return {};
}

// Check every binding once per rule; members that share their parameters share the result.
void Resolver::check_links() {
  std::set<std::pair<const ParamSet*, const ParamSet*>> seen;  // only looked up, never iterated
  std::set<std::pair<int, std::string_view>> blamed;
  for (const ResolvedConnection& connection : out_.connections) {
    ParamSet* const from = out_.member(connection.from).params.get();
    ParamSet* const to = out_.member(connection.to).params.get();
    const auto doubtful_end = [&](const ResolvedEnd& end) {
      return doubtful(out_.groups[static_cast<std::size_t>(end.group)].name);
    };
    if (!connection.tlm || !seen.insert({from, to}).second) continue;
    if (doubtful_end(connection.from) || doubtful_end(connection.to)) continue;
    const auto blame = [&](std::string_view key, const std::string& ours, const std::string& theirs,
                           std::string_view why) {
      if (!blamed.insert({connection.binding, key}).second) return;
      fault(netlist_.bindings()[static_cast<std::size_t>(connection.binding)].where,
            out_.text(connection.from) + " -> " + out_.text(connection.to) + ": the two ends differ in " +
                std::string(key) + ": '" + ours + "' and '" + theirs + "'; allowed: equal ones (" +
                std::string(why) + ")");
    };
    const std::vector<ParamRow> ours = list_params(*from), theirs = list_params(*to);
    for (const Agreement& rule : agreements) {
      const std::string one = value_of(ours, rule.key), other = value_of(theirs, rule.key);
      if (!one.empty() && !other.empty() && one != other) blame(rule.key, one, other, rule.why);
    }
    if (dynamic_cast<const UsesTimingSet*>(from) == nullptr ||
        dynamic_cast<const UsesTimingSet*>(to) == nullptr)
      continue;
    const ResolvedGroup& one = out_.groups[static_cast<std::size_t>(connection.from.group)];
    const ResolvedGroup& other = out_.groups[static_cast<std::size_t>(connection.to.group)];
    if (frequency_of(one.clock).count != frequency_of(other.clock).count)
      blame("clock", one.clock + ", " + to_text(frequency_of(one.clock)),
            other.clock + ", " + to_text(frequency_of(other.clock)),
            "commands are planned in cycles of the channel");
  }
}

// Check blocks whose clock is fixed: by a timing set, or by the core clock, in which results are counted.
void Resolver::check_clocks() {
  const Hertz core = frequency_of("core");
  std::set<std::string> slow;
  for (const ResolvedGroup& group : out_.groups) {
    const std::uint64_t hertz = frequency_of(group.clock).count;
    if (hertz != 0 && core.count / hertz > most_core_cycles && slow.insert(group.clock).second)
      fault(place_of(group, "clock"),
            group.name + " runs at " + to_text(Hertz{hertz}) + " (clock '" + group.clock +
                "'): a cycle of it is " + std::to_string(core.count / hertz) +
                " of the clock 'core'; allowed: at most " + std::to_string(most_core_cycles) +
                ", so that latencies in core cycles fit 32 bits");
    const std::string runs = group.name + " runs at " + to_text(frequency_of(group.clock)) + " (clock '" +
                             group.clock + "'), but ";
    if (group.kind->untimed && frequency_of(group.clock).count != frequency_of(group.kind->clock).count)
      fault(place_of(group, "clock"),
            runs + "a " + std::string(group.kind->name) + " counts in cycles of the clock '" +
                std::string(group.kind->clock) + "'; allowed: " + std::string(group.kind->clock));
    for (const ResolvedMember& member : group.members) {
      const auto* planner = dynamic_cast<const UsesTimingSet*>(member.params.get());
      if (planner == nullptr || doubtful(group.name) ||
          ParamValues(*member.params).number("rescale_timing", 1) != 0)
        continue;
      const Hertz own = planner->timing.clock;
      if (own.count == frequency_of(group.clock).count) continue;
      fault(place_of(group, "timing_set"),
            runs + "timing set '" + planner->timing_set + "' is written for " + to_text(own) +
                "; allowed: clocks." + group.clock + " = " + to_text(own) + ", or " + group.name +
                ".rescale_timing = true, which counts the set's cycles at this clock all the same");
      break;
    }
  }
}

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

namespace {

using MemberAt = std::pair<int, int>;  // group, index

const ResolvedGroup& group_at(const ResolvedNetlist& netlist, int group) {
  return netlist.groups[static_cast<std::size_t>(group)];
}

int homes_of(const ResolvedMember& member) {
  return static_cast<int>(ParamValues(*member.params).number("homes", 1));
}

// L1s that can be reached from a router, or another block that passes requests on, through such blocks alone.
std::set<MemberAt> l1s_behind(const ResolvedNetlist& netlist, MemberAt first) {
  std::set<MemberAt> seen = {first}, found;
  for (std::set<MemberAt> ways = seen; !ways.empty();) {
    std::set<MemberAt> next;
    for (const ResolvedConnection& connection : netlist.connections) {
      const MemberAt to = {connection.to.group, connection.to.index};
      if (!connection.tlm || ways.count({connection.from.group, connection.from.index}) == 0) continue;
      const Role role = group_at(netlist, to.first).kind->role;
      if (role == Role::l1) found.insert(to);
      if (passes(role) && seen.insert(to).second) next.insert(to);
    }
    ways = std::move(next);
  }
  return found;
}

// Groups with L1s that index by their own lines.
std::set<int> groups_with_homes(const ResolvedNetlist& netlist) {
  std::set<int> found;
  for (std::size_t g = 0; g < netlist.groups.size(); ++g) {
    if (netlist.groups[g].kind->role != Role::l1) continue;
    const ParamSet* last = nullptr;
    for (const ResolvedMember& member : netlist.groups[g].members) {
      if (member.params.get() != last && homes_of(member) != 1) found.insert(static_cast<int>(g));
      last = member.params.get();
    }
  }
  return found;
}

}  // namespace

// The entry path of a core determines the nodes that share its lines. One home (the line's own number) is
// valid with any.
void Resolver::check_homes() {
  std::set<int> groups = groups_with_homes(out_);
  std::set<MemberAt> ways_in;
  for (const ResolvedConnection& connection : out_.connections) {
    if (groups.empty()) return;
    const Role from = group_at(out_, connection.from.group).kind->role;
    const MemberAt way = {connection.to.group, connection.to.index};
    if (!connection.tlm || (from != Role::sm && from != Role::generator) || !ways_in.insert(way).second)
      continue;
    const bool network = passes(group_at(out_, way.first).kind->role);
    const std::set<MemberAt> nodes = network ? l1s_behind(out_, way) : std::set<MemberAt>{way};
    const int count = static_cast<int>(nodes.size());
    for (const auto& [g, index] : nodes) {
      const ResolvedGroup& group = group_at(out_, g);
      if (groups.count(g) == 0 || doubtful(group.name)) continue;
      const int homes = homes_of(group.members[static_cast<std::size_t>(index)]);
      if (homes == 1 || homes == count) continue;
      groups.erase(g);  // one fault for all
      fault(place_of(group, "homes"), group.name + ".homes is " + std::to_string(homes) +
                                          ", but lines of a core are shared out among " +
                                          std::to_string(count) +
                                          (count == 1 ? " node; allowed: 1" : " nodes; allowed: 1 or ") +
                                          (count == 1 ? "" : std::to_string(count)));
    }
  }
}

}  // namespace strata::platforms
