#include "platforms/report/manifest.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <vector>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "platforms/report/digest.h"
#include "platforms/report/json_text.h"
#include "platforms/report/results_digest.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char schema[] = "strata-manifest";
constexpr int schema_version = 1;
constexpr const char stats_name[] = "stats.json";
constexpr std::string_view file_names[] = {
    "config.yaml",  "contention.csv",  "epochs.csv",    "l1s.csv",        "ledger.csv", "kernels.csv",
    "kernels.json", "llc_choices.csv", manifest_name,   "requesters.csv", "slices.csv", stats_name,
    "what_if.json", "by_launch.csv",   "by_source.csv", "wait_graph.txt", "waves.fst"};

/// Empty if the file cannot be read.
std::string read_all(const std::string& path) {
  try {
    return read_input(path, std::numeric_limits<std::uint64_t>::max());
  } catch (const InputError&) {
    return {};
  }
}

/// Sorted, so that of several objections the same one is reported every time.
std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename().string());
  if (error) throw ConfigError(directory + ": " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

/// Nanoseconds; 0 if it is not a regular file.
std::int64_t written_at(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return 0;
  return std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec;
}

Json parsed_stats(const std::string& directory) {
  const std::string path = directory + "/" + stats_name;
  if (written_at(path) == 0) return {};
  Json stats = parsed_json(read_all(path));
  return holds_its_digest(stats) ? stats : Json();
}

/// Versions without a manifest wrote stats.json last: a newer file was changed later.
Ownership of_older_version(const std::string& directory, const std::vector<std::string>& names) {
  const Json stats = parsed_stats(directory);
  if (stats.is_null())
    return {
        "the directory holds '" + names.front() + "', but no results that Strata wrote; choose another --out",
        false};
  const std::int64_t last = written_at(directory + "/" + stats_name);
  for (const std::string& name : names) {
    const std::int64_t at = written_at(directory + "/" + name);
    if (at == 0 || at > last)
      return {"'" + name + "' in it was changed after the run; move it away or choose another --out", false};
  }
  const Json code = stats.value("run", Json::object()).value("exit_code", Json(1));
  return {"", stats.value("partial", Json(true)) == Json(false) || code == Json(0)};
}

}  // namespace

bool is_results_name(std::string_view name) {
  return std::find(std::begin(file_names), std::end(file_names), name) != std::end(file_names);
}

void Manifest::add(const std::string& name, const std::string& text) {
  files_[name] = {text.size(), digest_text(text_digest(text))};
}

std::string Manifest::json() const {
  Json json;
  json["schema"] = schema;
  json["schema_version"] = schema_version;
  json["finished"] = finished;
  json["files"] = Json::object();
  for (const auto& [name, file] : files_)
    json["files"][name] = {{"bytes", file.bytes}, {"fnv1a64", file.digest}};
  return json_text(json);
}

std::optional<Manifest> Manifest::read(const std::string& directory) {
  const std::string path = directory + "/" + manifest_name;
  if (written_at(path) == 0) return std::nullopt;
  const Json json = parsed_json(read_all(path));
  if (!json.is_object() || json.value("schema", Json()) != Json(schema) ||
      json.value("schema_version", Json()) != Json(schema_version) || !json.contains("files") ||
      !json["files"].is_object())
    return std::nullopt;
  Manifest manifest;
  manifest.finished = json.value("finished", Json(false)) == Json(true);
  for (const auto& [name, file] : json["files"].items()) {
    if (!file.is_object() || !file.value("bytes", Json()).is_number_unsigned() ||
        !file.value("fnv1a64", Json()).is_string())
      return std::nullopt;
    manifest.files_[name] = {file["bytes"].get<std::uint64_t>(), file["fnv1a64"].get<std::string>()};
  }
  return manifest;
}

bool Manifest::vouches_for(const std::string& directory, const std::string& name) const {
  const auto file = files_.find(name);
  const std::string path = directory + "/" + name;
  if (file == files_.end() || written_at(path) == 0) return false;
  const std::string text = read_all(path);
  return text.size() == file->second.bytes && digest_text(text_digest(text)) == file->second.digest;
}

Ownership ownership_of(const std::string& directory) {
  const std::vector<std::string> names = names_in(directory);
  if (names.empty()) return {};
  for (const std::string& name : names)
    if (!is_results_name(name))
      return {"the directory holds '" + name + "', which is no file of results; choose another --out", false};
  const auto manifest = Manifest::read(directory);
  if (!manifest) return of_older_version(directory, names);
  for (const std::string& name : names) {
    if (name == manifest_name || manifest->vouches_for(directory, name)) continue;
    return {"'" + name + "' in it is not what Strata wrote; move it away or choose another --out", false};
  }
  return {"", manifest->finished && manifest->has(stats_name)};
}

bool is_intact(const std::string& directory) {
  const auto manifest = Manifest::read(directory);
  if (!manifest || !manifest->finished) return false;
  std::error_code ignored;
  for (const std::string_view name : file_names) {
    const std::string text(name);
    if (manifest->has(text) && !manifest->vouches_for(directory, text)) return false;
  }
  return manifest->has(stats_name) && !parsed_stats(directory).is_null();
}

}  // namespace strata::platforms
