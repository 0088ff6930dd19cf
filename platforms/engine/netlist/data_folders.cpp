#include "platforms/engine/netlist/data_folders.h"

#include <algorithm>
#include <filesystem>

#include "models/io/shipped_folders.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;

/// Machines, and the tables that they name.
std::vector<fs::path> shipped() {
  const std::vector<std::string> folders = shipped_folders("platforms/machines");
  return {folders.begin(), folders.end()};
}

bool is_netlist_folder(const std::string& name) {
  return name != "timing_sets" && name != "address_maps" && name != "devices" && name != "routers";
}

}  // namespace

std::vector<std::string> data_folders(const std::string& kind, const std::string& netlist_file) {
  std::vector<fs::path> candidates;
  if (!netlist_file.empty()) {
    const fs::path folder = fs::path(netlist_file).parent_path();
    candidates = {folder / kind, folder / ".." / kind};
  }
  for (const fs::path& folder : shipped()) candidates.push_back(folder / kind);
  for (const std::string& folder : shipped_folders("platforms/studies"))
    candidates.push_back(fs::path(folder) / kind);
  std::vector<std::string> found;
  for (const fs::path& candidate : candidates) {
    std::error_code ignored;
    if (fs::is_directory(candidate, ignored)) found.push_back(candidate.lexically_normal().string());
  }
  return found;
}

std::string find_platform(const std::string& name) {
  std::error_code ignored;
  if (fs::is_regular_file(name, ignored)) return name;
  for (const fs::path& folder : shipped()) {
    for (const fs::path& candidate : {folder / name, folder / (name + ".yaml"),
                                      folder / name / (fs::path(name).filename().string() + ".yaml")})
      if (fs::is_regular_file(candidate, ignored)) return candidate.lexically_normal().string();
  }
  return name;
}

std::vector<std::string> platform_names() {
  std::vector<std::string> names;
  const std::vector<fs::path> folders = shipped();
  if (folders.empty()) return names;
  for (const auto& folder : fs::directory_iterator(folders.front())) {
    const std::string family = folder.path().filename().string();
    if (!folder.is_directory() || !is_netlist_folder(family)) continue;
    for (const auto& file : fs::directory_iterator(folder.path())) {
      const std::string stem = file.path().stem().string();
      if (file.path().extension() != ".yaml" || stem == "base")
        continue;  // a base is only extended, not built
      names.push_back(stem == family ? family : family + "/" + stem);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  const std::vector<fs::path> folders = shipped();
  if (folders.empty()) return names;
  std::vector<std::string> places = {
      "routers"};  // for every platform; the other folders serve one family of machines
  for (const auto& folder : fs::directory_iterator(folders.front()))
    places.push_back(folder.path().filename().string() + "/variants");
  for (const std::string& place : places) {
    if (!fs::is_directory(folders.front() / place)) continue;
    for (const auto& file : fs::directory_iterator(folders.front() / place))
      if (file.path().extension() == ".yaml") names.push_back(place + "/" + file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace strata::platforms
