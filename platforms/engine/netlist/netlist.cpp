#include "platforms/engine/netlist/netlist.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "platforms/engine/netlist/binding.h"
#include "platforms/engine/netlist/netlist_reader.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/engine/netlist/resolved_netlist.h"
#include "platforms/engine/netlist/resolver.h"

namespace strata::platforms {
namespace {

const std::vector<std::string> section_names = {"platform", "plugins", "clocks", "address_map", "run"};

/// The spelling of a file in positions.
std::string normal_name(const std::string& file) {
  return std::filesystem::path(file).lexically_normal().string();
}

/// Replaces the module of a section. Its other entries were written for the former module.
void replace_module(NetlistSection& section, const std::string& module) {
  const NetlistEntry* present = section.find("module");
  if (present == nullptr || present->text == module) return;
  for (NetlistEntry& entry : section.entries) {
    if (entry.key != "module" && entry.key != "count" && entry.key != "clock" && entry.key != "timing" &&
        entry.key != "ledger_place" && entry.key != "link_mm")
      entry.of_former_module = true;
  }
}

}  // namespace

const NetlistEntry* NetlistSection::find(std::string_view key) const {
  for (const NetlistEntry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

void NetlistSection::set(NetlistEntry entry) {
  if (entry.key == "module") replace_module(*this, entry.text);
  for (NetlistEntry& present : entries) {
    if (present.key != entry.key) continue;
    present = std::move(entry);
    return;
  }
  entries.push_back(std::move(entry));
}

Netlist::Netlist(std::string title, ModuleTable modules)
    : title_(std::move(title)), modules_(std::move(modules)) {
  clocks_.name = "clocks";
  address_map_.name = "address_map";
  run_.name = "run";
}

Netlist Netlist::load(const std::string& path, const std::vector<std::string>& overrides,
                      ModuleTable modules) {
  return load(std::vector<std::string>{path}, overrides, std::move(modules));
}

Netlist Netlist::load(const std::vector<std::string>& paths, const std::vector<std::string>& overrides,
                      ModuleTable modules) {
  Netlist netlist(paths.front(), std::move(modules));
  NetlistReader reader(netlist);
  for (const std::string& path : paths) reader.read_file(path, {});
  for (const std::string& text : overrides) {
    const SourcePosition where{"--set " + text, 0, 0};
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      netlist.reading_faults_.push_back(
          {where, "expected KEY=VALUE, e.g. llc.ways=8 or clocks.core=1200 MHz"});
      continue;
    }
    const auto trim = [](std::string word) {
      word.erase(0, std::min(word.find_first_not_of(' '), word.size()));
      while (!word.empty() && word.back() == ' ') word.pop_back();
      return word;
    };
    netlist.apply(trim(text.substr(0, equals)), trim(text.substr(equals + 1)), where);
  }
  netlist.resolved_ = std::make_shared<const ResolvedNetlist>(netlist.resolve());
  return netlist;
}

Netlist& Netlist::add_clock(const std::string& name, const std::string& frequency) {
  resolved_.reset();
  clocks_.set({name, frequency, {}, {}});
  return *this;
}

Netlist& Netlist::add_clock(const std::string& name, Hertz frequency) {
  return add_clock(name, to_text(frequency));
}

Netlist& Netlist::add_instance(const std::string& name, const std::string& module, int count) {
  resolved_.reset();
  if (find_instance(name) != nullptr) {
    reading_faults_.push_back({{}, "instance '" + name + "' is added twice"});
    return *this;
  }
  NetlistSection section;
  section.name = name;
  section.set({"module", module, {}, {}});
  section.set({"count", std::to_string(count), {}, {}});
  instances_.push_back(std::move(section));
  return *this;
}

Netlist& Netlist::set_param(const std::string& key, const std::string& value) {
  apply(key, value, {});
  return *this;
}

Netlist& Netlist::set_param(const std::string& key, long long value) {
  return set_param(key, std::to_string(value));
}

Netlist& Netlist::add_plugin(const std::string& file, const SourcePosition& where) {
  resolved_.reset();
  const auto refuse = [&](const std::string& why) { throw ConfigError(Faults{{where, why}}); };
  std::shared_ptr<const PluginFile> plugin;
  try {
    plugin = PluginFile::load(file);
  } catch (const ConfigError& error) {
    refuse(error.faults().front().message);
  }
  const auto owner = [&](const auto& has) -> std::string {
    for (const auto& present : plugins_)
      if (has(present->rows())) return "the plug-in '" + present->path() + "'";
    return "this program";
  };
  for (const auto& present : plugins_)
    if (present->path() == plugin->path()) return *this;
  const std::string twice = "'; give it another name";
  for (const ModuleKind& kind : plugin->rows().modules()) {
    if (find_module(modules_, kind.name) != nullptr)
      refuse("plug-in '" + file + "': brings a module that " + owner([&](const PluginRows& rows) {
               return std::any_of(rows.modules().begin(), rows.modules().end(),
                                  [&](const ModuleKind& one) { return one.name == kind.name; });
             }) +
             " has too: '" + std::string(kind.name) + twice);
    modules_.push_back(&kind);
  }
  for (const RtlDesign& design : plugin->rows().designs())
    for (const RtlDesign* present : rtl_designs(plugins_, design.module))
      if (present->name == design.name)
        refuse("plug-in '" + file + "': brings a design that " + owner([&](const PluginRows& rows) {
                 return std::any_of(rows.designs().begin(), rows.designs().end(),
                                    [&](const RtlDesign& one) { return &one == present; });
               }) +
               " has too: '" + std::string(design.name) + twice);
  for (const TraceKind& kind : plugin->rows().traces())
    if (find_trace_kind(plugins_, std::string(kind.name) + ":") != nullptr)
      refuse("plug-in '" + file + "': brings a kind of trace that " + owner([&](const PluginRows& rows) {
               return std::any_of(rows.traces().begin(), rows.traces().end(),
                                  [&](const TraceKind& one) { return one.name == kind.name; });
             }) +
             " has too: '" + std::string(kind.name) + twice);
  plugins_.push_back(std::move(plugin));
  return *this;
}

Netlist& Netlist::bind(const std::string& statement) {
  resolved_.reset();
  bindings_.push_back({"bind", statement, {}, {}});
  return *this;
}

NetlistSection* Netlist::find_instance(std::string_view name) {
  for (NetlistSection& section : instances_)
    if (section.name == name) return &section;
  return nullptr;
}

NetlistSection& Netlist::override_of(const NetlistSection& like) {
  for (NetlistSection& section : overrides_) {
    if (section.name == like.name && section.first_index == like.first_index &&
        section.last_index == like.last_index)
      return section;
  }
  overrides_.push_back(like);
  overrides_.back().entries.clear();
  return overrides_.back();
}

void Netlist::void_overrides_of_former_module(const NetlistSection& instance, const std::string& former) {
  const NetlistEntry* module = instance.find("module");
  if (former.empty() || module == nullptr || module->text == former) return;
  for (NetlistSection& section : overrides_) {
    if (section.name != instance.name) continue;
    for (NetlistEntry& entry : section.entries) entry.of_former_module = true;
  }
}

/// `llc.ways`, `llc[3].ways`, `clocks.core`, `address_map.kind`, `run.seed` or `platform`.
void Netlist::apply(const std::string& key, const std::string& value, const SourcePosition& where) {
  resolved_.reset();
  if (key == "platform") {
    title_ = value;
    return;
  }
  if (key == "plugins") {
    add_plugin(value);
    return;
  }
  const std::size_t dot = key.rfind('.');
  const std::string head = dot == std::string::npos ? key : key.substr(0, dot);
  NetlistEntry entry{dot == std::string::npos ? "" : key.substr(dot + 1), value, where, where};
  if (head == "clocks") return clocks_.set(std::move(entry));
  if (head == "address_map") return address_map_.set(std::move(entry));
  if (head == "run") return run_.set(std::move(entry));
  NetlistSection probe;
  probe.where = where;
  std::optional<IndexRange> range;
  try {
    range = read_indexed_name(head, probe.name);
  } catch (const SyntaxFault& fault) {
    reading_faults_.push_back({where, "'" + key + "': " + fault.message});
    return;
  }
  NetlistSection* instance = find_instance(probe.name);
  if (instance == nullptr || dot == std::string::npos) {
    std::vector<std::string> known = section_names;
    for (const NetlistSection& section : instances_) known.push_back(section.name);
    const bool bare = instance != nullptr;  // "llc" alone
    reading_faults_.push_back(
        {where, bare ? "'" + key + "' names no parameter; expected e.g. " + key + ".count"
                     : "no instance '" + probe.name + "'" + suggestion(probe.name, known)});
    return;
  }
  if (!range) {
    const NetlistEntry* module = instance->find("module");
    const std::string former = module != nullptr ? module->text : "";
    instance->set(std::move(entry));
    return void_overrides_of_former_module(*instance, former);
  }
  probe.first_index = range->first;
  probe.last_index = range->last;
  override_of(probe).set(std::move(entry));
}

std::vector<std::string> Netlist::set_by(const std::string& file) const {
  const std::string name = normal_name(file);
  std::vector<std::string> settings;
  const auto add = [&](const NetlistSection& section) {
    std::string owner = section.name;
    if (!section.first_index.empty())
      owner += "[" + section.first_index +
               (section.last_index == section.first_index ? "" : ".." + section.last_index) + "]";
    for (const NetlistEntry& entry : section.entries)
      if (entry.where.file == name && !entry.of_former_module)
        settings.push_back(owner + "." + entry.key + "=" + entry.text);
  };
  for (const NetlistSection* section : {&clocks_, &address_map_, &run_}) add(*section);
  for (const NetlistSection& section : instances_) add(section);
  for (const NetlistSection& section : overrides_) add(section);
  const auto bound = std::count_if(bindings_.begin(), bindings_.end(),
                                   [&](const NetlistEntry& binding) { return binding.where.file == name; });
  if (bound != 0) settings.push_back(std::to_string(bound) + (bound == 1 ? " binding" : " bindings"));
  return settings;
}

Faults Netlist::check() const {
  Faults faults = reading_faults_;
  Resolver(*this, faults).run();
  sort_faults(faults);
  return faults;
}

ResolvedNetlist Netlist::resolve() const {
  if (resolved_ != nullptr) return *resolved_;
  Faults faults = reading_faults_;
  ResolvedNetlist resolved = Resolver(*this, faults).run();
  sort_faults(faults);
  if (!faults.empty()) throw ConfigError(std::move(faults));
  return resolved;
}

namespace {

std::string value_text(const ParamRow& row) {
  return row.quoted ? yaml_quoted(row.value) : row.value;
}

void write_group(std::ostringstream& out, const ResolvedGroup& group) {
  const std::vector<ParamRow> base = list_params(*group.base.params);
  out << "  " << group.name << ":\n    module: " << group.kind->name << "\n    count: " << group.count()
      << "\n    clock: " << group.clock << "\n    timing: " << group.base.timing() << "\n";
  if (group.base.check_model) out << "    check: model\n";
  if (!group.place.empty()) out << "    ledger_place: " << group.place << "\n";
  if (group.link_mm > 0) out << "    link_mm: " << group.link_mm << "\n";
  CacheArrays arrays = group.arrays;
  if (arrays.bits != 0 || arrays.ports != 0)
    for (const ParamRow& row : list_params(arrays))
      out << "    " << row.name << ": " << value_text(row) << "\n";
  for (const ParamRow& row : base) out << "    " << row.name << ": " << value_text(row) << "\n";
  for (int i = 0; i < group.count(); ++i) {
    const ResolvedMember& member = group.members[static_cast<std::size_t>(i)];
    if (member.params == group.base.params) continue;
    const std::vector<ParamRow> rows = list_params(*member.params);
    std::string differences;
    if (member.timing() != group.base.timing()) differences = "    timing: " + member.timing() + "\n";
    if (member.check_model != group.base.check_model)
      differences += std::string("    check: ") + (member.check_model ? "model\n" : "none\n");
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (rows[r].value != base[r].value)
        differences += "    " + rows[r].name + ": " + value_text(rows[r]) + "\n";
    if (!differences.empty()) out << "  " << group.name << "[" << i << "]:\n" << differences;
  }
}

}  // namespace

std::string effective_configuration(const ResolvedNetlist& netlist) {
  std::ostringstream out;
  out << "platform: " << yaml_quoted(netlist.title) << "\n";
  if (!netlist.plugins.empty()) out << "plugins:\n";
  for (const auto& plugin : netlist.plugins)
    out << "  - " << yaml_quoted(plugin->path()) << "  # FNV-1a " << plugin->digest() << "\n";
  out << "clocks:\n";
  for (const ResolvedClock& clock : netlist.clocks)
    out << "  " << clock.name << ": " << to_text(clock.frequency) << "\n";
  out << "address_map:\n";
  AddressMapParams map = netlist.address_map;
  if (!map.matrix.empty()) map.matrix = std::filesystem::absolute(map.matrix).lexically_normal().string();
  for (const ParamRow& row : list_params(map)) out << "  " << row.name << ": " << value_text(row) << "\n";
  out << "instances:\n";
  for (const ResolvedGroup& group : netlist.groups) write_group(out, group);
  out << "bind:\n";
  for (const std::string& statement : netlist.bindings) out << "  - " << yaml_quoted(statement) << "\n";
  const RunDefaults& run = netlist.run;
  if (run.seed || run.max_instructions || run.check_protocol || run.lt || run.carries_data || !run.fast_path)
    out << "run:\n";
  if (run.seed) out << "  seed: " << *run.seed << "\n";
  if (run.max_instructions) out << "  max_instructions: " << *run.max_instructions << "\n";
  if (run.check_protocol) out << "  check_protocol: " << (*run.check_protocol ? "true" : "false") << "\n";
  if (run.lt) out << "  timing: lt\n";
  if (run.carries_data) out << "  data: carried\n";
  if (!run.fast_path) out << "  fast_path: off\n";
  return out.str();
}

std::vector<std::string> files_of(const Netlist& netlist) {
  std::set<std::string> files;
  const auto add = [&files](const std::vector<NetlistEntry>& entries) {
    for (const NetlistEntry& entry : entries) files.insert(entry.where.file);
  };
  for (const NetlistSection* section : {&netlist.clocks(), &netlist.address_map(), &netlist.run()})
    add(section->entries);
  for (const auto* sections : {&netlist.instances(), &netlist.overrides()})
    for (const NetlistSection& section : *sections) add(section.entries);
  add(netlist.bindings());
  for (const auto& plugin : netlist.plugins()) files.insert(plugin->path());
  return {files.begin(), files.end()};
}

}  // namespace strata::platforms
