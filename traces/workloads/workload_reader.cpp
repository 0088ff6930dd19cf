// The launches of a workload file: loops, host actions, kernels with grid, block and arguments.
#include "traces/workloads/workload_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "models/common/text.h"
#include "models/common/units.h"

namespace strata::traces {
namespace {

bool is_real(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f64;
}
bool has_sign(ElementType type) {
  return to_text(type)[0] == 'i';
}
/// Largest magnitude; fills are computed in signed 64 bits.
int magnitude_bits(ElementType type) {
  const int bits = static_cast<int>(8 * element_bytes(type));
  return has_sign(type) ? bits - 1 : std::min(bits, 63);
}

}  // namespace

std::vector<double> extremes(const WorkloadBuffer& buffer) {
  const double first = buffer.fill.first, second = buffer.fill.second;
  const double last = buffer.count == 0 ? 0 : static_cast<double>(buffer.count - 1);
  switch (buffer.fill.kind) {
    case BufferFill::Kind::value:
      return {first};
    case BufferFill::Kind::uniform:
      return {first, second};
    case BufferFill::Kind::index:
      return {first, first + last * second};
    case BufferFill::Kind::permutation:
      return {last};
    default:
      return {};
  }
}

bool can_hold(ElementType type, double value) {
  if (is_real(type)) return true;
  const double end = std::ldexp(1.0, magnitude_bits(type)), whole = std::trunc(value);
  return (has_sign(type) ? -end : 0) <= whole && whole < end;
}

std::string range_of(ElementType type) {
  if (is_real(type)) return "any";
  const std::uint64_t end = std::uint64_t{1} << magnitude_bits(type);
  return (has_sign(type) ? "-" + std::to_string(end) : "0") + " to " + std::to_string(end - 1);
}

namespace {

const std::vector<std::string> top_keys = {"workload", "algorithm", "scales",   "values",  "seed",
                                           "module",   "buffers",   "launches", "outputs", "reference",
                                           "paper",    "read_only", "limits"};
constexpr std::uint64_t most_buffer_bytes = std::uint64_t{1} << 40;  // GlobalMemory's limit

bool is_real_literal(const std::string& text, double& value) {
  if (text.find_first_of(".eE") == std::string::npos && text != "inf") return false;
  if (text.empty() || text.find_first_not_of("0123456789+-.eEinf") != std::string::npos) return false;
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return *end == 0;
}

}  // namespace

void WorkloadReader::read(const std::string& scale, const std::vector<ValueChange>& changes) {
  YAML::Node by_key[16];
  for (const auto& pair : yaml_.pairs(yaml_.top(), "workload", top_keys))
    for (std::size_t i = 0; i < top_keys.size(); ++i)
      if (pair.first.Scalar() == top_keys[i]) by_key[i] = pair.second;
  const auto at = [&](const char* key) -> const YAML::Node& {
    for (std::size_t i = 0; i < top_keys.size(); ++i)
      if (top_keys[i] == key) return by_key[i];
    return by_key[15];
  };
  const auto given = [&](const char* key) { return at(key).IsDefined() && !at(key).IsNull(); };
  into_.name = std::filesystem::path(into_.file).stem().string();
  if (given("workload")) into_.title = yaml_.scalar(at("workload"), "workload");
  if (given("algorithm")) into_.algorithm = yaml_.scalar(at("algorithm"), "algorithm");
  const bool before = yaml_.sound();
  if (given("scales")) read_scales(at("scales"), scale, changes);
  if (!given("scales") && (!scale.empty() || !changes.empty()))
    yaml_.fault(yaml_.top(), "no scale '" + scale + "': the workload has no 'scales'");
  if (before && !yaml_.sound()) yaml_.finish();  // later steps would only report missing values
  if (given("values")) read_values(at("values"));
  if (given("seed")) into_.seed = static_cast<std::uint64_t>(whole(at("seed"), "seed").value_or(1));
  if (given("read_only")) read_policy(at("read_only"));
  if (given("limits")) read_limits(at("limits"));
  for (const char* key : {"module", "buffers", "launches"})
    if (!given(key)) yaml_.fault(yaml_.top(), std::string("workload: the key '") + key + "' is missing");
  if (given("module")) read_modules(at("module"));
  if (given("buffers")) read_buffers(at("buffers"));
  if (given("launches")) {
    read_launches(at("launches"));
    into_.after.swap(pending_);  // host actions after the last launch
    if (yaml_.sound() && into_.launches.empty()) yaml_.fault(at("launches"), "launches: nothing is launched");
  }
  if (given("reference")) {
    into_.reference = yaml_.scalar(at("reference"), "reference");
    into_.reference_where = yaml_.where(at("reference"));
  }
  if (given("outputs")) read_outputs(at("outputs"));
  if (given("paper")) read_paper(at("paper"));
  yaml_.finish();
}

void WorkloadReader::read_scales(const YAML::Node& node, const std::string& scale,
                                 const std::vector<ValueChange>& changes) {
  YAML::Node chosen;
  const auto scales = yaml_.pairs(node, "scales", {});
  for (const auto& pair : scales) into_.scales.push_back(pair.first.Scalar());
  if (into_.scales.empty()) return;
  into_.scale = scale;
  if (scale.empty()) {
    into_.scale = into_.scales.front();
    for (const std::string& name : into_.scales)
      if (name == "tiny") into_.scale = name;
  }
  for (const auto& pair : scales)
    if (pair.first.Scalar() == into_.scale) chosen = pair.second;
  if (!chosen.IsDefined() || chosen.IsNull()) {
    return yaml_.fault(node, "no scale '" + into_.scale + "'" + suggestion(into_.scale, into_.scales) +
                                 "; there are " + comma_list(into_.scales));
  }
  std::vector<std::string> names;
  for (const auto& pair : yaml_.pairs(chosen, "scale " + into_.scale, {})) {
    names.push_back(pair.first.Scalar());
    if (const auto value = whole(pair.second, pair.first.Scalar()))
      into_.values[pair.first.Scalar()] = *value;
  }
  for (const ValueChange& change : changes) {
    if (into_.values.count(change.name) == 0) {
      yaml_.fault(chosen, "no value '" + change.name + "' in scale " + into_.scale + " to change" +
                              suggestion(change.name, names));
      continue;
    }
    try {
      into_.values[change.name] = evaluate(change.text, into_.values);
    } catch (const ExpressionFault& fault) {
      yaml_.fault(chosen, change.name + "=" + change.text + ": " + fault.what());
    }
  }
}

void WorkloadReader::read_values(const YAML::Node& node) {
  for (const auto& pair : yaml_.pairs(node, "values", {})) {
    if (into_.values.count(pair.first.Scalar()) != 0)
      yaml_.fault(pair.first, "values: '" + pair.first.Scalar() + "' is a value of the scale already");
    else if (const auto value = whole(pair.second, pair.first.Scalar()))
      into_.values[pair.first.Scalar()] = *value;
  }
}

void WorkloadReader::read_modules(const YAML::Node& node) {
  for (const YAML::Node& item : yaml_.list(node, "module")) {
    const std::string path = yaml_.scalar(item, "module");
    into_.modules.push_back(beside(path));
    into_.module_where.push_back(yaml_.where(item));
  }
}

std::string WorkloadReader::beside(const std::string& path) const {
  const std::filesystem::path folder = std::filesystem::path(into_.file).parent_path();
  return (folder / path).lexically_normal().string();
}

void WorkloadReader::read_buffers(const YAML::Node& node) {
  for (const auto& pair : yaml_.pairs(node, "buffers", {})) read_buffer(pair.first, pair.second);
}

void WorkloadReader::read_buffer(const YAML::Node& key, const YAML::Node& value) {
  const std::string name = key.Scalar();
  WorkloadBuffer made;
  made.name = name;
  made.where = yaml_.where(key);
  bool has_count = false;
  YAML::Node fill_node;
  if (into_.values.count(name) != 0) yaml_.fault(key, "buffer '" + name + "': there is a value of that name");
  for (const auto& pair : yaml_.pairs(value, "buffer " + name, {"type", "count", "fill", "symbol"})) {
    const std::string& word = pair.first.Scalar();
    if (word == "type") {
      const std::string text = yaml_.scalar(pair.second, name + ".type");
      const ElementRow* const found = find_named(element_types, text);
      if (found != nullptr)
        made.type = found->value;
      else
        yaml_.fault(pair.second, name + ".type: no type '" + text + "'; allowed: " + list_of(element_types) +
                                     suggestion(text, names_of(element_types)));
    } else if (word == "count") {
      has_count = true;
      const auto count = whole(pair.second, name + ".count");
      if (!count) continue;
      if (*count < 1 || static_cast<std::uint64_t>(*count) > most_buffer_bytes / 8)
        yaml_.fault(pair.second,
                    name + ".count: " + std::to_string(*count) + " elements; allowed: 1 to 2^37");
      else
        made.count = static_cast<std::uint64_t>(*count);
    } else if (word == "symbol") {
      made.symbol = yaml_.scalar(pair.second, name + ".symbol");
      made.symbol_where = yaml_.where(pair.second);
    } else if (const auto fill = read_fill(pair.second, name + ".fill")) {
      made.fill = *fill;
      fill_node.reset(pair.second);
    }
  }
  for (const double extreme : extremes(made)) check_range(fill_node, name + ".fill", made.type, extreme);
  if (!has_count) yaml_.fault(key, "buffer '" + name + "': the key 'count' is missing");
  bound_[name] = into_.buffers.size();
  into_.buffers.push_back(std::move(made));
}

void WorkloadReader::check_range(const YAML::Node& node, const std::string& what, ElementType type,
                                 double value) {
  if (can_hold(type, value)) return;
  std::ostringstream text;
  text << what << ": " << value << " is no " << to_text(type) << "; allowed: " << range_of(type);
  yaml_.fault(node, text.str());
}

std::optional<BufferFill> WorkloadReader::read_fill(const YAML::Node& node, const std::string& what) {
  using Kind = BufferFill::Kind;
  static const std::vector<std::string> names = {"none",  "zero",        "value", "uniform",
                                                 "index", "permutation", "file",  "reference"};
  const std::string text = yaml_.scalar(node, what);
  const std::size_t bracket = text.find('(');
  const std::string word = text.substr(0, bracket);
  std::vector<std::string> parts;
  if (bracket != std::string::npos) {
    if (text.back() != ')') {
      yaml_.fault(node, what + ": expected ')' at the end of '" + text + "'");
      return std::nullopt;
    }
    int depth = 0;
    parts.emplace_back();
    for (const char c : text.substr(bracket + 1, text.size() - bracket - 2)) {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0)
        parts.emplace_back();
      else if (c != ' ' || !parts.back().empty())
        parts.back() += c;
    }
  }
  BufferFill fill;
  if (word == "file" && parts.size() == 1) {
    fill.kind = Kind::file;
    fill.file = beside(parts[0]);
    return fill;
  }
  std::vector<double> numbers;
  for (const std::string& part : parts) {
    double value = 0;
    if (!is_real_literal(part, value)) {
      try {
        value = static_cast<double>(evaluate(part, into_.values));
      } catch (const ExpressionFault& fault) {
        yaml_.fault(node, what + ": '" + part + "': " + fault.what(), bracket + 1 + fault.offset);
        return std::nullopt;
      }
    }
    numbers.push_back(value);
  }
  const std::size_t n = numbers.size();
  fill.first = n > 0 ? numbers[0] : 0;
  fill.second = n > 1 ? numbers[1] : 1;
  if (word == "none" && n == 0) return fill;
  if ((word == "zero" && n == 0) || (word == "value" && n == 1)) return fill.kind = Kind::value, fill;
  if (word == "uniform" && n == 2 && fill.first <= fill.second) return fill.kind = Kind::uniform, fill;
  if (word == "index" && n <= 2) return fill.kind = Kind::index, fill;
  if (word == "permutation" && n == 0) return fill.kind = Kind::permutation, fill;
  if (word == "reference" && n == 0) return fill.kind = Kind::reference, fill;
  yaml_.fault(
      node, what + ": cannot fill with '" + text +
                "'; allowed: none, zero, value(V), uniform(LOW, HIGH), index, index(FIRST, STEP), "
                "permutation, file(PATH), reference" +
                (std::find(names.begin(), names.end(), word) == names.end() ? suggestion(word, names) : ""));
  return std::nullopt;
}

