#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <system_error>
#include <vector>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "platforms/report/page/page_parts.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_bytes_whole = 300'000;  ///< all files of a run together

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

/// By file the lines that have accesses: source lines, or else PTX lines.
std::map<std::string, std::set<std::size_t>> places_of(const Json& table, const std::string& path) {
  std::map<std::string, std::size_t> at;
  for (std::size_t c = 0; c < table["columns"].size(); ++c) at[table["columns"][c]] = c;
  for (const char* name : {"file", "line", "listing", "listing_line"})
    if (at.count(name) == 0)
      throw ConfigError(Faults{{{path, 1, 1}, std::string("has no column '") + name + "'"}});
  std::map<std::string, std::set<std::size_t>> places;
  for (const Json& row : table["rows"])
    for (const auto& [file, line] : {std::pair("file", "line"), {"listing", "listing_line"}}) {
      const Json &name = row[at[file]], &number = row[at[line]];
      if (!name.is_string() || !number.is_number_integer() || number.get<std::int64_t>() < 1) continue;
      places[name].insert(number.get<std::size_t>());
      break;
    }
  return places;
}

bool newer(const std::string& file, const std::string& than) {
  std::error_code error;
  const auto written = fs::last_write_time(file, error), before = fs::last_write_time(than, error);
  return !error && written > before;
}

}  // namespace

Json page_source(const std::string& path) {
  Json table = page_table(path);
  table["sources"] = Json::object();
  std::size_t left = most_bytes_whole;
  for (const auto& [file, numbers] : places_of(table, path)) {
    std::string text;
    try {
      text = read_input(file);
    } catch (const InputError&) {
      continue;  // the page reports it
    }
    const std::vector<std::string> lines = lines_of(text);
    Json& source = table["sources"][file];
    source["changed"] = newer(file, path);
    if (text.size() <= left) {
      left -= text.size();
      source["lines"] = lines;
      continue;
    }
    source["lines"] = Json::object();
    for (const std::size_t number : numbers)
      if (number <= lines.size()) source["lines"][std::to_string(number)] = lines[number - 1];
  }
  return table;
}

}  // namespace strata::platforms
