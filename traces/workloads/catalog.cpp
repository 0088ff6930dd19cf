#include <algorithm>
#include <filesystem>

#include "models/io/shipped_folders.h"
#include "traces/workloads/workload.h"

namespace strata::traces {
namespace {

namespace fs = std::filesystem;

std::string shipped() {
  const std::vector<std::string> folders = shipped_folders("traces/workloads");
  return folders.empty() ? "" : folders.front();
}

}  // namespace

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(shipped(), error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".yaml") names.push_back(at->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string find_workload(const std::string& name) {
  std::error_code ignored;
  const fs::path path(name);
  if (path.extension() == ".yaml" || path.extension() == ".yml" || path.has_parent_path()) return name;
  const std::vector<std::string> names = workload_names();
  if (std::binary_search(names.begin(), names.end(), name))
    return (fs::path(shipped()) / (name + ".yaml")).string();
  const std::string near = suggestion(name, names);
  std::string text = "no workload '" + name + "'" + near;
  if (near.empty()) text += "; strata trace workloads lists them, and a path that ends in .yaml names a file";
  throw ConfigError(text);
}

}  // namespace strata::traces
