#include "platforms/engine/netlist/netlist_reader.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "models/common/input_file.h"
#include "models/io/yaml_file.h"
#include "platforms/engine/netlist/binding.h"

namespace strata::platforms {
namespace {

const std::vector<std::string> top_keys = {"platform",  "extends", "plugins", "clocks", "address_map",
                                           "instances", "every",   "bind",    "bind+",  "run"};

std::string shown(const YAML::Node& node) {
  if (node.IsScalar()) return "'" + node.Scalar() + "'";
  if (node.IsMap()) return "a mapping";
  if (node.IsSequence()) return "a list";
  return "nothing";
}

/// The message of yaml-cpp, reworded for readers of the file.
std::string reworded(const YAML::Exception& error, const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i <= error.mark.line && std::getline(lines, line); ++i) {
    const std::size_t first = line.find_first_not_of(" ");
    if (first != std::string::npos && line[first] == '\t')
      return "line " + std::to_string(i + 1) + " is indented with a tab; YAML allows spaces only";
  }
  const std::string message = error.msg;
  const auto has = [&](const char* part) { return message.find(part) != std::string::npos; };
  if (has("end of map flow")) return "a '{' is not closed, or a comma is missing between its keys";
  if (has("end of sequence flow")) return "a '[' is not closed, or a comma is missing between its values";
  if (has("end of map not found"))
    return "this line does not belong to the mapping above; check its indentation";
  if (has("end of sequence not found"))
    return "this line does not belong to the list above; check its indentation";
  if (has("illegal map value"))
    return "a ':' where no key can stand; quote the text or check the indentation";
  if (has("illegal block entry")) return "a '-' where no list can stand; check the indentation";
  if (has("bad file")) return "nested too deeply";
  if (has("unknown token")) return "unexpected character; quote the text if it is meant";
  return message;
}

}  // namespace

SourcePosition NetlistReader::position(const YAML::Node& node) const {
  const YAML::Mark mark = node.Mark();
  if (mark.is_null()) return {files_.back(), 0, 0};
  return {files_.back(), mark.line + 1, mark.column + 1};
}

void NetlistReader::fault(const YAML::Node& node, std::string message) {
  netlist_.reading_faults_.push_back({position(node), std::move(message)});
}

void NetlistReader::read_file(const std::string& path, const SourcePosition& from) {
  const std::string name = std::filesystem::path(path).lexically_normal().string();
  if (std::find(files_.begin(), files_.end(), name) != files_.end()) {
    std::string chain;
    for (const std::string& file : files_) chain += file + " -> ";
    netlist_.reading_faults_.push_back(
        {from, "extends: the files extend each other in a circle: " + chain + name});
    return;
  }
  std::string text;
  try {
    text = read_input(path, most_yaml_bytes);
  } catch (const InputError& error) {
    throw ConfigError(Faults{{from, "cannot read netlist '" + name + "': " + error.what()}});
  }
  files_.push_back(name);
  try {
    const std::vector<YAML::Node> documents = load_yaml(text);
    if (documents.empty() || !documents[0].IsMap())
      throw ConfigError(Faults{{{name, 1, 1},
                                "is no netlist: expected a mapping with the keys platform, clocks, "
                                "instances, bind, ..."}});
    if (documents.size() > 1)
      fault(documents[1], "a netlist is one YAML document; found a second one after '---'");
    read_top(documents[0]);
  } catch (const YAML::Exception& error) {
    Faults faults = netlist_.reading_faults_;
    SourcePosition where{name, 0, 0};
    if (!error.mark.is_null()) where = {name, error.mark.line + 1, error.mark.column + 1};
    faults.push_back({where, "not valid YAML: " + reworded(error, text)});
    throw ConfigError(std::move(faults));
  }
  files_.pop_back();
}

bool NetlistReader::is_scalar(const YAML::Node& node, const std::string& what) {
  if (node.IsScalar()) return true;
  fault(node, what + ": expected a single value, found " + shown(node));
  return false;
}

