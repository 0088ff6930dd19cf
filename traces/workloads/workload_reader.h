#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "traces/workloads/definition.h"
#include "traces/workloads/yaml_reader.h"

/// Ranges of the elements of a buffer.
namespace strata::traces {

/// The smallest and largest number of a buffer's fill; empty if they are not known.
std::vector<double> extremes(const WorkloadBuffer& buffer);

/// True if the type can hold the truncated number. For u64 only the lower half.
bool can_hold(ElementType type, double value);
/// Such as "0 to 255".
std::string range_of(ElementType type);

/// Converts a workload file to a definition; used by read_workload only.
class WorkloadReader {
 public:
  WorkloadReader(const std::string& path, WorkloadDefinition& into) : yaml_(path), into_(into) {
    into_.file = path;
  }
  void read(const std::string& scale, const std::vector<ValueChange>& changes);

 private:
  void read_scales(const YAML::Node& node, const std::string& scale, const std::vector<ValueChange>& changes);
  void read_values(const YAML::Node& node);
  void read_modules(const YAML::Node& node);
  void read_buffers(const YAML::Node& node);
  void read_buffer(const YAML::Node& key, const YAML::Node& value);
  std::optional<BufferFill> read_fill(const YAML::Node& node, const std::string& what);
  void check_range(const YAML::Node& node, const std::string& what, ElementType type, double value);
  void read_launches(const YAML::Node& node);
  void read_step(const YAML::Node& node);
  bool too_many() const;
  void read_loop(const YAML::Node& step);
  void read_launch(const YAML::Node& step);
  void read_action(const YAML::Node& step, const std::string& word);
  void read_swap(const YAML::Node& step);
  WorkloadArgument read_argument(const YAML::Node& node);
  WorkloadArgument read_structure(const YAML::Node& node);
  Dim3 read_dim(const YAML::Node& node, const std::string& what, bool may_be_empty = false);
  void read_limits(const YAML::Node& node);
  void read_policy(const YAML::Node& node);
  void read_outputs(const YAML::Node& node);
  void read_output(const YAML::Node& key, const YAML::Node& value);
  void read_paper(const YAML::Node& node);

  std::optional<std::int64_t> whole(const YAML::Node& node, const std::string& what);
  std::optional<double> real(const YAML::Node& node, const std::string& what);
  std::optional<std::size_t> buffer(const YAML::Node& node, const std::string& what);
  std::string beside(const std::string& path) const;

  YamlReader yaml_;
  WorkloadDefinition& into_;
  std::map<std::string, std::size_t> bound_;  ///< what each buffer name refers to (swaps change it)
  std::size_t steps_ = 0;                     ///< of the launches, counting each iteration of loops
  std::set<std::pair<int, int>> launched_;    ///< line and column of steps that have launched something
  std::vector<WorkloadAction> pending_;       ///< actions before the next launch
};

}  // namespace strata::traces