void WorkloadReader::read_limits(const YAML::Node& node) {
  for (const auto& pair : yaml_.pairs(node, "limits", {"instructions", "bytes"})) {
    const std::string& key = pair.first.Scalar();
    if (key == "instructions") {
      const auto most = whole(pair.second, "limits.instructions");
      if (most && *most < 1)
        yaml_.fault(pair.second, "limits.instructions: " + std::to_string(*most) + "; allowed: 1 and more");
      else if (most)
        into_.max_instructions = static_cast<std::uint64_t>(*most);
    } else {
      const std::string text = yaml_.scalar(pair.second, "limits.bytes");
      const auto most = parse_bytes(text);
      if (most)
        into_.max_bytes = most->count;
      else
        yaml_.fault(pair.second, "limits.bytes: '" + text + "' is no size; allowed: such as 512 MiB");
    }
  }
}

void WorkloadReader::read_policy(const YAML::Node& node) {
  const std::string word = yaml_.scalar(node, "read_only");
  try {
    if (!word.empty()) into_.read_only = parse_read_only("read_only", word);
  } catch (const ConfigError& error) {
    yaml_.fault(node, error.what());
  }
}

void WorkloadReader::read_outputs(const YAML::Node& node) {
  for (const auto& pair : yaml_.pairs(node, "outputs", {})) read_output(pair.first, pair.second);
}

