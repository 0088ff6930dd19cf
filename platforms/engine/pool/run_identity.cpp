#include "platforms/engine/pool/run_identity.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/io/yaml_file.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/report/digest.h"
#include "platforms/report/manifest.h"
#include "platforms/report/results_files.h"
#include "platforms/report/results_reader.h"
#include "traces/cache/content_hash.h"
#include "traces/open.h"
#include "traces/workloads/workload.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string read_all(const std::string& path) {
  try {
    return read_input(path);
  } catch (const InputError& error) {
    throw ConfigError(path + ": cannot be read: " + error.what());
  }
}

/// Hash that distinguishes texts.
std::string hash_of(const std::string& text) {
  return digest_text(text_digest(text));
}

/// The file of a workload and the PTX that it names.
std::string workload_text(const std::string& spec) {
  const std::string file = traces::find_workload(spec.substr(0, spec.find('@')));
  std::string text = read_all(file);
  const YAML::Node modules = load_yaml(text).at(0)["module"];
  const auto append = [&](const YAML::Node& one) {
    text += read_all((fs::path(file).parent_path() / one.Scalar()).string());
  };
  if (modules && modules.IsScalar()) append(modules);
  if (modules && modules.IsSequence())
    for (const YAML::Node& one : modules) append(one);
  return text;
}

/// A trace kind of a plug-in: only the plug-in knows which files it reads.
bool is_spec(const std::string& trace) {
  const std::size_t colon = trace.find(':');
  return colon != std::string::npos && colon != 0 &&
         std::all_of(trace.begin(), trace.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

}  // namespace

std::string program_identity(const std::string& path) {
  traces::ContentHash hash;
  try {
    hash.add_file(path);
  } catch (const InputError& error) {
    throw ConfigError(path + ": cannot be read: " + error.what());
  }
  return hash.digits();
}

std::string for_a_path(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '+' && c != '_') c = '-';
  return text;
}

const std::string& RunIdentities::machine(const Words& files, const Words& sets) {
  std::string id;
  for (const Words* some : {&files, &sets})
    for (const std::string& one : *some) id += one + "\n";
  const auto [at, is_new] = machines_.try_emplace(id);
  if (!is_new && !at->second.empty()) return at->second;
  const Netlist netlist = Netlist::load(files, sets);
  std::string text = effective_configuration(netlist.resolve());
  for (const auto& plugin : netlist.plugins()) text += plugin->digest();
  return at->second = hash_of(text);
}

const std::string& RunIdentities::workload(const std::string& spec) {
  const auto at = workloads_.try_emplace(spec).first;
  if (!at->second.empty()) return at->second;
  traces::Workload::load(spec);  // reports its faults before any run
  return at->second = hash_of(workload_text(spec));
}

const std::string& RunIdentities::trace(const std::string& spec) {
  const auto at = traces_.try_emplace(spec).first;
  if (!at->second.empty()) return at->second;
  traces::ContentHash hash;
  hash.add_part(spec);
  std::error_code ignored;
  if (!is_spec(spec) || spec.rfind("synthetic:", 0) == 0 || fs::exists(spec, ignored))
    for (const std::string& file : traces::files_of(*traces::open_trace(spec))) hash.add_file(file);
  return at->second = hash.digits();
}

const std::string& RunIdentities::netlist(const std::string& name) {
  std::string& file = netlists_[name];
  if (file.empty()) file = find_platform(name);
  return file;
}

RunIdentity RunIdentities::of(const Words& arguments) {
  Words files = {netlist(arguments.front())};
  Words sets;
  RunIdentity identity;
  identity.program = program_;
  std::string text, input;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    text += arguments[i] + "\n";
    if (i + 1 == arguments.size()) continue;
    const std::string& value = arguments[i + 1];
    if (arguments[i] == "--with") files.push_back(netlist(value));
    if (arguments[i] == "--set") sets.push_back(value);
    if (arguments[i] == "--workload") input += workload(value);
    if (arguments[i] == "--trace") input += trace(value);
  }
  identity.machine = machine(files, sets);
  identity.input = hash_of(input);
  identity.key = hash_of(program_ + text + identity.machine + input);
  return identity;
}

bool came_to_its_end(const nlohmann::ordered_json& stats) {
  if (stats["run"]["exit_code"] != 0) return false;
  return stats["partial"] == false || stats["reason"] == "max-instructions" ||
         stats["reason"] == applications_measured;
}

RunState state_of(const std::string& directory) {
  if (!has_results(directory)) return {};
  try {
    if (!came_to_its_end(read_results(directory))) return {};
  } catch (const ConfigError& error) {
    return {false, error.what()};
  }
  if (is_intact(directory)) return {true, {}};
  return {false, directory + ": the results are not as they were written"};
}

}  // namespace strata::platforms
