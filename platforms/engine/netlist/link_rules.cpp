// Rules that connect the two ends of a binding, and blocks with their clocks.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "models/dram_channel/timing_set.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/engine/netlist/param_values.h"
#include "platforms/engine/netlist/resolver.h"

namespace strata::platforms {
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

}  // namespace strata::platforms
