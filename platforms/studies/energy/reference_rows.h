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

/// Results of the tools, by column name.
using Measured = std::map<std::string, double>;

struct RouterRow {
  std::string name;
  power::RouterShape shape;
  Measured measured;
};
struct LinkRow {
  std::string name;
  power::LinkShape shape;  ///< with the repeaters that the tool chose
  double delay_ns = 0;     ///< target delay
  Measured measured;
};
struct SramRow {
  std::string name;
  power::SramArray array;            ///< with the layout that the tool chose
  bool for_energy_and_delay = true;  ///< optimized for energy times delay squared; otherwise for cycle time
  Measured measured;
};

/// Routers that met timing; links; SRAMs at 22 nm and 340 K with high-performance cells.
std::vector<RouterRow> router_rows(const std::string& folder);
/// The shortest cycle of routers, `best_crit_ns`.
std::vector<RouterRow> router_cycle_rows(const std::string& folder);
std::vector<LinkRow> link_rows(const std::string& folder);
std::vector<SramRow> sram_rows(const std::string& folder);
/// SRAMs whose number of ways is not a power of two, which the tool rejects: means of their neighbours. No
/// layouts.
std::vector<SramRow> between_rows(const std::string& folder);

}  // namespace strata::platforms
