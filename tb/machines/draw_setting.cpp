#include <algorithm>
#include <cstdio>

#include "platforms/engine/netlist/module_table.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/engine/netlist/param_table.h"
#include "tb/machines/draw.h"

namespace strata::tb {

namespace {

/// Memory that a block keeps books on: what is larger is out of a test's reach, not out of the program's.
constexpr std::int64_t largest_bytes = 4 << 20;

std::int64_t down_to_power(std::int64_t value) {
  std::int64_t power = 1;
  while (power <= value / 2) power *= 2;
  return power;
}

class Drawer final : public ParamVisitor {
 public:
  explicit Drawer(Random& random) : dice_(random) {}
  std::vector<DrawnValue> values;

  void integer(const ParamInfo& info, int& field, Range range) override {
    add(info, std::to_string(whole(field, range)));
  }
  void bytes(const ParamInfo& info, Bytes& field, Range range) override {
    range.max = std::max(range.min, std::min(range.max, largest_bytes));
    std::int64_t value = whole(static_cast<std::int64_t>(field.count), range);
    const std::int64_t grain = value >= 4096 ? 1024 : 128;  // sizes are whole numbers of lines, mostly
    if (!range.power_of_two && value > grain && dice_.chance(0.9))
      value = std::max(range.min, value / grain * grain);
    add(info, std::to_string(value));
  }
  void real(const ParamInfo& info, double& field, double min, double max) override {
    double value = min + dice_.unit() * (max - min);
    const double kind = dice_.unit();
    if (kind < 0.4) value = field * (0.25 + 3 * dice_.unit());
    if (kind > 0.8) value = dice_.chance(0.5) ? min : max;
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", std::clamp(value, min, max));
    add(info, text);
  }
  void flag(const ParamInfo& info, bool& field) override {
    add(info, dice_.chance(0.8) == field ? "false" : "true");
  }
  void text(const ParamInfo& info, std::string&) override { add(info, ""); }
  void choice_index(const ParamInfo& info, int&, const std::vector<std::string>& names) override {
    add(info, dice_.one_of(names));
  }

 private:
  std::int64_t whole(std::int64_t present, const Range& range) {
    if (range.or_zero && dice_.chance(0.2)) return 0;
    std::int64_t value = dice_.log_between(range.min, range.max);
    const double kind = dice_.unit();
    if (kind < 0.35)
      value = dice_.log_between(present / 4, present * 4);
    else if (kind < 0.7)
      value = dice_.between(range.min, range.min + 8);
    else if (kind < 0.8)
      value = dice_.chance(0.5) ? range.min : range.max;
    value = std::clamp(value, range.min, range.max);
    return range.power_of_two ? std::max(range.min, down_to_power(value)) : value;
  }
  void add(const ParamInfo& info, std::string text) {
    values.push_back({std::string(info.name), std::string(info.unit), std::move(text)});
  }

