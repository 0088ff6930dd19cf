#include "platforms/engine/timing_sets.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "models/common/input_file.h"
#include "models/common/text.h"
#include "models/io/yaml_file.h"

namespace strata::platforms {
namespace {

/// Reads a timing set from a mapping and collects its faults.
class Reader final : public ParamVisitor {
 public:
  Reader(std::string file, const YAML::Node& map) : file_(std::move(file)), map_(map) {}

  void integer(const ParamInfo& info, int& field, Range range) override {
    const auto number = parse_integer(find(info));
    if (!found_ && optional(info.name)) field = 0;  // missing: 0, not the built-in default
    if (!found_) return;
    if (!number || *number < range.min || *number > range.max ||
        (range.power_of_two && (*number & (*number - 1)) != 0)) {
      blame(where_, quoted(info) + " must be a whole number from " + std::to_string(range.min) + " to " +
                        std::to_string(range.max) + (range.power_of_two ? ", a power of two" : "") +
                        ", not '" + text_ + "'");
      return;
    }
    field = static_cast<int>(*number);
  }

  void bytes(const ParamInfo& info, Bytes& field, Range range) override {
    const auto size = parse_bytes(find(info));
    if (!found_) return;
    if (!size || size->count < static_cast<std::uint64_t>(range.min) ||
        size->count > static_cast<std::uint64_t>(range.max)) {
      blame(where_, quoted(info) + " must be a size from " +
                        to_text(Bytes(static_cast<std::uint64_t>(range.min))) + " to " +
                        to_text(Bytes(static_cast<std::uint64_t>(range.max))) + ", not '" + text_ + "'");
      return;
    }
    field = *size;
  }

  void choice_index(const ParamInfo& info, int& index, const std::vector<std::string>& names) override {
    const std::string text = find(info);
    if (!found_) return;
    const auto at = std::find(names.begin(), names.end(), text);
    if (at != names.end()) {
      index = static_cast<int>(at - names.begin());
      return;
    }
    blame(where_, quoted(info) + " must be one of " + comma_list(names) + ", not '" + text + "'" +
                      suggestion(text, names));
  }

  // A timing set has no fractions, switches or free text.
  void real(const ParamInfo&, double&, double, double) override {}
  void flag(const ParamInfo&, bool&) override {}
  void text(const ParamInfo&, std::string&) override {}

  void hertz(const ParamInfo& info, Hertz& field) {
    const auto frequency = parse_hertz(find(info));
    if (!found_) return;
    if (!frequency || frequency->count == 0) {
      blame(where_, quoted(info) + " must be a frequency such as 924 MHz, not '" + text_ + "'");
      return;
    }
    field = *frequency;
  }

  std::string name() {
    known_.insert("name");
    const YAML::Node node = map_["name"];
    if (node && node.IsScalar()) return node.Scalar();
    blame(map_.Mark(), "the name of the timing set is missing (name: ...)");
    return {};
  }

  void finish(const TimingSet& set) {
    for (const auto& entry : map_) {
      const std::string key = entry.first.Scalar();
      if (known_.count(key) == 0)
        blame(entry.first.Mark(),
              "unknown timing key '" + key + "'" + suggestion(key, {known_.begin(), known_.end()}));
    }
    if (faults_.empty()) {
      for (const Fault& fault : set.validate())
        blame(map_[fault.where.file] ? map_[fault.where.file].Mark() : map_.Mark(),
              fault.where.file + " " + fault.message);
    }
    if (!faults_.empty()) throw ConfigError(std::move(faults_));
  }

 private:
  static bool optional(std::string_view key) {
    return key == "nREFI" || key == "nRFC" || key == "nRFCpb" || key == "nRREFD";
  }
  static std::string quoted(const ParamInfo& info) { return "'" + std::string(info.name) + "'"; }

  std::string find(const ParamInfo& info) {
    const std::string key(info.name);
    known_.insert(key);
    found_ = false;
    text_.clear();
    const YAML::Node node = map_[key];
    if (!node) {
      if (!optional(key)) blame(map_.Mark(), "timing key " + quoted(info) + " is missing");
      return text_;
    }
    where_ = node.Mark();
    if (!node.IsSequence() || node.size() != 2 || !node[0].IsScalar() || !node[1].IsScalar() ||
        node[1].Scalar().empty()) {
      blame(where_, quoted(info) + " must read [value, \"where the value comes from\"]");
      return text_;
    }
    found_ = true;
    text_ = node[0].Scalar();
    return text_;
  }

  void blame(const YAML::Mark& mark, std::string message) {
    faults_.push_back({{file_, mark.line + 1, mark.column + 1}, std::move(message)});
  }

  std::string file_;
  YAML::Node map_;
  std::set<std::string> known_;
  Faults faults_;
  bool found_ = false;
  std::string text_;
  YAML::Mark where_;
};

YAML::Node parse(const std::string& path) {
  try {
    const std::vector<YAML::Node> documents = load_yaml(read_input(path, most_yaml_bytes));
    return documents.empty() ? YAML::Node() : documents.front();
  } catch (const YAML::ParserException& fault) {
    throw ConfigError(Faults{{{path, fault.mark.line + 1, fault.mark.column + 1}, fault.msg}});
  } catch (const InputError& error) {
    throw ConfigError(Faults{{{path, 0, 0}, std::string("cannot read the timing set: ") + error.what()}});
  }
}

std::vector<std::string> names_in(const std::vector<std::string>& directories) {
  std::set<std::string> names;
  for (const std::string& directory : directories) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
      if (entry.path().extension() == ".yaml") names.insert(entry.path().stem().string());
  }
  return {names.begin(), names.end()};
}

}  // namespace

TimingSet load_timing_set_file(const std::string& path) {
  const YAML::Node root = parse(path);
  if (!root.IsMap())
    throw ConfigError(Faults{{{path, 1, 1}, "a timing set is a list of 'key: [value, source]'"}});
  TimingSet set;
  Reader reader(path, root);
  set.name = reader.name();
  reader.hertz({"clock", "", "command clock"}, set.clock);
  set.for_each_param(reader);
  reader.finish(set);
  return set;
}

TimingSet load_timing_set(const std::string& name, const std::vector<std::string>& directories) {
  const std::vector<std::string> names = names_in(directories);
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    for (const std::string& directory : directories) {
      const std::filesystem::path path = std::filesystem::path(directory) / (name + ".yaml");
      if (std::filesystem::exists(path)) return load_timing_set_file(path.string());
    }
  }
  throw ConfigError("there is no timing set '" + name + "'" + suggestion(name, names) +
                    (names.empty() ? "" : "; there are " + comma_list(names)));
}

Faults resolve_timing_set(ParamSet& params, const std::vector<std::string>& directories) {
  auto* user = dynamic_cast<UsesTimingSet*>(&params);
  if (user == nullptr || user->timing_set == user->timing.name) return {};
  try {
    user->timing = load_timing_set(user->timing_set, directories);
  } catch (const ConfigError& error) {
    Faults faults = error.faults();
    for (Fault& fault : faults)
      if (fault.where.file.empty()) fault.where.file = "timing_set";
    return faults;
  }
  return {};
}

}  // namespace strata::platforms
