#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "platforms/report/page/page_parts.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;

/// Commas inside quotes belong to the text; two quotes there mean one.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        cells.back() += line[++i];
      else
        quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

/// A number in JSON syntax: "nan" and "0x1" are texts.
Json value_of(const std::string& cell) {
  if (cell.empty()) return nullptr;
  if (cell.find_first_not_of("+-.0123456789eE") != std::string::npos) return cell;
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (*end != '\0') return cell;
  if (cell.find_first_of(".eE") != std::string::npos) return value;
  return static_cast<std::int64_t>(value);
}

bool is_sum(const std::string& column) {
  return column != "llc_parallelism" && column != "llc_busiest_slice";
}

Json without(const Json& table, bool (*keep)(const std::string&)) {
  Json out{{"columns", Json::array()}, {"rows", Json::array()}};
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < table["columns"].size(); ++c)
    if (keep(table["columns"][c].get<std::string>())) {
      kept.push_back(c);
      out["columns"].push_back(table["columns"][c]);
    }
  for (const Json& row : table["rows"]) {
    Json line = Json::array();
    for (const std::size_t c : kept) line.push_back(row[c]);
    out["rows"].push_back(std::move(line));
  }
  return out;
}

double number(const Json& value) {
  return value.is_number() ? value.get<double>() : 0;
}

}  // namespace

Json page_table(const std::string& path) {
  Json table{{"columns", Json::array()}, {"rows", Json::array()}};
  std::istringstream text;
  try {
    text.str(read_input(path));
  } catch (const InputError& error) {
    throw ConfigError(Faults{{{path, 0, 0}, error.what()}});
  }
  int number_of_line = 0;
  for (std::string line; std::getline(text, line);) {
    ++number_of_line;
    const std::vector<std::string> cells = cells_of(line);
    if (number_of_line == 1) {
      table["columns"] = cells;
      continue;
    }
    if (cells.size() != table["columns"].size())
      throw ConfigError(Faults{{{path, number_of_line, 1},
                                std::to_string(cells.size()) + " values, but the first line names " +
                                    std::to_string(table["columns"].size())}});
    Json row = Json::array();
    for (const std::string& cell : cells) row.push_back(value_of(cell));
    table["rows"].push_back(std::move(row));
  }
  if (number_of_line == 0) throw ConfigError(Faults{{{path, 0, 0}, "is empty"}});
  return table;
}

void merge_epochs(Json& table, std::size_t most) {
  table = without(table, is_sum);
  const std::size_t together = (table["rows"].size() + most - 1) / std::max<std::size_t>(most, 1);
  if (together < 2) return;
  Json rows = Json::array();
  std::size_t in_last = together;
  for (const Json& row : table["rows"]) {
    if (in_last == together) {
      rows.push_back(row);
      in_last = 1;
      continue;
    }
    Json& last = rows.back();
    last[0] = row[0];
    for (std::size_t c = 1; c < row.size(); ++c)
      last[c] = row[c].is_number_float() ? Json(number(last[c]) + number(row[c]))
                                         : Json(static_cast<std::int64_t>(number(last[c]) + number(row[c])));
    ++in_last;
  }
  table["rows"] = std::move(rows);
  table["merged"] = together;
}

}  // namespace strata::platforms