bool NetlistReader::is_map(const YAML::Node& node, const std::string& what) {
  if (node.IsMap()) return true;
  fault(node, what + ": expected 'key: value' pairs, found " + shown(node));
  return false;
}

bool NetlistReader::repeated(std::vector<std::string>& seen, const YAML::Node& key,
                             const std::string& owner) {
  if (std::find(seen.begin(), seen.end(), key.Scalar()) != seen.end()) {
    fault(key, owner + ": key '" + key.Scalar() + "' appears twice");
    return true;
  }
  seen.push_back(key.Scalar());
  return false;
}

void NetlistReader::read_top(const YAML::Node& top) {
  for (const auto& pair : top)  // extended files come first, wherever the key stands
    if (pair.first.IsScalar() && pair.first.Scalar() == "extends") read_extends(pair.second);
  std::vector<std::string> seen;
  for (const auto& pair : top) {
    if (!is_scalar(pair.first, "key") || repeated(seen, pair.first, "netlist")) continue;
    const std::string& key = pair.first.Scalar();
    if (key == "extends" || key == "every") continue;
    if (key == "platform") {
      if (is_scalar(pair.second, key)) netlist_.title_ = pair.second.Scalar();
    } else if (key == "plugins") {
      read_plugins(pair.second);
    } else if (key == "clocks") {
      read_section(pair.second, netlist_.clocks_);
    } else if (key == "address_map") {
      read_section(pair.second, netlist_.address_map_);
    } else if (key == "run") {
      read_section(pair.second, netlist_.run_);
    } else if (key == "instances") {
      read_instances(pair.second);
    } else if (key == "bind" || key == "bind+") {
      read_bindings(pair.second, key == "bind+");
    } else {
      const std::string hint = suggestion(key, top_keys);
      fault(
          pair.first,
          "'" + key + "': no such key" +
              (hint.empty() ? "; allowed: platform, extends, plugins, clocks, address_map, instances, every, "
                              "bind, bind+, run"
                            : hint));
    }
  }
  for (const auto& pair : top)  // applies to all instances, also to those that this file adds
    if (pair.first.IsScalar() && pair.first.Scalar() == "every") read_every(pair.second);
}

void NetlistReader::read_extends(const YAML::Node& node) {
  if (node.IsSequence()) {
    for (const YAML::Node& name : node) extend(name);
  } else {
    extend(node);
  }
}

void NetlistReader::extend(const YAML::Node& name) {
  if (!is_scalar(name, "extends")) return;
  const std::filesystem::path folder = std::filesystem::path(files_.back()).parent_path();
  read_file((folder / name.Scalar()).string(), position(name));
}

void NetlistReader::read_plugins(const YAML::Node& node) {
  if (!node.IsSequence()) return add_plugin(node);
  for (const YAML::Node& file : node) add_plugin(file);
}

void NetlistReader::add_plugin(const YAML::Node& file) {
  if (!is_scalar(file, "plugins")) return;
  const std::filesystem::path folder = std::filesystem::path(files_.back()).parent_path();
  netlist_.add_plugin((folder / file.Scalar()).string(), position(file));
}

void NetlistReader::read_section(const YAML::Node& node, NetlistSection& section) {
  if (!is_map(node, section.name)) return;
  std::vector<std::string> seen;
  std::vector<NetlistEntry> entries;
  for (const auto& pair : node) {
    if (!is_scalar(pair.first, section.name) || repeated(seen, pair.first, section.name)) continue;
    const std::string& key = pair.first.Scalar();
    if (!is_scalar(pair.second, section.name + "." + key)) continue;
    entries.push_back({key, pair.second.Scalar(), position(pair.first), position(pair.second)});
  }
  // The module first: a new module invalidates entries of the former one, not entries beside it.
  std::stable_partition(entries.begin(), entries.end(),
                        [](const NetlistEntry& e) { return e.key == "module"; });
  for (NetlistEntry& entry : entries) section.set(std::move(entry));
}

