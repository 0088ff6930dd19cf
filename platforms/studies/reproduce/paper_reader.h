#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "models/common/text.h"
#include "platforms/studies/reproduce/paper.h"
#include "traces/workloads/yaml_reader.h"

namespace strata::platforms {

/// Reads the table of a paper: platforms/studies/reproduce/*.yaml. Collects every fault; finish() throws
/// them.
class PaperReader {
 public:
  explicit PaperReader(const std::string& path) : yaml_(path) {
    paper_.name = std::filesystem::path(path).stem().string();
  }
  Paper read();

 private:
  using Node = YAML::Node;
  using Words = std::vector<std::string>;
  struct Entry {
    std::string key;
    Node value;
  };
  using Entries = std::vector<Entry>;

  /// Every workload of one list paired with every one of another.
  struct PairGroup {
    std::string name;
    std::map<std::string, std::uint64_t> instructions;  ///< by program
    Words quick_only;                                   ///< pairs of a quick reproduction
    double quick_part = 1;                              ///< fraction of the instructions
    SourcePosition where;
  };

  Entries entries(const Node& node, const std::string& what, const Words& allowed);
  Words words(const Node& node, const std::string& what);
  double number(const Node& node, const std::string& what);
  std::uint64_t whole(const Node& node, const std::string& what);
  template <class T>
  T choice(const Node& node, const std::string& what, const Words& names);
  Words expanded(const Words& on, const SourcePosition& where);
  void read_jitter(const Node& node);
  void read_workload(const std::string& name, const Node& node);
  void read_portion(const Node& node, Subset& portion);
  void read_pairs(const std::string& name, const Node& node);
  double part(const Node& node);
  void add_alone(const std::string& name, const PairGroup& pairs);
  void add_pair(const std::string& first, const std::string& second, const PairGroup& pairs);
  void read_organization(const std::string& name, const Node& node);
  void read_variant(const std::string& name, const Node& node);
  void read_metric(const std::string& name, const Node& node);
  void read_claim(const std::string& name, const Node& node);
  void read_order(const Node& node);
  void read_decision(const std::string& name, const Node& node);
  void read_chart(const std::string& name, const Node& node);
  void read_sheet(const Node& node);
  void check_configuration(const std::string& text, const SourcePosition& where);
  void check_netlist(const std::string& owner, const std::string& word, const Words& known,
                     const SourcePosition& where);
  void check_metrics();
  void check_machines();
  void check_workloads();
  void check_order(const Order& order);
  void check_decision(const Decision& decision);
  void check_chart(const Chart& chart);
  /// Returns false, with a fault, if there is none of that name.
  template <class T>
  bool check_name(const std::string& what, const std::string& word, const std::vector<T>& all,
                  const SourcePosition& where);
  void check();

  traces::YamlReader yaml_;
  Paper paper_;
};

template <class T>
T PaperReader::choice(const Node& node, const std::string& what, const Words& names) {
  const std::string text = yaml_.scalar(node, what);
  const auto at = std::find(names.begin(), names.end(), text);
  if (at != names.end()) return static_cast<T>(at - names.begin());
  yaml_.fault(
      node, what + ": '" + text + "' is no choice; allowed: " + comma_list(names) + suggestion(text, names));
  return T{};
}

template <class T>
bool PaperReader::check_name(const std::string& what, const std::string& word, const std::vector<T>& all,
                             const SourcePosition& where) {
  Words known;
  for (const T& one : all) known.push_back(one.name);
  if (std::find(known.begin(), known.end(), word) != known.end()) return true;
  yaml_.fault(where, "no " + what + " '" + word + "'" + suggestion(word, known));
  return false;
}

}  // namespace strata::platforms
