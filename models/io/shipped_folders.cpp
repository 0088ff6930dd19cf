#include "models/io/shipped_folders.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>

namespace strata {
namespace {

namespace fs = std::filesystem;

/// Folders of the program, and of the library that holds this (libstrata_c.so in a user's program).
std::vector<fs::path> own_folders() {
  std::error_code ignored;
  std::vector<fs::path> folders = {fs::read_symlink("/proc/self/exe", ignored).parent_path()};
  Dl_info found{};
  if (::dladdr(reinterpret_cast<const void*>(&shipped_folders), &found) != 0 && found.dli_fname != nullptr)
    if (const fs::path library = found.dli_fname; library.is_absolute())
      folders.push_back(library.parent_path());
  return folders;
}

/// Folders that are as the source tree is. Libraries lie in `lib` or one below it.
const std::vector<fs::path>& roots() {
  static const std::vector<fs::path> all = [] {
    std::vector<fs::path> roots = {STRATA_SOURCE_FOLDER};
    for (const fs::path& own : own_folders())
      for (const char* up : {"..", "../.."})
        if (!own.empty()) roots.push_back((own / up / "share/strata").lexically_normal());
    roots.emplace_back(STRATA_INSTALLED_FOLDER);
    roots.emplace_back("/usr/share/strata");
    return roots;
  }();
  return all;
}

}  // namespace

std::vector<std::string> shipped_folders(const std::string& name) {
  std::vector<std::string> folders;
  for (const fs::path& root : roots()) {
    std::error_code ignored;
    const std::string folder = (root / name).string();
    if (fs::is_directory(folder, ignored) &&
        std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(folder);
  }
  return folders;
}

}  // namespace strata