void WorkloadReader::read_output(const YAML::Node& key, const YAML::Node& value) {
  WorkloadOutput output;
  output.where = yaml_.where(key);
  const auto index = buffer(key, "outputs");
  if (index) output.buffer = *index;
  for (std::size_t i = 0; i < into_.buffers.size(); ++i)
    if (into_.buffers[i].name == key.Scalar()) output.expected = i;
  if (value.IsScalar()) {
    if (value.Scalar() != "exact")
      yaml_.fault(value, "outputs." + key.Scalar() + ": '" + value.Scalar() +
                             "'; allowed: exact, {absolute: E}, {relative: E}, {file: PATH}");
  } else {
    for (const auto& pair :
         yaml_.pairs(value, "outputs." + key.Scalar(), {"absolute", "relative", "outliers", "file"})) {
      const std::string& word = pair.first.Scalar();
      if (word == "file") {
        output.file = beside(yaml_.scalar(pair.second, word));
        continue;
      }
      if (word == "outliers") {
        output.outliers =
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, whole(pair.second, word).value_or(0)));
        continue;
      }
      const auto bound = real(pair.second, word);
      if (!bound) continue;
      if (!(*bound >= 0)) yaml_.fault(pair.second, word + ": an error bound is at least 0");
      output.exact = false;
      (word == "absolute" ? output.absolute : output.relative) = *bound;
    }
  }
  if (output.file.empty() && into_.reference.empty())
    yaml_.fault(key, "outputs." + key.Scalar() +
                         ": nothing to compare with; give 'reference: NAME' or '{file: PATH}'");
  into_.outputs.push_back(output);
}

