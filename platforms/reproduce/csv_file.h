#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace strata::platforms {

/// A comma-separated file of results, line by line, by the names in its first line. One that is missing has
/// no lines.
class CsvFile {
 public:
  explicit CsvFile(const std::string& path);
  const std::vector<std::string>& names() const { return names_; }
  bool next();
  std::string text(const std::string& name) const;
  std::uint64_t number(const std::string& name) const;  ///< 0 where there is none

 private:
  std::ifstream file_;
  std::vector<std::string> names_, cells_;
};

}  // namespace strata::platforms
