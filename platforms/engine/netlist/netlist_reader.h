#pragma once

#include <string>
#include <vector>

#include "platforms/engine/netlist/netlist.h"

namespace YAML {
class Node;
struct Mark;
}  // namespace YAML

namespace strata::platforms {

/// Reads YAML files into a Netlist, the extended ones first. Collects faults in the Netlist; throws
/// ConfigError only when a file is missing or is not YAML, since nothing can be checked then.
class NetlistReader {
 public:
  explicit NetlistReader(Netlist& netlist) : netlist_(netlist) {}
  /// `from`: the `extends` that names the file; unknown for the first file.
  void read_file(const std::string& path, const SourcePosition& from);

 private:
  void read_top(const YAML::Node& top);
  void read_extends(const YAML::Node& node);
  void extend(const YAML::Node& name);
  void read_plugins(const YAML::Node& node);
  void add_plugin(const YAML::Node& file);
  void read_section(const YAML::Node& node, NetlistSection& section);
  void read_instances(const YAML::Node& node);
  void read_instance(const YAML::Node& key, const YAML::Node& value);
  void remove_instance(const std::string& name, const YAML::Node& key);
  void read_every(const YAML::Node& node);
  void read_bindings(const YAML::Node& node, bool append);
  bool is_scalar(const YAML::Node& node, const std::string& what);
  bool is_map(const YAML::Node& node, const std::string& what);
  bool repeated(std::vector<std::string>& seen, const YAML::Node& key, const std::string& owner);
  SourcePosition position(const YAML::Node& node) const;
  void fault(const YAML::Node& node, std::string message);

  Netlist& netlist_;
  std::vector<std::string> files_;  // files that are being read, innermost last
};

}  // namespace strata::platforms