void WorkloadReader::read_paper(const YAML::Node& node) {
  for (const auto& pair : yaml_.pairs(node, "paper",
                                      {"name", "suite", "group", "shared_mb", "kernels", "l1_misses",
                                       "l1_misses_32", "replication", "one_l1_saves"})) {
    const std::string& key = pair.first.Scalar();
    if (key == "name") into_.paper.name = yaml_.scalar(pair.second, key);
    if (key == "suite") into_.paper.suite = yaml_.scalar(pair.second, key);
    if (key == "group") into_.paper.group = yaml_.scalar(pair.second, key);
    if (key == "shared_mb") into_.paper.shared_mb = real(pair.second, key).value_or(0);
    if (key == "kernels") into_.paper.kernels = whole(pair.second, key).value_or(0);
    if (key == "l1_misses") into_.paper.l1_misses = real(pair.second, key);
    if (key == "l1_misses_32") into_.paper.l1_misses_32 = real(pair.second, key);
    if (key == "replication") into_.paper.replication = real(pair.second, key);
    if (key == "one_l1_saves") into_.paper.one_l1_saves = real(pair.second, key);
  }
}

std::optional<std::int64_t> WorkloadReader::whole(const YAML::Node& node, const std::string& what) {
  const std::string text = yaml_.scalar(node, what);
  if (text.empty()) return std::nullopt;
  try {
    return evaluate(text, into_.values);
  } catch (const ExpressionFault& fault) {
    yaml_.fault(node, what + ": '" + text + "': " + fault.what(), fault.offset);
    return std::nullopt;
  }
}

