#include "platforms/studies/sweep/sweep_file.h"

#include <algorithm>
#include <filesystem>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/text.h"
#include "models/common/units.h"
#include "models/io/yaml_file.h"
#include "platforms/engine/netlist/data_folders.h"
#include "traces/workloads/yaml_reader.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Node = YAML::Node;
using Words = std::vector<std::string>;

constexpr const char is_no_sweep[] =
    "is no sweep: expected one mapping with the keys platforms, variants, set, workloads, traces, seeds, ...";
const Words known_keys = {"name",  "platforms", "variants", "set",   "workloads", "traces",
                          "seeds", "options",   "only",     "point", "figures"};
const Words value_options = {
    "max-instructions", "share",     "timing",   "epoch",           "watchdog-cycles",
    "observe",          "read-only", "memcheck", "loads-in-flight", "launch-instructions",
    "launch-memory",    "kernels",   "launches"};
const Words flag_options = {"no-repeat", "check-protocol", "no-worker"};

class SweepFileReader {
 public:
  explicit SweepFileReader(const std::string& path) : yaml_(path, is_no_sweep) {
    file_.path = path;
    file_.text = read_input(path, most_yaml_bytes);
    file_.name = fs::path(path).stem().string();
    file_.figures = {"cycles", "ipc", "l1_hit_rate", "llc_hit_rate"};
  }
  SweepFile read();

 private:
  void read_entry(const std::string& key, const Node& value);
  Words words(const Node& node, const std::string& what);
  void read_platforms(const Node& node);
  void read_variants(const Node& node);
  void read_variant(const std::string& name, const Node& node);
  void add_with(Words& arguments, const Node& node, const std::string& what);
  void read_programs(const Node& node, const std::string& option);
  void read_seeds(const Node& node);
  void read_range(const Node& node, const std::string& text, std::size_t dots);
  void read_axes(const Node& node);
  void read_options(const Node& node);
  void read_only();

  traces::YamlReader yaml_;
  SweepFile file_;
  Node only_;
};

Words SweepFileReader::words(const Node& node, const std::string& what) {
  Words all;
  for (const Node& item : yaml_.list(node, what)) all.push_back(yaml_.scalar(item, what));
  if (all.empty()) yaml_.fault(node, what + ": the list is empty");
  return all;
}

void SweepFileReader::read_platforms(const Node& node) {
  std::error_code ignored;
  for (const Node& item : yaml_.list(node, "platforms")) {
    const std::string name = yaml_.scalar(item, "platforms");
    if (!fs::exists(find_platform(name), ignored))
      yaml_.fault(item, "no platform '" + name + "': no such file" + suggestion(name, platform_names()));
    file_.platforms.push_back(name);
  }
}

void SweepFileReader::add_with(Words& arguments, const Node& node, const std::string& what) {
  std::error_code ignored;
  for (const Node& item : yaml_.list(node, what)) {
    const std::string name = yaml_.scalar(item, what);
    if (!fs::exists(find_platform(name), ignored))
      yaml_.fault(item,
                  what + ": no netlist '" + name + "': no such file" + suggestion(name, variant_names()));
    arguments.insert(arguments.end(), {"--with", name});
  }
}

void SweepFileReader::read_variant(const std::string& name, const Node& node) {
  SweepFile::Variant variant{name, {}};
  const std::string what = "variants." + name;
  if (!node.IsMap() && !node.IsNull()) {
    add_with(variant.arguments, node, what);
  } else if (node.IsMap()) {
    for (const auto& [key, value] : yaml_.pairs(node, what, {"with", "set"})) {
      if (key.Scalar() == "with") {
        add_with(variant.arguments, value, what + ".with");
        continue;
      }
      for (const auto& [set, text] : yaml_.pairs(value, what + ".set", {}))
        variant.arguments.insert(variant.arguments.end(),
                                 {"--set", set.Scalar() + "=" + yaml_.scalar(text, what + ".set")});
    }
  }
  file_.variants.push_back(std::move(variant));
}

void SweepFileReader::read_variants(const Node& node) {
  for (const auto& [name, value] : yaml_.pairs(node, "variants", {})) read_variant(name.Scalar(), value);
}

/// A list inside the list means several programs side by side.
void SweepFileReader::read_programs(const Node& node, const std::string& option) {
  const std::string what = option.substr(2) + "s";
  for (const Node& item : yaml_.list(node, what)) {
    SweepFile::Program program;
    for (const std::string& one : words(item, what)) {
      program.name += (program.name.empty() ? "" : "+") + one;
      program.arguments.insert(program.arguments.end(), {option, one});
    }
    file_.programs.push_back(std::move(program));
  }
}

