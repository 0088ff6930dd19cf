#pragma once

#include <string>
#include <utility>
#include <vector>
#include <yaml-cpp/yaml.h>

#include "models/common/faults.h"

namespace strata::traces {

/// Reads parts of a YAML file and collects all faults with their positions.
class YamlReader {
 public:
  static constexpr const char is_no_workload[] =
      "is no workload: expected one mapping with the keys workload, scales, module, buffers, launches, ...";
  using Pairs = std::vector<std::pair<YAML::Node, YAML::Node>>;

  /// Throws ConfigError if the file cannot be read or is no YAML mapping, with a message such as "is no
  /// sweep: expected one mapping with the keys ...".
  explicit YamlReader(std::string path, const char* is_not = is_no_workload);

  const YAML::Node& top() const { return top_; }
  SourcePosition where(const YAML::Node& node) const;
  void fault(const YAML::Node& node, std::string message, std::size_t column_offset = 0);
  void fault(const SourcePosition& where, std::string message) {
    faults_.push_back({where, std::move(message)});
  }

  /// The pairs of a mapping in file order; duplicate keys and keys that are not `allowed` (empty = any) are
  /// faults.
  Pairs pairs(const YAML::Node& node, const std::string& what, const std::vector<std::string>& allowed);
  /// The text of a single value; a fault and "" when it is anything else.
  std::string scalar(const YAML::Node& node, const std::string& what);
  /// The elements of a list; a single value counts as a list of one.
  std::vector<YAML::Node> list(const YAML::Node& node, const std::string& what);

  bool sound() const { return faults_.empty(); }
  /// Throws ConfigError if there are faults.
  void finish() const;

 private:
  std::string path_;
  YAML::Node top_;
  Faults faults_;
};

}  // namespace strata::traces
