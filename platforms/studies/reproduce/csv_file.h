#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace strata::platforms {

/// A comma-separated file of results, line by line, by the column names in its first line. A missing file has
/// no lines.
class CsvFile {
 public:
  explicit CsvFile(const std::string& path);
  const std::vector<std::string>& names() const { return names_; }
  bool next();
  std::string text(const std::string& name) const;
  std::uint64_t number(const std::string& name) const;  ///< 0 if missing

 private:
  std::ifstream file_;
  std::vector<std::string> names_, cells_;
};

}  // namespace strata::platforms