std::optional<double> WorkloadReader::real(const YAML::Node& node, const std::string& what) {
  const std::string text = yaml_.scalar(node, what);
  double value = 0;
  if (is_real_literal(text, value)) return value;
  if (const auto number = whole(node, what)) return static_cast<double>(*number);
  return std::nullopt;
}

std::optional<std::size_t> WorkloadReader::buffer(const YAML::Node& node, const std::string& what) {
  const std::string name = yaml_.scalar(node, what);
  const auto found = bound_.find(name);
  if (found != bound_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& pair : bound_) names.push_back(pair.first);
  yaml_.fault(node, what + ": no buffer '" + name + "'" + suggestion(name, names));
  return std::nullopt;
}

WorkloadDefinition read_workload(const std::string& path, const std::string& scale,
                                 const std::vector<ValueChange>& changes) {
  WorkloadDefinition definition;
  WorkloadReader(path, definition).read(scale, changes);
  return definition;
}

namespace {

constexpr std::size_t most_launches = 1'000'000;                   // more is a wrong loop bound
constexpr std::size_t most_steps = 4 * most_launches;              // iterations of loops and host actions
constexpr std::int64_t most_grid[3] = {2147483647, 65535, 65535};  // CUDA C Programming Guide, table 27
constexpr std::int64_t most_block[3] = {1024, 1024, 64};           // the same
const std::vector<std::string> launch_keys = {"kernel", "grid",      "block",
                                              "shared", "arguments", "cooperative"};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

void WorkloadReader::read_launches(const YAML::Node& node) {
  if (!node.IsSequence())
    return yaml_.fault(node, "launches: expected a list of '- {kernel: ..., grid: ...}'");
  for (const YAML::Node& step : node) {
    if (!step.IsMap() || step.size() == 0) {
      yaml_.fault(step, "launches: expected kernel, for, fill, copy or swap");
      continue;
    }
    ++steps_;
    read_step(step);
    if (too_many()) return;
  }
}

bool WorkloadReader::too_many() const {
  return into_.launches.size() > most_launches || steps_ > most_steps;
}

void WorkloadReader::read_step(const YAML::Node& step) {
  static const std::vector<std::string> words = {"kernel", "for", "fill", "copy", "swap"};
  for (const std::string& word : words) {
    if (!step[word].IsDefined()) continue;
    if (word == "kernel") return read_launch(step);
    if (word == "for") return read_loop(step);
    if (word == "swap") return read_swap(step);
    return read_action(step, word);
  }
  const YAML::Node key = step.begin()->first;
  const std::string name = key.IsScalar() ? key.Scalar() : "";
  yaml_.fault(key,
              "launches: '" + name + "': expected kernel, for, fill, copy or swap" + suggestion(name, words));
}

// `- {for: k in 0 .. n - 1, launches: [...]}`; the range includes both ends, as in netlists.
void WorkloadReader::read_loop(const YAML::Node& step) {
  yaml_.pairs(step, "for", {"for", "launches"});
  const YAML::Node range = step["for"];
  const std::string text = yaml_.scalar(range, "for");
  const std::size_t in = text.find(" in "), dots = text.find("..");
  if (in == std::string::npos || dots == std::string::npos || dots < in)
    return yaml_.fault(range, "for: expected 'NAME in FIRST .. LAST', found '" + text + "'");
  const std::string name = trimmed(text.substr(0, in));
  if (into_.values.count(name) != 0 || bound_.count(name) != 0)
    return yaml_.fault(range, "for: the name '" + name + "' has a meaning already");
  if (!step["launches"].IsDefined()) return yaml_.fault(range, "for: the key 'launches' is missing");
  std::int64_t ends[2] = {0, 0};
  const std::size_t begin[2] = {in + 4, dots + 2}, length[2] = {dots - in - 4, std::string::npos};
  for (int i = 0; i < 2; ++i) {
    try {
      ends[i] = evaluate(text.substr(begin[i], length[i]), into_.values);
    } catch (const ExpressionFault& fault) {
      return yaml_.fault(range, std::string("for: ") + fault.what(), begin[i] + fault.offset);
    }
  }
  for (std::int64_t index = ends[0]; index <= ends[1]; ++index) {
    into_.values[name] = index;
    ++steps_;
    read_launches(step["launches"]);
    if (!yaml_.sound()) break;  // the next iteration would repeat the faults
    if (too_many()) {
      yaml_.fault(range, "for: more than 1000000 launches, or 4000000 turns and steps");
      break;
    }
  }
  into_.values.erase(name);
}

void WorkloadReader::read_swap(const YAML::Node& step) {
  yaml_.pairs(step, "swap", {"swap"});
  const std::vector<YAML::Node> names = yaml_.list(step["swap"], "swap");
  if (names.size() != 2) return yaml_.fault(step, "swap: expected two buffers");
  const auto a = buffer(names[0], "swap"), b = buffer(names[1], "swap");
  if (a && b) std::swap(bound_[names[0].Scalar()], bound_[names[1].Scalar()]);
}

void WorkloadReader::read_action(const YAML::Node& step, const std::string& word) {
  WorkloadAction action;
  const bool copy = word == "copy";
  action.kind = copy ? WorkloadAction::Kind::copy : WorkloadAction::Kind::fill;
  for (const auto& pair : yaml_.pairs(step, word, {word, copy ? "from" : "value"})) {
    const std::string& key = pair.first.Scalar();
    if (key == "value") {
      action.value = real(pair.second, key).value_or(0);
    } else if (const auto index = buffer(pair.second, key)) {
      (key == "from" ? action.from : action.buffer) = *index;
    }
  }
  if (!copy && yaml_.sound())
    check_range(step["value"], "value", into_.buffers[action.buffer].type, action.value);
  if (copy && !step["from"].IsDefined()) return yaml_.fault(step, "copy: the key 'from' is missing");
  if (copy && yaml_.sound() && into_.buffers[action.from].bytes() > into_.buffers[action.buffer].bytes())
    yaml_.fault(step, "copy: '" + into_.buffers[action.buffer].name + "' is smaller than '" +
                          into_.buffers[action.from].name + "'");
  pending_.push_back(action);
}

void WorkloadReader::read_launch(const YAML::Node& step) {
  WorkloadLaunch launch;
  launch.where = yaml_.where(step);
  const auto place = std::make_pair(launch.where.line, launch.where.column);
  launch.shared_where = launch.arguments_where = launch.where;
  for (const auto& pair : yaml_.pairs(step, "launch", launch_keys)) {
    const std::string& key = pair.first.Scalar();
    if (key == "kernel") {
      launch.kernel = yaml_.scalar(pair.second, key);
      launch.kernel_where = yaml_.where(pair.second);
    } else if (key == "grid") {
      // A loop may end with an empty grid: CUDA refuses such a launch, and the program continues.
      launch.grid = read_dim(pair.second, "grid", launched_.count(place) != 0);
      launch.grid_where = yaml_.where(pair.second);
    } else if (key == "block") {
      launch.block = read_dim(pair.second, "block");
      launch.block_where = yaml_.where(pair.second);
    } else if (key == "shared") {
      launch.shared_where = yaml_.where(pair.second);
      const auto bytes = whole(pair.second, key);
      if (bytes && (*bytes < 0 || *bytes > 233472))  // 228 KiB, the most of any GPU (compute capability 9.0)
        yaml_.fault(pair.second, "shared: " + std::to_string(*bytes) + " B; allowed: 0 to 233472");
      else
        launch.dynamic_shared_bytes = static_cast<std::uint32_t>(bytes.value_or(0));
    } else if (key == "cooperative") {
      const std::string answer = yaml_.scalar(pair.second, key);
      launch.cooperative = answer == "true";
      if (answer != "true" && answer != "false")
        yaml_.fault(pair.second, "cooperative: '" + answer + "'; allowed: true, false");
    } else {
      launch.arguments_where = yaml_.where(pair.second);
      for (const YAML::Node& item : yaml_.list(pair.second, key))
        launch.arguments.push_back(read_argument(item));
    }
  }
  for (const char* key : {"grid", "block"})
    if (!step[key].IsDefined())
      yaml_.fault(step, "kernel " + launch.kernel + ": the key '" + key + "' is missing");
  if (launch.block.count() > 1024)
    yaml_.fault(step["block"],
                "block: " + std::to_string(launch.block.count()) + " threads; allowed: 1 to 1024");
  if (launch.grid.count() == 0) return;
  launched_.insert(place);
  launch.before.swap(pending_);
  into_.launches.push_back(std::move(launch));
}

Dim3 WorkloadReader::read_dim(const YAML::Node& node, const std::string& what, bool may_be_empty) {
  const std::vector<YAML::Node> items = yaml_.list(node, what);
  std::uint32_t sizes[3] = {1, 1, 1};
  if (items.empty() || items.size() > 3) {
    yaml_.fault(node, what + ": expected one to three numbers, found " + std::to_string(items.size()));
    return {};
  }
  const std::int64_t* most = what == "grid" ? most_grid : most_block;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto size = whole(items[i], what);
    if (!size) continue;
    if (*size == 0 && may_be_empty)
      sizes[i] = 0;
    else if (*size < 1 || *size > most[i])
      yaml_.fault(items[i], what + ": " + (*size == 0 ? "of zero: " : "") + "'" + items[i].Scalar() +
                                "' is " + std::to_string(*size) + "; allowed: 1 to " +
                                std::to_string(most[i]));
    else
      sizes[i] = static_cast<std::uint32_t>(*size);
  }
  return {sizes[0], sizes[1], sizes[2]};
}

