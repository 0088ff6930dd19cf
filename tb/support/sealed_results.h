#pragma once

#include <filesystem>
#include <string>

#include "platforms/studies/reproduce/paper.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

namespace strata::tb {

/// Gives hand-made results what a run would have: a whole ledger (zeros where nothing is said), their digest
/// and a manifest.
void seal_results(const std::filesystem::path& folder);

/// What is wrong with a paper's table when `from` becomes `to`; empty when nothing is.
inline std::string paper_fault(std::string table, const std::string& from, const std::string& to) {
  const std::size_t at = table.find(from);
  REQUIRE(at != std::string::npos);
  TempFolder folder;
  try {
    platforms::Paper::load(folder.write("paper.yaml", table.replace(at, from.size(), to)));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace strata::tb
