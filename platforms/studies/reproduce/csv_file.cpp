#include "platforms/studies/reproduce/csv_file.h"

#include <algorithm>
#include <sstream>

#include "models/common/units.h"

namespace strata::platforms {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

}  // namespace

CsvFile::CsvFile(const std::string& path) : file_(path) {
  std::string line;
  if (std::getline(file_, line)) names_ = cells_of(line);
}

bool CsvFile::next() {
  std::string line;
  if (!std::getline(file_, line)) return false;
  cells_ = cells_of(line);
  return true;
}

std::string CsvFile::text(const std::string& name) const {
  const auto at = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  return at < cells_.size() ? cells_[at] : "";
}

std::uint64_t CsvFile::number(const std::string& name) const {
  return static_cast<std::uint64_t>(parse_integer(text(name)).value_or(0));
}

}  // namespace strata::platforms
