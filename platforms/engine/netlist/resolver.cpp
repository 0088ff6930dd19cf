#include "platforms/engine/netlist/resolver.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>

#include "platforms/engine/netlist/connector.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/engine/timing_sets.h"

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

namespace {

constexpr int largest_count = 65536;  // far above any GPU; prevents a typing error from filling the memory

constexpr double shortest_link = 0.1, longest_link = 100;  // mm: from a block's width to four sides of a die

bool has_arrays(const ModuleKind& kind) {
  return kind.role == Role::l1 || kind.role == Role::llc;
}

/// Keys of an instance and its members that are not parameters.
std::vector<std::string> instance_keys(const ModuleKind& kind) {
  std::vector<std::string> keys = {"module", "count", "clock", "timing", "ledger_place", "link_mm"};
  if (kind.rtl != nullptr) keys.emplace_back("check");
  if (has_arrays(kind)) {
    CacheArrays arrays;
    for (const ParamRow& row : list_params(arrays)) keys.push_back(row.name);
  }
  return keys;
}

std::vector<std::string> override_keys(const ModuleKind& kind) {
  return kind.rtl != nullptr ? std::vector<std::string>{"timing", "check"}
                             : std::vector<std::string>{"timing"};
}

}  // namespace

/// Unknown keys belong to the module; the reader of its parameters checks them.
void Resolver::read_arrays(const NetlistSection& section, CacheArrays& arrays,
                           const IntegerReader& integers) {
  std::vector<std::string> all;
  for (const NetlistEntry& entry : section.entries) all.push_back(entry.key);
  read_params(arrays, section, all, integers, faults_);
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

/// The timing of the instance, or else that of the run if the module supports it.
void Resolver::resolve_timing(const NetlistSection& section, const ModuleKind& kind, ResolvedMember& member) {
  const NetlistEntry* entry = section.find("timing");
  const std::string text = entry != nullptr ? entry->text : out_.run.lt && !kind.untimed ? "lt" : "at";
  if (text == "rtl" || text.rfind("rtl:", 0) == 0) {
    member.rtl = design_of(section, *entry, kind);
    return;
  }
  member.lt = text == "lt" && kind.lt;
  if (text == "at" || member.lt) return;
  std::string both;
  for (const ModuleKind* row : netlist_.modules())
    if (row->lt) both += (both.empty() ? "; those that have one: " : ", ") + std::string(row->name);
  fault(entry != nullptr ? entry->where : section.where,
        section.name + ".timing: '" + text + "'" +
            (text == "lt" ? " - " + std::string(kind.name) + " has no lt version" : "") + "; allowed: " +
            (kind.lt ? "at, lt" : "at") + (kind.rtl != nullptr ? ", rtl" : "") + (text == "lt" ? both : ""));
}

/// `timing: rtl`: the first design of the plug-ins; `rtl:NAME`: the design of that name.
const RtlDesign* Resolver::design_of(const NetlistSection& section, const NetlistEntry& timing,
                                     const ModuleKind& kind) {
  const std::string before = section.name + ".timing: '" + timing.text + "' - ";
  if (kind.rtl == nullptr) {
    fault(timing.where, before + "RTL cannot take the place of " + std::string(kind.name) +
                            "; allowed: " + (kind.lt ? "at, lt" : "at"));
    return nullptr;
  }
  const std::vector<const RtlDesign*> designs = rtl_designs(netlist_.plugins(), kind.name);
  if (designs.empty()) {
    fault(timing.where, before + "no plug-in brings RTL of " + std::string(kind.name) +
                            "; name one under 'plugins' or with --plugin (docs/guide/rtl.md)");
    return nullptr;
  }
  if (timing.text == "rtl") return designs.front();
  const std::string name = timing.text.substr(4);
  std::vector<std::string> known;
  for (const RtlDesign* design : designs) {
    if (design->name == name) return design;
    known.emplace_back(design->name);
  }
  fault(timing.where,
        before + "no RTL of " + std::string(kind.name) + " has this name" + hint_or_list(name, known));
  return nullptr;
}

/// `check: model` for RTL. It has no effect on other members.
void Resolver::resolve_check(const NetlistSection& section, ResolvedMember& member) {
  const NetlistEntry* entry = section.find("check");
  if (entry == nullptr) return;
  member.check_model = entry->text == "model";
  if (!member.check_model && entry->text != "none")
    fault(entry->where,
          section.name + ".check: '" + entry->text + "'" + hint_or_list(entry->text, {"none", "model"}));
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

std::string Resolver::ledger_place_of(const NetlistSection& section) {
  const NetlistEntry* entry = section.find("ledger_place");
  if (entry == nullptr) return {};
  const std::string& name = entry->text;
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (!name.empty() && name.size() <= 32 && std::isalpha(static_cast<unsigned char>(name.front())) != 0 &&
      std::all_of(name.begin(), name.end(), fits))
    return name;
  fault(entry->where, section.name + ".ledger_place: '" + name +
                          "' is no name of a place; allowed: a letter, then letters, digits and '_', at most "
                          "32 in all, as in noc1");
  return {};
}

double Resolver::link_mm_of(const NetlistSection& section, const ModuleKind& kind) {
  const NetlistEntry* entry = section.find("link_mm");
  if (entry == nullptr) return 0;
  const std::string before = section.name + ".link_mm: '" + entry->text + "' ";
  if (kind.role != Role::router) {
    fault(entry->where, before + "- " + section.name + " is no router; allowed: at either end of a link");
    return 0;
  }
  const std::optional<double> length = parse_real(entry->text);
  if (length && *length >= shortest_link && *length <= longest_link) return *length;
  fault(entry->where, before + (length ? "is out of range" : "is no number") + "; allowed: 0.1 to 100 mm" +
                          (length ? *length < shortest_link ? " (nearest: 0.1)" : " (nearest: 100)" : ""));
  return 0;
}

void Resolver::resolve_group(const NetlistSection& section) {
  const NetlistEntry* module = section.find("module");
  std::vector<std::string> known;
  for (const ModuleKind* row : netlist_.modules()) known.emplace_back(row->name);
  const ModuleKind* kind = module != nullptr ? find_module(netlist_.modules(), module->text) : nullptr;
  const int count = count_of(section);
  if (kind == nullptr) {
    if (module == nullptr)
      fault(section.where, section.name + " has no 'module'; known: " + comma_list(known));
    else
      fault(module->where,
            section.name + ".module: no module '" + module->text + "'" + hint_or_list(module->text, known));
    return;
  }
  ResolvedGroup group;
  group.name = section.name;
  group.where = section.where;
  group.kind = kind;
  group.clock = clock_of(section, *kind);
  group.place = ledger_place_of(section);
  group.link_mm = link_mm_of(section, *kind);
  const std::vector<std::string> keys = instance_keys(*kind);
  for (const NetlistEntry& entry : section.entries)
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) group.written.push_back(entry.key);
  const auto integers = [this](const std::string& text, std::string& problem) {
    return integer(text, problem);
  };
  const std::size_t before = faults_.size();
  ResolvedMember member;
  member.params = kind->new_params();
  resolve_timing(section, *kind, member);
  if (kind->rtl != nullptr) resolve_check(section, member);
  read_params(*member.params, section, keys, integers, faults_);
  fill_member(section, nullptr, section.name, *kind, before, member);
  if (has_arrays(*kind)) read_arrays(section, group.arrays, integers);
  group.base = member;
  group.members.assign(static_cast<std::size_t>(count), member);
  resolve_overrides(section, group);
  const auto idle_check = [](const ResolvedMember& m) { return m.check_model && m.rtl == nullptr; };
  if (std::all_of(group.members.begin(), group.members.end(), idle_check))
    fault(section.find("check")->where,
          section.name + ".check: no member is RTL; allowed: together with timing: rtl");
  out_.groups.push_back(std::move(group));
}

/// What to change: the settings behind the parameters that a fault mentions, as in "; inputs = sm.count".
std::string Resolver::origins(const NetlistSection& section, const std::string& message) const {
  std::string text;
  for (const NetlistEntry& entry : section.entries) {
    const std::size_t at = message.find(" " + entry.key);
    const std::size_t end = at == std::string::npos ? at : at + 1 + entry.key.size();
    if (at == std::string::npos ||
        (end < message.size() && std::isalnum(static_cast<unsigned char>(message[end]))))
      continue;
    const std::string origin = origin_of(entry.text);
    if (!origin.empty()) text += (text.empty() ? "; " : ", ") + entry.key + origin;
  }
  return text;
}

/// " = mc.slices = llc.count / mc.count"; empty if the text is not an expression of parameters.
std::string Resolver::origin_of(const std::string& text) const {
  std::vector<Expression::Name> names;
  try {
    names = Expression::read_all(text).names();
  } catch (const SyntaxFault&) {
    return {};
  }
  const auto reference = [](const Expression::Name& name) { return name.is_reference(); };
  if (names.empty() || !std::all_of(names.begin(), names.end(), reference)) return {};
  const std::size_t dot = text.find('.');
  const NetlistSection* section = text == names.front().text ? section_of(text.substr(0, dot)) : nullptr;
  const NetlistEntry* entry = section != nullptr ? section->find(text.substr(dot + 1)) : nullptr;
  return " = " + text + (entry != nullptr ? origin_of(entry->text) : "");
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
  const bool readable = faults_.size() == faults_before;
  if (readable) {
    const std::size_t checked = faults_.size();
    check_params(member.params->validate(), prefix, section, base, faults_);
    if (member.rtl != nullptr && faults_.size() == checked)
      check_params(kind.rtl->check(*member.params, *member.rtl->make()), prefix, section, base, faults_);
    for (std::size_t i = checked; i < faults_.size(); ++i)
      faults_[i].message += origins(base != nullptr ? *base : section, faults_[i].message);
  }
  if (faults_.size() != faults_before) doubtful_.push_back(base != nullptr ? base->name : section.name);
  // A parameter that cannot be read has its default.
  member.ports = std::make_shared<const std::vector<PortSpec>>(kind.ports(*member.params));
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
  std::map<std::vector<const NetlistSection*>, ResolvedMember> made;  // only looked up, never iterated
  for (const auto& [index, sections] : by_index) {
    const auto found = made.find(sections);
    if (found != made.end()) {
      group.members[static_cast<std::size_t>(index)] = found->second;
      continue;
    }
    const std::size_t before = faults_.size();
    Faults repeated;  // faults of the base were reported with it
    ResolvedMember member;
    member.params = group.kind->new_params();
    member.lt = group.base.lt;
    member.rtl = group.base.rtl;
    member.check_model = group.base.check_model;
    read_params(*member.params, section, instance_keys(*group.kind), integers, repeated);
    NetlistSection merged;
    for (const NetlistSection* other : sections) {
      NetlistSection named = *other;
      named.name += "[" + other->first_index +
                    (other->first_index == other->last_index ? "" : ".." + other->last_index) + "]";
      read_params(*member.params, named, override_keys(*group.kind), integers, faults_);
      merged.where = other->where;
      for (const NetlistEntry& entry : other->entries) merged.set(entry);
      if (other->find("timing") != nullptr) {
        member.rtl = nullptr;
        resolve_timing(named, *group.kind, member);
      }
      if (group.kind->rtl != nullptr) resolve_check(named, member);
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

}  // namespace strata::platforms
