// Rules that involve several blocks of a platform: no single block can check them.
#include <algorithm>

#include "models/llc_control/organization_kind.h"
#include "platforms/engine/netlist/param_values.h"
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

}  // namespace strata::platforms