void SweepFileReader::read_range(const Node& node, const std::string& text, std::size_t dots) {
  const auto first = parse_integer(text.substr(0, dots)), last = parse_integer(text.substr(dots + 2));
  if (!first || !last || *first < 0 || *last < *first)
    return yaml_.fault(node, "seeds: '" + text + "' is no range; allowed: such as 1..5");
  const std::uint64_t count = static_cast<std::uint64_t>(*last - *first) + 1;
  if (count > most_combinations)
    return yaml_.fault(node, "seeds: '" + text + "' makes " + std::to_string(count) +
                                 " points or more; at most " + std::to_string(most_combinations) +
                                 " are looked at");
  for (std::uint64_t i = 0; i < count; ++i) file_.seeds.push_back(static_cast<std::uint64_t>(*first) + i);
}

void SweepFileReader::read_seeds(const Node& node) {
  for (const Node& item : yaml_.list(node, "seeds")) {
    const std::string text = yaml_.scalar(item, "seeds");
    if (const std::size_t dots = text.find(".."); dots != std::string::npos) {
      read_range(item, text, dots);
      continue;
    }
    const auto seed = parse_integer(text);
    if (!seed || *seed < 0) yaml_.fault(item, "seeds: '" + text + "' is no whole number of at least 0");
    file_.seeds.push_back(static_cast<std::uint64_t>(seed.value_or(0)));
  }
}

void SweepFileReader::read_axes(const Node& node) {
  for (const auto& [key, value] : yaml_.pairs(node, "set", {}))
    file_.axes.push_back({key.Scalar(), words(value, "set." + key.Scalar())});
}

void SweepFileReader::read_options(const Node& node) {
  Words allowed = value_options;
  allowed.insert(allowed.end(), flag_options.begin(), flag_options.end());
  for (const auto& [key, value] : yaml_.pairs(node, "options", allowed)) {
    const std::string name = key.Scalar(), text = yaml_.scalar(value, "options." + name);
    if (std::find(flag_options.begin(), flag_options.end(), name) == flag_options.end()) {
      file_.options.insert(file_.options.end(), {"--" + name, text});
    } else if (text == "true") {
      file_.options.push_back("--" + name);
    } else if (text != "false") {
      yaml_.fault(value, "options." + name + ": '" + text + "' is no choice; allowed: true, false");
    }
  }
}

void SweepFileReader::read_entry(const std::string& key, const Node& value) {
  if (key == "name") file_.name = yaml_.scalar(value, key);
  if (key == "platforms") read_platforms(value);
  if (key == "variants") read_variants(value);
  if (key == "set") read_axes(value);
  if (key == "workloads") read_programs(value, "--workload");
  if (key == "traces") read_programs(value, "--trace");
  if (key == "seeds") read_seeds(value);
  if (key == "options") read_options(value);
  if (key == "only") only_ = value;
  if (key == "point") file_.point = yaml_.scalar(value, key);
  if (key == "figures") file_.figures = words(value, key);
}

void SweepFileReader::read_only() {
  if (!only_.IsDefined()) return;
  const Words keys = file_.keys();
  for (const Node& item : yaml_.list(only_, "only")) {
    try {
      file_.only.push_back(Constraint::read(yaml_.scalar(item, "only"), keys));
    } catch (const SyntaxFault& fault) {
      yaml_.fault(item, "only: " + fault.message, fault.offset);
    }
  }
}

SweepFile SweepFileReader::read() {
  only_ = Node(YAML::NodeType::Undefined);
  for (const auto& [key, value] : yaml_.pairs(yaml_.top(), "sweep", known_keys))
    read_entry(key.Scalar(), value);
  if (file_.platforms.empty() && yaml_.sound()) yaml_.fault(yaml_.top(), "platforms: none is named");
  if (file_.variants.empty()) file_.variants.push_back({"plain", {}});
  if (file_.programs.empty())
    file_.programs.push_back({"traffic", {}});  // traffic of the platform's generators
  if (file_.seeds.empty()) file_.seeds.push_back(1);
  read_only();
  yaml_.finish();
  return file_;
}

}  // namespace

Words SweepFile::keys() const {
  Words keys = {"platform", "variant", "workload", "seed"};
  for (const Axis& axis : axes) keys.push_back(axis.key);
  return keys;
}

SweepFile SweepFile::load(const std::string& path) {
  return SweepFileReader(path).read();
}

}  // namespace strata::platforms
