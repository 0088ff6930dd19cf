#include "tb/machines/catalog.h"

#include <algorithm>
#include <filesystem>

#include "platforms/engine/netlist/data_folders.h"
#include "traces/workloads/workload.h"

namespace strata::tb {
namespace {

namespace fs = std::filesystem;

/// Sorted entries of a folder that `name_of` gives a name.
template <class NameOf>
std::vector<std::string> entries(const fs::path& folder, NameOf name_of) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (std::string name = name_of(entry); !name.empty()) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Catalog read_catalog(const std::string& samples) {
  Catalog catalog;
  catalog.platforms = platforms::platform_names();
  catalog.variants = platforms::variant_names();
  catalog.timing_sets = entries(platforms::data_folders("timing_sets", "").front(), [](const auto& entry) {
    return entry.path().extension() == ".yaml" ? entry.path().stem().string() : "";
  });
  catalog.samples = entries(samples, [](const auto& entry) {
    return fs::exists(entry.path() / "kernelslist.g") ? entry.path().string() : "";
  });
  catalog.workloads = traces::workload_names();
  return catalog;
}

}  // namespace strata::tb
