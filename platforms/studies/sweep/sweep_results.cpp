#include "platforms/studies/sweep/sweep_results.h"

#include <filesystem>

#include "models/common/faults.h"
#include "platforms/studies/sweep/database.h"
#include "platforms/studies/sweep/sweep_run.h"

namespace strata::platforms {

namespace fs = std::filesystem;

std::string sweep_file_of(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? sweep_file(path) : path;
}

bool is_sweep(const std::string& path) {
  std::error_code ignored;
  return fs::path(sweep_file_of(path)).extension() == ".sqlite" &&
         fs::is_regular_file(sweep_file_of(path), ignored);
}

std::vector<std::string> results_of_sweep(const std::string& path) {
  const std::string file = sweep_file_of(path);
  if (const std::string damage = Database::damage_of(file); !damage.empty())
    throw ConfigError(file + ": is damaged (" + damage + "); the same sweep again mends it");
  const Database database(file);
  Statement find =
      database.prepare("SELECT results FROM points WHERE state = 'done' AND planned ORDER BY id");
  std::vector<std::string> all;
  while (find.step()) {
    all.push_back((fs::path(file).parent_path() / find.text(0)).string());
    std::error_code ignored;
    if (!fs::exists(all.back(), ignored))
      throw ConfigError(all.back() + ": the results directory of a point of " + file +
                        " is gone; its figures are in the file");
  }
  return all;
}

std::vector<std::string> results_named(const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    const std::vector<std::string> of =
        is_sweep(path) ? results_of_sweep(path) : std::vector<std::string>{path};
    all.insert(all.end(), of.begin(), of.end());
  }
  return all;
}

}  // namespace strata::platforms
