#include <algorithm>
#include <cctype>
#include <map>

#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/engine/netlist/resolver.h"
#include "platforms/engine/timing_sets.h"

namespace strata::platforms {
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