void NetlistReader::read_instances(const YAML::Node& node) {
  if (!is_map(node, "instances")) return;
  std::vector<std::string> seen;
  for (const auto& pair : node) {
    if (is_scalar(pair.first, "instances") && !repeated(seen, pair.first, "instances"))
      read_instance(pair.first, pair.second);
  }
}

void NetlistReader::read_instance(const YAML::Node& key, const YAML::Node& value) {
  NetlistSection section;
  section.where = position(key);
  std::optional<IndexRange> range;
  try {
    range = read_indexed_name(key.Scalar(), section.name);
  } catch (const SyntaxFault& syntax) {
    return fault(key, "instance '" + key.Scalar() + "': " + syntax.message);
  }
  if (range) {
    section.first_index = range->first;
    section.last_index = range->last;
    return read_section(value, netlist_.override_of(section));
  }
  if (std::find(top_keys.begin(), top_keys.end(), section.name) != top_keys.end())
    return fault(key, "instance '" + section.name + "': the name is reserved; choose another");
  if (value.IsNull()) return remove_instance(section.name, key);
  NetlistSection* present = netlist_.find_instance(section.name);
  if (present == nullptr) {
    netlist_.instances_.push_back(std::move(section));
    present = &netlist_.instances_.back();
  }
  present->where = position(key);
  const NetlistEntry* module = present->find("module");
  const std::string former = module != nullptr ? module->text : "";
  read_section(value, *present);
  netlist_.void_overrides_of_former_module(*present, former);
}

void NetlistReader::read_every(const YAML::Node& node) {
  if (!is_map(node, "every")) return;
  std::vector<std::string> known;
  for (const NetlistSection& section : netlist_.instances_)
    if (const NetlistEntry* module = section.find("module")) known.push_back(module->text);
  for (const auto& pair : node) {
    if (!is_scalar(pair.first, "every")) continue;
    const std::string& kind = pair.first.Scalar();
    if (std::find(known.begin(), known.end(), kind) == known.end())
      fault(pair.first, "every: no instance is a '" + kind + "'" + suggestion(kind, known));
    for (NetlistSection& section : netlist_.instances_)
      if (const NetlistEntry* module = section.find("module"); module != nullptr && module->text == kind)
        read_section(pair.second, section);
  }
}

void NetlistReader::remove_instance(const std::string& name, const YAML::Node& key) {
  const NetlistSection* present = netlist_.find_instance(name);
  if (present == nullptr) {
    std::vector<std::string> known;
    for (const NetlistSection& section : netlist_.instances_) known.push_back(section.name);
    return fault(key, "instance '" + name +
                          "' has no keys, and no extended file has an instance of that name to remove" +
                          suggestion(name, known));
  }
  const auto of_that_name = [&](const NetlistSection& section) { return section.name == name; };
  auto& instances = netlist_.instances_;
  auto& overrides = netlist_.overrides_;
  overrides.erase(std::remove_if(overrides.begin(), overrides.end(), of_that_name), overrides.end());
  instances.erase(std::remove_if(instances.begin(), instances.end(), of_that_name), instances.end());
}

void NetlistReader::read_bindings(const YAML::Node& node, bool append) {
  if (!node.IsSequence())
    return fault(node, "bind: expected a list of '- a[i].x -> b[i].y', found " + shown(node));
  if (!append) netlist_.bindings_.clear();
  for (const YAML::Node& line : node) {
    if (!is_scalar(line, "bind")) continue;
    SourcePosition where = position(line);
    if (line.Tag() == "!") ++where.column;  // quoted text: count from after the quote
    netlist_.bindings_.push_back({"bind", line.Scalar(), where, where});
  }
}

}  // namespace strata::platforms
