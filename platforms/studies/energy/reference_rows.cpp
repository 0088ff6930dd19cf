#include "platforms/studies/energy/reference_rows.h"

#include <algorithm>
#include <cstdlib>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/text.h"

namespace strata::platforms {

// Quotes in these tables occur only in sentences, which stand in the last columns and are not read here.
ReferenceTable::ReferenceTable(const std::string& path) : path_(path) {
  std::string text;
  try {
    text = read_input(path);
  } catch (const InputError& error) {
    throw ConfigError(Faults{{{path, 0, 0}, std::string("cannot read the reference rows: ") + error.what()}});
  }
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());  // the tools end lines differently
  std::vector<std::string> lines = split(text, '\n');
  const std::vector<std::string> names = split(lines.front(), ',');
  for (std::size_t i = 0; i < names.size(); ++i) columns_[names[i]] = i;
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (!lines[i].empty()) rows_.push_back(split(lines[i], ','));
}

const std::string& ReferenceTable::text(std::size_t row, const std::string& column) const {
  const auto found = columns_.find(column);
  if (found == columns_.end())
    throw ConfigError(Faults{{{path_, 1, 0}, "there is no column '" + column + "'"}});
  if (found->second >= rows_[row].size())
    throw ConfigError(
        Faults{{{path_, static_cast<int>(row) + 2, 0}, "the row ends before column '" + column + "'"}});
  return rows_[row][found->second];
}

double ReferenceTable::number(std::size_t row, const std::string& column) const {
  const std::string& value = text(row, column);
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0')
    throw ConfigError(
        Faults{{{path_, static_cast<int>(row) + 2, 0}, column + ": '" + value + "' is no number"}});
  return number;
}

namespace {

Measured columns(const ReferenceTable& table, std::size_t row, const std::vector<const char*>& names) {
  Measured measured;
  for (const char* name : names) measured[name] = table.number(row, name);
  return measured;
}

/// `2/4/0.5`: divisions of word lines, divisions of bit lines, sets per row.
std::vector<double> layout(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& part : split(text, '/')) numbers.push_back(std::strtod(part.c_str(), nullptr));
  numbers.resize(3, 1.0);
  return numbers;
}

power::TagAccess tag_access(const std::string& mode) {
  if (mode == "sequential") return power::TagAccess::sequential;
  return mode == "fast" ? power::TagAccess::fast : power::TagAccess::parallel;
}

std::string sram_name(const ReferenceTable& table, std::size_t row) {
  return table.text(row, "name") + " " + table.text(row, "access_mode") + ", " +
         table.text(row, "io_bus_bits") + " bits" + (table.number(row, "rd_ports") != 0 ? ", read port" : "");
}

}  // namespace

std::vector<RouterRow> router_rows(const std::string& folder) {
  const ReferenceTable table(folder + "/dsent_routers_22nm.csv");
  std::vector<RouterRow> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.text(i, "timing_met") != "1") continue;
    RouterRow row;
    row.name = table.text(i, "in") + " x " + table.text(i, "out") + ", " + table.text(i, "width_B") + " B, " +
               table.text(i, "vcs") + " x " + table.text(i, "bufs_per_vc");
    row.shape = {table.number(i, "in"), table.number(i, "out"), 8 * table.number(i, "width_B"),
                 table.number(i, "vcs"), table.number(i, "vcs") * table.number(i, "bufs_per_vc")};
    row.measured = columns(table, i,
                           {"area_buffer_um2", "area_xbar_um2", "area_sa_um2", "area_clock_um2",
                            "area_total_um2", "xbar_wire_area_um2", "xbar_fill_area_um2", "leak_buffer_mW",
                            "leak_xbar_mW", "leak_sa_mW", "leak_clock_mW", "leak_total_mW", "e_write_pJ",
                            "e_read_pJ", "e_xbar_pJ", "e_sa1_pJ", "e_sa2_pJ", "e_clk_pJ_per_cycle"});
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<RouterRow> router_cycle_rows(const std::string& folder) {
  const ReferenceTable table(folder + "/dsent_fmax_22nm.csv");
  std::vector<RouterRow> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    RouterRow row;
    row.shape = {table.number(i, "in"), table.number(i, "out"), 8 * table.number(i, "width_B"),
                 table.number(i, "vcs"), table.number(i, "vcs") * table.number(i, "bufs_per_vc")};
    row.measured = columns(table, i, {"best_crit_ns"});
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<LinkRow> link_rows(const std::string& folder) {
  const ReferenceTable table(folder + "/dsent_links_22nm.csv");
  std::vector<LinkRow> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.text(i, "delay_met") != "1") continue;
    LinkRow row;
    row.name = table.text(i, "length_mm") + " mm, " + table.text(i, "width_B") + " B";
    row.delay_ns = table.number(i, "delay_target_ns");
    row.measured =
        columns(table, i,
                {"achieved_delay_ns", "area_active_um2", "area_globalwire_um2", "leak_mW", "e_per_flit_pJ"});
    row.shape = {8 * table.number(i, "width_B"), table.number(i, "length_mm"),
                 table.number(i, "repeater_segments"), 1};
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<SramRow> sram_rows(const std::string& folder) {
  const ReferenceTable table(folder + "/cacti_22nm.csv");
  std::vector<SramRow> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.text(i, "tech_nm") != "22" || table.text(i, "temp_K") != "340" ||
        table.text(i, "cell") != "itrs-hp")
      continue;
    SramRow row;
    row.name = sram_name(table, i);
    row.for_energy_and_delay = table.text(i, "opt") == "ED^2";
    power::SramShape order{table.number(i, "size_B"),        table.number(i, "assoc"),
                           table.number(i, "line_B"),        table.number(i, "io_bus_bits"),
                           table.number(i, "rd_ports") != 0, tag_access(table.text(i, "access_mode"))};
    const std::vector<double> parts = layout(table.text(i, "ndwl_ndbl_nspd"));
    power::lay_out(order, parts[0], parts[1], parts[2], row.array);
    row.measured = columns(table, i,
                           {"access_ns", "cycle_ns", "read_nJ", "write_nJ", "leak_mW", "height_mm",
                            "width_mm", "hxw_mm2", "tag_area_mm2"});
    row.array.height_mm = row.measured["height_mm"];
    row.array.width_mm = table.number(i, "data_area_mm2") / row.array.height_mm;
    row.measured["data_width_mm"] = row.array.width_mm;
    row.measured["tag_width_mm"] = row.measured["width_mm"] - row.array.width_mm;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<SramRow> between_rows(const std::string& folder) {
  const ReferenceTable table(folder + "/cacti_22nm_interpolated.csv");
  std::vector<SramRow> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.text(i, "opt") != "ED^2") continue;
    SramRow row;
    row.name = sram_name(table, i);
    // L1_48K_6w: KiB and ways.
    const std::vector<std::string> words = split(table.text(i, "name"), '_');
    if (words.size() != 3)
      throw ConfigError(Faults{{{folder, 0, 0}, "'" + row.name + "' is no size and ways"}});
    row.array.order = {1024 * std::strtod(words[1].c_str(), nullptr),
                       std::strtod(words[2].c_str(), nullptr),
                       128,
                       table.number(i, "io_bus_bits"),
                       table.number(i, "rd_ports") != 0,
                       tag_access(table.text(i, "access_mode"))};
    row.measured = columns(table, i, {"access_ns", "read_nJ", "write_nJ", "leak_mW", "hxw_mm2"});
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace strata::platforms
