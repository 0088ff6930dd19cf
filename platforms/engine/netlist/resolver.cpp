#include "platforms/engine/netlist/resolver.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "platforms/engine/netlist/connector.h"
#include "platforms/engine/netlist/param_table.h"

namespace strata::platforms {
namespace {

constexpr std::uint64_t slowest_hertz = 1'000;
constexpr std::uint64_t fastest_hertz = 100'000'000'000;  // 10 ps: edges keep four digits of femtoseconds

/// Netlists align columns with blanks; reports and dumps collapse them.
std::string single_spaced(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  return out;
}

}  // namespace

std::string hint_or_list(const std::string& word, const std::vector<std::string>& known) {
  const std::string hint = suggestion(word, known);
  if (!hint.empty()) return hint;
  return known.empty() ? "" : "; known: " + comma_list(known);
}

std::string ResolvedNetlist::timing_note() const {
  const auto in_lt = [](const ResolvedMember& member) { return member.lt; };
  for (const ResolvedGroup& group : groups)
    if (std::any_of(group.members.begin(), group.members.end(), in_lt))
      return "strata: timing: lt runs the at blocks until the new lt design is in\n";
  return {};
}

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
  out_.plugins = netlist_.plugins();
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
  for (const NetlistEntry& binding : netlist_.bindings())
    out_.bindings.push_back(single_spaced(binding.text));
  const std::size_t faults_before = faults_.size();
  Connector connector(*this, out_);
  for (std::size_t i = 0; i < netlist_.bindings().size(); ++i)
    connector.connect(netlist_.bindings()[i], static_cast<int>(i));
  connector.check_all_bound();
  if (faults_.size() != faults_before) name_uneven_divisions();
  out_.implied = implied_connections(out_);
  check_platform();
  return std::move(out_);
}

// Sockets that do not fit mostly come from counts that do not divide: "7 clusters of 40 nodes".
void Resolver::name_uneven_divisions() {
  for (const NetlistSection& section : netlist_.instances())
    for (const NetlistEntry& entry : section.entries) {
      std::string problem;
      std::optional<Expression::Uneven> uneven;
      if (entry.text.find('/') == std::string::npos || !integer(entry.text, problem, &uneven) || !uneven)
        continue;
      fault(entry.where, section.name + "." + entry.key + ": '" + entry.text + "' is " +
                             std::to_string(uneven->dividend) + " / " + std::to_string(uneven->divisor) +
                             ", which leaves " + std::to_string(uneven->dividend % uneven->divisor) +
                             "; bindings that count on it do not fit");
    }
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
    } else if (entry.key == "timing") {
      if (entry.text != "at" && entry.text != "lt")
        fault(entry.where, "run.timing: '" + entry.text + "' is no timing; allowed: at or lt");
      out_.run.lt = entry.text == "lt";
    } else if (entry.key == "data") {
      if (entry.text != "none" && entry.text != "carried")
        fault(entry.where, "run.data: '" + entry.text + "' is unknown; allowed: none or carried");
      out_.run.carries_data = entry.text == "carried";
    } else if (entry.key == "fast_path") {
      if (entry.text != "on" && entry.text != "off")
        fault(entry.where, "run.fast_path: '" + entry.text + "' is no switch; allowed: on or off");
      out_.run.fast_path = entry.text != "off";
    } else {
      fault(entry.key_where, "run." + entry.key + ": no such key" +
                                 hint_or_list(entry.key, {"seed", "max_instructions", "check_protocol",
                                                          "timing", "data", "fast_path"}));
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
  check_params(out_.address_map.validate(), "address_map", section, nullptr, faults_);
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

std::optional<std::int64_t> Resolver::integer(const std::string& text, std::string& problem,
                                              std::optional<Expression::Uneven>* uneven) const {
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
    const auto value = expression.evaluate(values, uneven);
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

}  // namespace strata::platforms
