#include "traces/workloads/yaml_reader.h"

#include <algorithm>
#include <set>

#include "models/common/input_file.h"
#include "models/common/text.h"
#include "models/io/yaml_file.h"

namespace strata::traces {
namespace {

std::string shown(const YAML::Node& node) {
  if (node.IsScalar()) return "'" + node.Scalar() + "'";
  if (node.IsMap()) return "a mapping";
  if (node.IsSequence()) return "a list";
  return "nothing";
}

}  // namespace

YamlReader::YamlReader(std::string path, const char* is_not) : path_(std::move(path)) {
  try {
    const std::vector<YAML::Node> documents = load_yaml(read_input(path_, most_yaml_bytes));
    if (documents.size() != 1 || !documents[0].IsMap()) throw ConfigError(Faults{{{path_, 1, 1}, is_not}});
    top_ = documents[0];
  } catch (const InputError& error) {
    throw ConfigError(Faults{{{path_, 0, 0}, std::string("cannot be read: ") + error.what()}});
  } catch (const YAML::Exception& error) {
    SourcePosition at{path_, 0, 0};
    if (!error.mark.is_null()) at = {path_, error.mark.line + 1, error.mark.column + 1};
    throw ConfigError(Faults{{at, "not valid YAML: " + error.msg}});
  }
}

SourcePosition YamlReader::where(const YAML::Node& node) const {
  const YAML::Mark mark = node.Mark();
  if (mark.is_null()) return {path_, 0, 0};
  return {path_, mark.line + 1, mark.column + 1};
}

void YamlReader::fault(const YAML::Node& node, std::string message, std::size_t column_offset) {
  SourcePosition at = where(node);
  at.column += static_cast<int>(column_offset) + (node.IsScalar() && node.Tag() == "!" ? 1 : 0);
  faults_.push_back({at, std::move(message)});
}

YamlReader::Pairs YamlReader::pairs(const YAML::Node& node, const std::string& what,
                                    const std::vector<std::string>& allowed) {
  Pairs result;
  if (!node.IsMap()) {
    fault(node, what + ": expected 'key: value' pairs, found " + shown(node));
    return result;
  }
  std::set<std::string> seen;
  for (const auto& pair : node) {
    if (!pair.first.IsScalar()) {
      fault(pair.first, what + ": a key must be a single word");
      continue;
    }
    const std::string& key = pair.first.Scalar();
    if (!seen.insert(key).second) {
      fault(pair.first, what + ": key '" + key + "' appears twice");
      continue;
    }
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
      const std::string hint = suggestion(key, allowed);
      fault(pair.first,
            what + ": no key '" + key + "'" + (hint.empty() ? "; allowed: " + comma_list(allowed) : hint));
      continue;
    }
    result.emplace_back(pair.first, pair.second);
  }
  return result;
}

std::string YamlReader::scalar(const YAML::Node& node, const std::string& what) {
  if (node.IsScalar()) return node.Scalar();
  fault(node, what + ": expected a single value, found " + shown(node));
  return "";
}

std::vector<YAML::Node> YamlReader::list(const YAML::Node& node, const std::string& what) {
  if (node.IsScalar()) return {node};
  if (!node.IsSequence()) {
    fault(node, what + ": expected a list, found " + shown(node));
    return {};
  }
  std::vector<YAML::Node> items;
  for (const YAML::Node& item : node) items.push_back(item);
  return items;
}

void YamlReader::finish() const {
  if (!faults_.empty()) throw ConfigError(faults_);
}

}  // namespace strata::traces
