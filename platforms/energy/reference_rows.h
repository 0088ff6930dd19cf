#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/power/link_power.h"
#include "models/power/router_power.h"
#include "models/power/sram_power.h"

namespace strata::platforms {

/// Rows of a CSV file by the names of their columns.
class ReferenceTable {
 public:
  /// Throws ConfigError that names the file.
  explicit ReferenceTable(const std::string& path);

  std::size_t size() const { return rows_.size(); }
  const std::string& text(std::size_t row, const std::string& column) const;
  double number(std::size_t row, const std::string& column) const;

 private:
  std::string path_;
  std::map<std::string, std::size_t> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// What the tools gave, by the name of a column.
using Measured = std::map<std::string, double>;

struct RouterRow {
  std::string name;
  power::RouterShape shape;
  Measured measured;
};
struct LinkRow {
  std::string name;
  power::LinkShape shape;  ///< with the tool's repeaters
  double delay_ns = 0;     ///< wanted
  Measured measured;
};
struct SramRow {
  std::string name;
  power::SramArray array;            ///< with the tool's layout
  bool for_energy_and_delay = true;  ///< chosen for least energy times delay squared; else for its cycle
  Measured measured;
};

/// Routers with met timing; links; SRAMs at 22 nm, 340 K and of high-performance cells.
std::vector<RouterRow> router_rows(const std::string& folder);
/// The least cycle of routers, `best_crit_ns`.
std::vector<RouterRow> router_cycle_rows(const std::string& folder);
std::vector<LinkRow> link_rows(const std::string& folder);
std::vector<SramRow> sram_rows(const std::string& folder);
/// SRAMs whose ways are no power of two, which the tool does not take: means of their neighbours. No layouts.
std::vector<SramRow> between_rows(const std::string& folder);

}  // namespace strata::platforms