  Random& dice_;
};

}  // namespace

std::vector<DrawnValue> draw_values(ParamSet& params, Random& random) {
  Drawer drawer(random);
  params.for_each_param(drawer);
  return std::move(drawer.values);
}

namespace {

using platforms::ResolvedGroup;
using platforms::ResolvedNetlist;

std::string set_of(const std::string& key, const std::string& value) {
  return key + "=" + value;
}

/// Sockets that the module has with this value, all others being the defaults.
std::vector<int> socket_counts(const ResolvedGroup& group, const DrawnValue* value) {
  const auto params = group.kind->new_params();
  if (value != nullptr) {
    platforms::NetlistSection section;
    section.entries.push_back({value->name, value->text, {}, {}, false});
    Faults ignored;
    platforms::read_params(
        *params, section, {}, [](const auto&, auto&) { return std::nullopt; }, ignored);
  }
  std::vector<int> counts;
  for (const PortSpec& port : group.kind->ports(*params)) counts.push_back(port.count);
  return counts;
}

/// Bindings must follow a change of sockets, which draw_shape() sees to and a single value cannot.
bool changes_sockets(const ResolvedGroup& group, const DrawnValue& value) {
  return socket_counts(group, nullptr) != socket_counts(group, &value);
}

/// The cycles of a timing set are those of its own clock, unless the controllers are set to count in
/// another.
Part at_another_clock(const ResolvedNetlist& netlist, Part part) {
  const Part rescaled = set_everywhere(netlist, "rescale_timing", "true");
  part.insert(part.end(), rescaled.begin(), rescaled.end());
  return part;
}

std::string members(const ResolvedGroup& group, Random& random) {
  if (group.count() < 2 || random.chance(0.8)) return group.name;
  const std::int64_t first = random.between(0, group.count() - 1);
  const std::int64_t last = random.between(first, group.count() - 1);
  if (first == last) return group.name + "[" + std::to_string(first) + "]";
  return group.name + "[" + std::to_string(first) + ".." + std::to_string(last) + "]";
}

/// Two or three of the organizations that the control knows.
std::string organizations(const ResolvedGroup& group, Random& random) {
  std::string text;
  for (const platforms::ParamRow& row : platforms::list_params(*group.base.params)) {
    if (row.name != "organization") continue;
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin < row.allowed.size();) {
      const std::size_t end = std::min(row.allowed.find(", ", begin), row.allowed.size());
      names.push_back(row.allowed.substr(begin, end - begin));
      begin = end + 2;
    }
    for (std::uint64_t n = 2 + random.below(2); n > 0; --n)
      text += (text.empty() ? "" : ":") + random.one_of(names);
  }
  return text;
}

/// Lines of SMs and their L1s, in front of slices with other ones.
Part above_llc(const ResolvedNetlist& netlist, const DrawnValue& line) {
  Part part;
  for (const ResolvedGroup& group : netlist.groups)
    if (group.kind->role == Role::sm || group.kind->role == Role::l1)
      part.insert(part.end(), {"--set", set_of(group.name + "." + line.name, line.text)});
  return part;
}

Part everywhere(const ResolvedNetlist& netlist, const DrawnValue& line) {
  Part part = set_everywhere(netlist, line.name, line.text);
  part.insert(part.end(), {"--set", set_of("address_map.line", line.text)});
  return part;
}

Part parameter(const ResolvedNetlist& netlist, const Catalog& catalog, Random& random) {
  const ResolvedGroup& group = random.one_of(netlist.groups);
  DrawnValue value = random.one_of(draw_values(*group.base.params, random));
  if (value.name == "timing_set")
    return at_another_clock(netlist, set_everywhere(netlist, value.name, random.one_of(catalog.timing_sets)));
  if (value.name == "organizations") value.text = organizations(group, random);
  if (value.name == "accesses" || value.text.empty()) return {};  // the amount of work: draw_programs()
  if (value.name == "line") {
    return random.chance(0.5) ? above_llc(netlist, value) : everywhere(netlist, value);
  }
  if (changes_sockets(group, value) && !random.chance(0.1)) return {};
  if (random.chance(0.2)) return set_everywhere(netlist, value.name, value.text);  // both ends of a link
  return {"--set", set_of(members(group, random) + "." + value.name, value.text)};
}

/// Another organization of the L1s, and some of what only that has.
Part l1_module(const ResolvedNetlist& netlist, Random& random) {
  std::vector<const ModuleKind*> kinds;
  for (const ModuleKind* kind : platforms::built_in_modules())
    if (kind->role == Role::l1) kinds.push_back(kind);
  const ModuleKind& drawn = *random.one_of(kinds);
  Part part;
  for (const ResolvedGroup& group : netlist.groups) {
    if (group.kind->role != Role::l1) continue;
    part.insert(part.end(), {"--set", set_of(group.name + ".module", std::string(drawn.name))});
    const auto known = platforms::list_params(*group.base.params);
    for (const DrawnValue& value : draw_values(*drawn.new_params(), random)) {
      const bool old = std::any_of(known.begin(), known.end(),
                                   [&](const platforms::ParamRow& row) { return row.name == value.name; });
      if (!old && random.chance(0.5))
        part.insert(part.end(), {"--set", set_of(group.name + "." + value.name, value.text)});
    }
  }
  return part;
}

std::string frequency(Random& random) {
  if (random.chance(0.05)) return std::to_string(random.log_between(1'000, 100'000'000'000)) + "Hz";
  static constexpr int parts[] = {1, 2, 3, 4, 8};
  if (random.chance(0.5))
    return std::to_string(8400 / parts[random.below(5)] / parts[random.below(5)]) + "MHz";
  return std::to_string(random.log_between(100, 4000)) + "MHz";
}

Part clock(const ResolvedNetlist& netlist, Random& random) {
  const std::string& present = random.one_of(netlist.clocks).name;
  if (random.chance(0.5))
    return at_another_clock(netlist, {"--set", set_of("clocks." + present, frequency(random))});
  const std::string& group = random.one_of(netlist.groups).name;
  if (random.chance(0.5)) return {"--set", set_of(group + ".clock", present)};
  return {"--set", set_of("clocks.other", frequency(random)), "--set", set_of(group + ".clock", "other")};
}

Part address_map(const ResolvedNetlist& netlist, Random& random) {
  AddressMapParams map = netlist.address_map;
  const DrawnValue value = random.one_of(draw_values(map, random));
  const bool counts = value.unit == "channels" || value.unit == "slices";
  if (value.text.empty() || value.name == "line" || (counts && !random.chance(0.1))) return {};
  return {"--set", set_of("address_map." + value.name, value.text)};
}

}  // namespace

const ResolvedGroup* group_of_kind(const ResolvedNetlist& netlist, std::string_view kind) {
  const auto found = std::find_if(netlist.groups.begin(), netlist.groups.end(),
                                  [&](const ResolvedGroup& group) { return group.kind->name == kind; });
  return found == netlist.groups.end() ? nullptr : &*found;
}

std::vector<std::string> settings_of(const std::vector<Part>& parts) {
  std::vector<std::string> settings;
  for (const Part& part : parts)
    for (std::size_t i = 0; i + 1 < part.size(); ++i)
      if (part[i] == "--set") settings.push_back(part[i + 1]);
  return settings;
}

Part set_everywhere(const ResolvedNetlist& netlist, const std::string& key, const std::string& value) {
  Part part;
  for (const ResolvedGroup& group : netlist.groups)
    for (const platforms::ParamRow& row : platforms::list_params(*group.base.params))
      if (row.name == key) part.insert(part.end(), {"--set", set_of(group.name + "." + key, value)});
  return part;
}

Part draw_setting(const ResolvedNetlist& netlist, const Catalog& catalog, Random& random) {
  const double what = random.unit();
  if (what < 0.08) return clock(netlist, random);
  if (what < 0.12) return address_map(netlist, random);
  if (what < 0.18)
    return {"--set", set_of(members(random.one_of(netlist.groups), random) + ".timing",
                            random.chance(0.7) ? "lt" : "at")};
  if (what < 0.24)
    if (Part part = l1_module(netlist, random); !part.empty()) return part;
  for (int tries = 0; tries < 20; ++tries)
    if (Part part = parameter(netlist, catalog, random); !part.empty()) return part;
  return {};
}

}  // namespace strata::tb
