#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/engine/netlist/module_table.h"
#include "platforms/engine/netlist/resolved_netlist.h"
#include "platforms/engine/plugins/plugin_file.h"

namespace strata::platforms {

/// `key: text` of a netlist, with the positions of key and value.
struct NetlistEntry {
  std::string key;
  std::string text;
  SourcePosition key_where;
  SourcePosition where;
  bool of_former_module = false;  ///< written for a module that a later file replaced
};

/// A mapping of a netlist: `clocks`, `address_map`, `run`, one instance, or one override such as `llc[0..7]`.
struct NetlistSection {
  std::string name;
  SourcePosition where;
  std::vector<NetlistEntry> entries;
  std::string first_index;  ///< overrides only: expressions
  std::string last_index;

  const NetlistEntry* find(std::string_view key) const;
  void set(NetlistEntry entry);
};

/// The description of a platform: read from YAML, or built in C++ with the same keys, expressions and
/// messages. docs/guide/netlist-language.md is the reference.
class Netlist {
 public:
  explicit Netlist(std::string title = "unnamed platform", ModuleTable modules = known_modules());

  /// Reads a file and the files it extends, applies `overrides` ("llc.ways=8", as of --set;
  /// "plugins=mine.so") and checks everything. Throws ConfigError with every fault.
  static Netlist load(const std::string& path, const std::vector<std::string>& overrides = {},
                      ModuleTable modules = known_modules());

  /// Loads several files, as if a file extended them in this order: if two set a key, the later wins.
  static Netlist load(const std::vector<std::string>& paths, const std::vector<std::string>& overrides,
                      ModuleTable modules = known_modules());

  Netlist& add_clock(const std::string& name, const std::string& frequency);
  Netlist& add_clock(const std::string& name, Hertz frequency);
  Netlist& add_instance(const std::string& name, const std::string& module, int count = 1);
  /// `key` as in --set: "llc.ways", "llc[3].ways", "llc[0..7].ways", "clocks.core", "address_map.kind",
  /// "run.seed".
  Netlist& set_param(const std::string& key, const std::string& value);
  Netlist& set_param(const std::string& key, long long value);
  /// Makes the modules of a plug-in known. Throws ConfigError if it cannot be loaded, or has a name that is
  /// known already.
  Netlist& add_plugin(const std::string& file, const SourcePosition& where = {});
  /// A binding statement: "l1[i].noc -> smr[i/10].in[i%10]".
  Netlist& bind(const std::string& statement);

  /// Every fault; empty if the netlist can be built.
  Faults check() const;
  /// The complete description: parameters, sockets, connections. Throws ConfigError with every fault.
  ResolvedNetlist resolve() const;

  /// Settings of one of the files that no later file overrides: "llc.count=128", "l1[0].size=24 KiB", "12
  /// bindings".
  std::vector<std::string> set_by(const std::string& file) const;

  const std::string& title() const { return title_; }
  const ModuleTable& modules() const { return modules_; }
  const PluginFiles& plugins() const { return plugins_; }

  // The sections as written, for the resolver.
  const NetlistSection& clocks() const { return clocks_; }
  const NetlistSection& address_map() const { return address_map_; }
  const NetlistSection& run() const { return run_; }
  const std::vector<NetlistSection>& instances() const { return instances_; }
  const std::vector<NetlistSection>& overrides() const { return overrides_; }
  const std::vector<NetlistEntry>& bindings() const { return bindings_; }

 private:
  friend class NetlistReader;
  void apply(const std::string& key, const std::string& value, const SourcePosition& where);
  NetlistSection* find_instance(std::string_view name);
  NetlistSection& override_of(const NetlistSection& like);
  void void_overrides_of_former_module(const NetlistSection& instance, const std::string& former);

  std::string title_;
  ModuleTable modules_;
  PluginFiles plugins_;
  NetlistSection clocks_;
  NetlistSection address_map_;
  NetlistSection run_;
  std::vector<NetlistSection> instances_;
  std::vector<NetlistSection> overrides_;
  std::vector<NetlistEntry> bindings_;
  Faults reading_faults_;
  std::shared_ptr<const ResolvedNetlist> resolved_;  // as loaded; null: changed since
};

/// The files that a netlist was read from, without empty ones.
std::vector<std::string> files_of(const Netlist& netlist);

}  // namespace strata::platforms