// The fields of a structure in order, each naturally aligned: `[{ptr: a}, {i32: n}, {f32: 0.5}]`.
WorkloadArgument WorkloadReader::read_structure(const YAML::Node& node) {
  WorkloadArgument made;
  made.kind = WorkloadArgument::Kind::structure;
  made.where = yaml_.where(node);
  std::uint32_t at = 0, widest = 1;
  for (const YAML::Node& item : node) {
    std::vector<std::string> types = names_of(element_types);
    types.emplace_back("ptr");
    if (!item.IsMap() || item.size() != 1 || !item.begin()->first.IsScalar()) {
      yaml_.fault(item, "arguments: expected a field such as {i32: n}");
      continue;
    }
    const std::string type = item.begin()->first.Scalar();
    const ElementRow* const row = find_named(element_types, type);
    if (row == nullptr && type != "ptr") {
      yaml_.fault(item, "arguments: no type '" + type + "'; allowed: ptr, " + list_of(element_types) +
                            suggestion(type, types));
      continue;
    }
    WorkloadField field;
    field.bytes = row == nullptr ? 8 : row->bytes;
    field.at = (at + field.bytes - 1) / field.bytes * field.bytes;
    field.value = read_argument(item.begin()->second);
    const bool real = row != nullptr && type[0] == 'f';
    if (real && field.value.kind == WorkloadArgument::Kind::integer) {
      field.value.kind = WorkloadArgument::Kind::real;
      field.value.real = static_cast<double>(field.value.integer);
    }
    const bool pointer = field.value.kind == WorkloadArgument::Kind::buffer;
    if (pointer != (row == nullptr) || (!real && field.value.kind == WorkloadArgument::Kind::real) ||
        field.value.kind == WorkloadArgument::Kind::structure)
      yaml_.fault(item, "arguments: the field is no " + type);
    at = field.at + field.bytes;
    widest = std::max(widest, field.bytes);
    made.fields.push_back(std::move(field));
  }
  made.bytes = (at + widest - 1) / widest * widest;
  return made;
}

