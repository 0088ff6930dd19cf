#include "platforms/netlist/resolver.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "platforms/netlist/connector.h"
#include "platforms/netlist/data_folders.h"
#include "platforms/netlist/param_table.h"
#include "platforms/timing_sets.h"

namespace strata::platforms {
namespace {

constexpr int largest_count =
    65536;  // far above any GPU; keeps a slip of the keyboard from filling the memory
constexpr std::uint64_t slowest_hertz = 1'000;
constexpr std::uint64_t fastest_hertz = 100'000'000'000;  // 10 ps: edges keep four digits of femtoseconds

const std::vector<std::string> instance_keys = {"module", "count", "clock", "timing"};
const std::vector<std::string> override_keys = {};

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// "(did you mean 'x'?)", or the whole list when nothing is near.
std::string hint_or_list(const std::string& word, const std::vector<std::string>& known) {
  const std::string hint = suggestion(word, known);
  if (!hint.empty()) return hint;
  return known.empty() ? "" : "; known: " + join(known);
}

}  // namespace

std::string ResolvedNetlist::text(const ResolvedEnd& end) const {
  return groups[static_cast<std::size_t>(end.group)].name + "[" + std::to_string(end.index) + "]." +
         port(end).name + "[" + std::to_string(end.socket) + "]";
}

void sort_faults(Faults& faults) {
  std::vector<std::string> files;
  const auto rank = [&](const std::string& file) {
    return std::find(files.begin(), files.end(), file) - files.begin();
  };
  std::set<std::string> seen;
  Faults kept;
  for (Fault& fault : faults) {
    if (!seen.insert(to_text(fault)).second) continue;
    if (static_cast<std::size_t>(rank(fault.where.file)) == files.size()) files.push_back(fault.where.file);
    kept.push_back(std::move(fault));
  }
  std::stable_sort(kept.begin(), kept.end(), [&](const Fault& a, const Fault& b) {
    const auto file_a = rank(a.where.file), file_b = rank(b.where.file);
    if (file_a != file_b) return file_a < file_b;
    if (a.where.line != b.where.line) return a.where.line < b.where.line;
    return a.where.column < b.where.column;
  });
  faults = std::move(kept);
}

ResolvedNetlist Resolver::run() {
  out_.title = netlist_.title();
  resolve_clocks();
  resolve_run();
  out_.groups.reserve(netlist_.instances().size());
  for (const NetlistSection& section : netlist_.instances()) resolve_group(section);
  if (netlist_.instances().empty()) fault({}, "the netlist has no instances");
  for (const NetlistSection& section : netlist_.overrides()) {
    const std::vector<std::string> names = instance_names();
    if (std::find(names.begin(), names.end(), section.name) == names.end())
      fault(section.where, "no instance '" + section.name + "'" + hint_or_list(section.name, names));
  }
  resolve_address_map();
  for (const NetlistEntry& binding : netlist_.bindings()) out_.bindings.push_back(binding.text);
  Connector connector(*this, out_);
  for (std::size_t i = 0; i < netlist_.bindings().size(); ++i)
    connector.connect(netlist_.bindings()[i], static_cast<int>(i));
  connector.check_all_bound();
  check_platform();
  return std::move(out_);
}

void Resolver::resolve_clocks() {
  for (const NetlistEntry& entry : netlist_.clocks().entries) {
    const auto frequency = parse_hertz(entry.text);
    if (!frequency || frequency->count < slowest_hertz || frequency->count > fastest_hertz) {
      fault(entry.where, "clocks." + entry.key + ": '" + entry.text + "' " +
                             (frequency ? "is out of range" : "is not a frequency") +
                             "; allowed: 1 kHz to 100 GHz, with a unit (Hz, kHz, MHz, GHz)");
    }
    out_.clocks.push_back({entry.key, frequency.value_or(Hertz{1'000'000'000})});
  }
}

void Resolver::resolve_run() {
  for (const NetlistEntry& entry : netlist_.run().entries) {
    const bool number = entry.key == "seed" || entry.key == "max_instructions";
    if (number) {
      const auto value = parse_integer(entry.text);
      if (!value || *value < 0)
        fault(entry.where,
              "run." + entry.key + ": '" + entry.text + "' is not a whole number; allowed: 0 or more");
      else
        (entry.key == "seed" ? out_.run.seed : out_.run.max_instructions) =
            static_cast<std::uint64_t>(*value);
    } else if (entry.key == "check_protocol") {
      if (entry.text != "true" && entry.text != "false")
        fault(entry.where, "run.check_protocol: '" + entry.text + "' is no switch; allowed: true or false");
      else
        out_.run.check_protocol = entry.text == "true";
    } else {
      fault(entry.key_where, "run." + entry.key + ": no such key" +
                                 hint_or_list(entry.key, {"seed", "max_instructions", "check_protocol"}));
    }
  }
}

void Resolver::resolve_address_map() {
  const NetlistSection& section = netlist_.address_map();
  const std::size_t before = faults_.size();
  const auto integers = [this](const std::string& text, std::string& problem) {
    return integer(text, problem);
  };
  read_params(out_.address_map, section, {}, integers, faults_);
  const NetlistEntry* matrix = section.find("matrix");
  if (matrix != nullptr && !matrix->text.empty() &&
      matrix->where.line > 0) {  // relative to the file that names it
    const auto folder = std::filesystem::path(matrix->where.file).parent_path();
    out_.address_map.matrix = (folder / matrix->text).lexically_normal().string();
  }
  if (faults_.size() != before) return;
  check_params(out_.address_map, "address_map", section, nullptr, faults_);
  if (faults_.size() != before) return;
  try {
    make_address_map(out_.address_map);
  } catch (const ConfigError& error) {
    for (const Fault& found : error.faults())
      fault(matrix != nullptr ? matrix->where : section.where, "address_map: " + to_text(found));
  }
  map_is_sound_ = faults_.size() == before;
}

std::vector<std::string> Resolver::instance_names() const {
  std::vector<std::string> names;
  for (const NetlistSection& section : netlist_.instances()) names.push_back(section.name);
  return names;
}

const ResolvedGroup* Resolver::find_group(const std::string& name) const {
  for (const ResolvedGroup& group : out_.groups)
    if (group.name == name) return &group;
  return nullptr;
}

bool Resolver::doubtful(const std::string& group) const {
  return std::find(doubtful_.begin(), doubtful_.end(), group) != doubtful_.end();
}

std::optional<std::int64_t> Resolver::integer(const std::string& text, std::string& problem) const {
  try {
    const Expression expression = Expression::read_all(text);
    std::vector<std::int64_t> values;
    for (const Expression::Name& name : expression.names()) {
      if (!name.is_reference()) {
        problem = "is neither a whole number nor an expression of numbers and INSTANCE.PARAMETER";
        return std::nullopt;
      }
      const auto value = reference(name.text, problem);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    const auto value = expression.evaluate(values);
    if (!value) problem = "divides by zero or overflows";
    return value;
  } catch (const SyntaxFault&) {
    problem = "is not a whole number";
    return std::nullopt;
  }
}

std::optional<std::int64_t> Resolver::reference(const std::string& name, std::string& problem) const {
  const std::size_t dot = name.find('.');
  const std::string instance = name.substr(0, dot), key = name.substr(dot + 1);
  const auto& sections = netlist_.instances();
  const auto section = std::find_if(sections.begin(), sections.end(),
                                    [&](const NetlistSection& s) { return s.name == instance; });
  problem = "refers to " + name + ", but ";
  if (section == sections.end()) {
    problem += "there is no instance '" + instance + "'" + hint_or_list(instance, instance_names());
    return std::nullopt;
  }
  if (std::find(open_references_.begin(), open_references_.end(), name) != open_references_.end()) {
    problem += "that refers back to itself";
    return std::nullopt;
  }
  for (const NetlistSection& other : netlist_.overrides()) {
    if (other.name != instance || other.find(key) == nullptr) continue;
    problem += "it differs between the instances of " + instance;
    return std::nullopt;
  }
  if (const NetlistEntry* entry = section->find(key)) {
    if (const auto value = parse_integer(entry->text)) return value;
    open_references_.push_back(name);
    std::string inner;
    const auto value = integer(entry->text, inner);
    open_references_.pop_back();
    if (!value) problem += "'" + entry->text + "' " + inner;
    return value;
  }
  if (key == "count") return 1;
  const NetlistEntry* module = section->find("module");
  const ModuleKind* kind = module != nullptr ? find_module(netlist_.modules(), module->text) : nullptr;
  std::vector<std::string> known = {"count"};
  if (kind != nullptr) {
    const auto params = kind->new_params();
    for (const ParamRow& row : list_params(*params)) {
      if (row.name == key) {
        if (const auto value = parse_integer(row.value)) return value;
        problem += "it is no whole number";
        return std::nullopt;
      }
      known.push_back(row.name);
    }
  }
  problem += instance + " has no parameter '" + key + "'" + hint_or_list(key, known);
  return std::nullopt;
}

std::string Resolver::clock_of(const NetlistSection& section, const ModuleKind& kind) {
  const NetlistEntry* entry = section.find("clock");
  const std::string name = entry != nullptr ? entry->text : std::string(kind.clock);
  std::vector<std::string> known;
  for (const ResolvedClock& clock : out_.clocks) {
    if (clock.name == name) return name;
    known.push_back(clock.name);
  }
  if (entry != nullptr)
    fault(entry->where, section.name + ".clock: no clock '" + name + "'" + hint_or_list(name, known));
  else
    fault(section.where,
          section.name + " runs on the clock '" + name + "', which 'clocks' does not define; add '" + name +
              ": FREQUENCY' there or give " + section.name + " another 'clock'" + hint_or_list(name, known));
  return name;
}

int Resolver::count_of(const NetlistSection& section) {
  const NetlistEntry* entry = section.find("count");
  if (entry == nullptr) return 1;
  std::string problem;
  auto value = parse_integer(entry->text);
  if (!value) value = integer(entry->text, problem);
  if (value && (*value < 1 || *value > largest_count)) {
    problem = "is out of range";
    if (!parse_integer(entry->text)) problem = "(" + std::to_string(*value) + ") " + problem;
    value.reset();
  }
  if (value) return static_cast<int>(*value);
  fault(entry->where, section.name + ".count: '" + entry->text + "' " + problem + "; allowed: 1 to " +
                          std::to_string(largest_count));
  doubtful_.push_back(section.name);
  return 1;
}

void Resolver::resolve_group(const NetlistSection& section) {
  const NetlistEntry* module = section.find("module");
  std::vector<std::string> known;
  for (const ModuleKind* row : netlist_.modules()) known.emplace_back(row->name);
  const ModuleKind* kind = module != nullptr ? find_module(netlist_.modules(), module->text) : nullptr;
  const int count = count_of(section);
  if (kind == nullptr) {
    if (module == nullptr)
      fault(section.where, section.name + " has no 'module'; known: " + join(known));
    else
      fault(module->where,
            section.name + ".module: no module '" + module->text + "'" + hint_or_list(module->text, known));
    return;
  }
  const NetlistEntry* timing = section.find("timing");
  if (timing != nullptr && timing->text != "at") {
    fault(timing->where,
          section.name + ".timing: '" + timing->text + "'" +
              (timing->text == "lt" ? " - " + std::string(kind->name) + " has no lt version" : "") +
              "; allowed: at");
  }
  ResolvedGroup group;
  group.name = section.name;
  group.where = section.where;
  group.kind = kind;
  group.clock = clock_of(section, *kind);
  for (const NetlistEntry& entry : section.entries)
    if (std::find(instance_keys.begin(), instance_keys.end(), entry.key) == instance_keys.end())
      group.written.push_back(entry.key);
  const auto integers = [this](const std::string& text, std::string& problem) {
    return integer(text, problem);
  };
  const std::size_t before = faults_.size();
  ResolvedMember member;
  member.params = kind->new_params();
  read_params(*member.params, section, instance_keys, integers, faults_);
  fill_member(section, nullptr, section.name, *kind, before, member);
  group.base = member;
  group.members.assign(static_cast<std::size_t>(count), member);
  resolve_overrides(section, group);
  out_.groups.push_back(std::move(group));
}

void Resolver::fill_member(const NetlistSection& section, const NetlistSection* base,
                           const std::string& prefix, const ModuleKind& kind, std::size_t faults_before,
                           ResolvedMember& member) {
  if (faults_.size() == faults_before) {
    const NetlistSection& owner = base != nullptr ? *base : section;
    const Faults unloaded = resolve_timing_set(*member.params, data_folders("timing_sets", owner.where.file));
    for (const Fault& found : unloaded) {
      const bool in_file = found.where.line > 0;
      const NetlistEntry* entry = section.find("timing_set");
      if (entry == nullptr) entry = owner.find("timing_set");
      fault(in_file            ? found.where
            : entry != nullptr ? entry->where
                               : owner.where,
            prefix + (in_file ? ": " : "." + found.where.file + ": ") + found.message);
    }
  }
  if (faults_.size() == faults_before) check_params(*member.params, prefix, section, base, faults_);
  if (faults_.size() == faults_before) {
    member.ports = std::make_shared<const std::vector<PortSpec>>(kind.ports(*member.params));
  } else {  // sockets of the defaults: enough to check their names
    doubtful_.push_back(base != nullptr ? base->name : section.name);
    const auto defaults = kind.new_params();
    member.ports = std::make_shared<const std::vector<PortSpec>>(kind.ports(*defaults));
  }
}

bool Resolver::index_of(const NetlistSection& section, const std::string& text, int count, int& index) {
  std::string problem;
  const auto value = integer(text, problem);
  if (value && *value >= 0 && *value < count) {
    index = static_cast<int>(*value);
    return true;
  }
  if (value)
    fault(section.where, section.name + "[" + text + "]: index out of range; " + section.name + " has " +
                             std::to_string(count) + (count == 1 ? " instance" : " instances") + " (0 to " +
                             std::to_string(count - 1) + ")");
  else
    fault(section.where, section.name + "[" + text + "]: '" + text + "' " + problem);
  return false;
}

void Resolver::resolve_overrides(const NetlistSection& section, ResolvedGroup& group) {
  std::map<int, std::vector<const NetlistSection*>> by_index;
  for (const NetlistSection& other : netlist_.overrides()) {
    int first = 0, last = 0;
    if (other.name != section.name || !index_of(other, other.first_index, group.count(), first) ||
        !index_of(other, other.last_index, group.count(), last))
      continue;
    if (first > last)
      fault(other.where,
            other.name + "[" + other.first_index + ".." + other.last_index + "]: an empty range");
    for (int i = first; i <= last; ++i) by_index[i].push_back(&other);
  }
  const auto integers = [this](const std::string& text, std::string& problem) {
    return integer(text, problem);
  };
  std::map<std::vector<const NetlistSection*>, ResolvedMember> made;  // looked up only, never walked
  for (const auto& [index, sections] : by_index) {
    const auto found = made.find(sections);
    if (found != made.end()) {
      group.members[static_cast<std::size_t>(index)] = found->second;
      continue;
    }
    const std::size_t before = faults_.size();
    Faults repeated;  // those of the base were reported with it
    ResolvedMember member;
    member.params = group.kind->new_params();
    read_params(*member.params, section, instance_keys, integers, repeated);
    NetlistSection merged;
    for (const NetlistSection* other : sections) {
      NetlistSection named = *other;
      named.name += "[" + other->first_index +
                    (other->first_index == other->last_index ? "" : ".." + other->last_index) + "]";
      read_params(*member.params, named, override_keys, integers, faults_);
      merged.where = other->where;
      for (const NetlistEntry& entry : other->entries) merged.set(entry);
    }
    const std::string prefix = group.name + "[" + std::to_string(index) + "]";
    if (repeated.empty() && !doubtful(group.name))
      fill_member(merged, &section, prefix, *group.kind, before, member);
    else
      member.ports = group.base.ports;
    group.members[static_cast<std::size_t>(index)] = member;
    made.emplace(sections, member);
  }
}

void Resolver::check_platform() {
  const auto has_core = std::any_of(out_.clocks.begin(), out_.clocks.end(),
                                    [](const ResolvedClock& clock) { return clock.name == "core"; });
  if (!has_core)
    fault(netlist_.clocks().where, "clocks: 'core' is missing; latencies are counted in its cycles");
  if (!map_is_sound_) return;
  // What the address map can name must be there, no more and no less.
  const auto check_total = [&](std::string_view kind, int expected, const std::string& formula) {
    int total = 0;
    const ResolvedGroup* last = nullptr;
    for (const ResolvedGroup& group : out_.groups) {
      if (group.kind->name != kind) continue;
      if (doubtful(group.name)) return;
      total += group.count();
      last = &group;
    }
    if (last == nullptr || total == expected) return;
    fault(last->where, "count mismatch: there are " + std::to_string(total) + " " + std::string(kind) +
                           " instances, but " + formula + " = " + std::to_string(expected));
  };
  const AddressMapParams& map = out_.address_map;
  check_total("memory_controller", map.channels, "address_map.channels");
  check_total("llc_slice", map.channels * map.slices_per_channel,
              "address_map.channels * address_map.slices_per_channel");
}

}  // namespace strata::platforms
