// The launches of a workload file: loops, host actions, kernels with grid, block and arguments.
#include <algorithm>
#include <cstdlib>

#include "traces/workloads/workload_reader.h"

namespace strata::traces {
namespace {

constexpr std::size_t most_launches = 1'000'000;                   // a loop bound gone wrong
constexpr std::size_t most_steps = 4 * most_launches;              // turns of loops and host actions, too
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

// `- {for: k in 0 .. n - 1, launches: [...]}`; both ends belong to the range, as in netlists.
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
    if (!yaml_.sound()) break;  // the next turn would repeat the faults
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
      // A loop may end with nothing left to do: CUDA refuses such a launch, and the program goes on.
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

// The fields of a structure in order, each at its natural place: `[{ptr: a}, {i32: n}, {f32: 0.5}]`.
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

// A buffer (`a`), the address of an element (`a[n * k]`), a whole number (`n / 2`) or a real one (`0.5`).
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