// A buffer (`a`), the address of an element (`a[n * k]`), an integer (`n / 2`) or a real number (`0.5`).
WorkloadArgument WorkloadReader::read_argument(const YAML::Node& node) {
  if (node.IsSequence()) return read_structure(node);
  WorkloadArgument argument;
  argument.where = yaml_.where(node);
  const std::string text = yaml_.scalar(node, "arguments");
  const std::size_t bracket = text.find('[');
  const std::string name = trimmed(text.substr(0, bracket));
  if (bound_.count(name) != 0 && (bracket == std::string::npos || text.back() == ']')) {
    argument.kind = WorkloadArgument::Kind::buffer;
    argument.buffer = bound_[name];
    if (bracket == std::string::npos) return argument;
    const WorkloadBuffer& target = into_.buffers[argument.buffer];
    try {
      const std::int64_t element =
          evaluate(text.substr(bracket + 1, text.size() - bracket - 2), into_.values);
      if (element < 0 || static_cast<std::uint64_t>(element) >= target.count)
        yaml_.fault(node, "arguments: '" + text + "': buffer '" + name + "' is too small: element " +
                              std::to_string(element) + " of " + std::to_string(target.count));
      argument.integer = element * element_bytes(target.type);
    } catch (const ExpressionFault& fault) {
      yaml_.fault(node, "arguments: '" + text + "': " + fault.what(), bracket + 1 + fault.offset);
    }
    return argument;
  }
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() && *end == 0 && text.find_first_of(".eE") != std::string::npos) {
    argument.kind = WorkloadArgument::Kind::real;
    argument.real = value;
    return argument;
  }
  try {
    argument.integer = evaluate(text, into_.values);
  } catch (const ExpressionFault& fault) {
    std::vector<std::string> names;
    for (const auto& pair : bound_) names.push_back(pair.first);
    for (const auto& pair : into_.values) names.push_back(pair.first);
    const std::string why = fault.what();
    if (why.rfind("no value", 0) == 0)
      yaml_.fault(node,
                  "arguments: '" + text + "' is neither a buffer nor a value" + suggestion(name, names));
    else
      yaml_.fault(node, "arguments: '" + text + "': " + why, fault.offset);
  }
  return argument;
}

}  // namespace strata::traces
