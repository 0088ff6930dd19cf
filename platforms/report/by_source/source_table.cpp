#include "platforms/report/by_source/source_table.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>
#include <utility>

#include "models/common/text.h"
#include "platforms/report/text_table.h"
#include "traces/selection.h"

namespace strata::platforms {
namespace {

constexpr std::size_t rows_shown = 10;
constexpr std::size_t text_width = 30;

void add(SourceFigures& sum, const SourceFigures& more) {
  sum.access_class = more.access_class;
  sum.instructions += more.instructions;
  sum.lines += more.lines;
  sum.sectors += more.sectors;
  sum.l1_looked += more.l1_looked;
  sum.l1_hits += more.l1_hits;
  sum.replies += more.replies;
  sum.line_cycles += more.line_cycles;
  sum.load_cycles += more.load_cycles;
  sum.stall_cycles += more.stall_cycles;
}

double ratio(std::uint64_t part, std::uint64_t of) {
  return static_cast<double>(part) / static_cast<double>(of);
}

void find_place(SourceRow& row, const CodeLines* lines) {
  if (lines == nullptr) return;
  row.listing = lines->listing;
  const auto found = lines->places.find(row.pc);
  if (found == lines->places.end()) return;
  row.place = found->second;
  if (row.place.file != 0) row.file = lines->files[row.place.file - 1];
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// A line of a file without leading and trailing blanks; empty if there is none.
std::string line_of(const std::string& path, std::uint32_t wanted) {
  std::ifstream in(path);
  std::string line;
  for (std::uint32_t number = 0; number < wanted; ++number)
    if (!std::getline(in, line)) return "";
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

std::string text_of(const SourceRow& row) {
  std::string text;
  if (!row.file.empty()) text = line_of(row.file, row.place.source_line);
  if (text.empty()) return row.place.text;
  return text.size() <= text_width ? text : text.substr(0, text_width - 3) + "...";
}

std::string shown(const std::optional<double>& value, std::string (*as)(double)) {
  return value ? as(*value) : "-";
}

std::string whole(double value) {
  return grouped(static_cast<std::uint64_t>(value + 0.5));
}

}  // namespace

double SourceRow::lines_each() const {
  return figures.instructions == 0 ? 0 : ratio(figures.lines, figures.instructions);
}

std::optional<double> SourceRow::hit_rate() const {
  if (figures.l1_looked == 0) return std::nullopt;
  return ratio(figures.l1_hits, figures.l1_looked);
}

std::optional<double> SourceRow::latency() const {
  if (is_write(figures.access_class) || figures.instructions == 0) return std::nullopt;
  return ratio(figures.load_cycles, figures.instructions);
}

std::string SourceRow::where() const {
  const auto at = [](const std::string& path, std::uint32_t line) {
    return std::filesystem::path(path).filename().string() + ":" + std::to_string(line);
  };
  if (!file.empty()) return at(file, place.source_line);
  if (place.source_line != 0) return "line " + std::to_string(place.source_line);
  if (!listing.empty() && place.line != 0) return at(listing, place.line);
  return "PC " + hex_text(pc);
}

std::vector<SourceRow> source_rows(const SourceRecorder::Figures& figures,
                                   const std::vector<InstructionSource*>& sources) {
  std::map<std::pair<std::string, std::uint32_t>, SourceRow> by_name;
  double all = 0, stalls = 0;
  for (const auto& [key, one] : figures) {
    const auto [application, kernel, pc] = key;
    const KernelInfo& info = sources.at(static_cast<std::size_t>(application))->kernels().at(kernel);
    const auto [at, fresh] = by_name.try_emplace({info.name, pc});
    SourceRow& row = at->second;
    if (fresh) {
      row.kernel = traces::plain_name(info.name);
      row.pc = pc;
      find_place(row, info.lines.get());
    }
    add(row.figures, one);
    all += static_cast<double>(one.load_cycles);
    stalls += static_cast<double>(one.stall_cycles);
  }
  std::vector<SourceRow> rows;
  for (auto& [name, row] : by_name) {
    row.share = all == 0 ? 0 : static_cast<double>(row.figures.load_cycles) / all;
    row.stalls = stalls == 0 ? 0 : static_cast<double>(row.figures.stall_cycles) / stalls;
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const SourceRow& a, const SourceRow& b) {
    const auto order = [](const SourceFigures& f) {
      return std::make_tuple(f.stall_cycles, f.load_cycles, f.lines);
    };
    return order(a.figures) > order(b.figures);
  });
  return rows;
}

std::string by_source_csv(const std::vector<SourceRow>& rows) {
  std::string text =
      "kernel,pc,file,line,listing,listing_line,instruction,class,warp_instructions,lines,sectors,"
      "l1_accesses,l1_hits,replies,line_cycles,cycles,share_of_load_cycles,stall_cycles,share_of_stalls\n";
  for (const SourceRow& row : rows) {
    const SourceFigures& f = row.figures;
    text += quoted(row.kernel) + "," + std::to_string(row.pc) + "," + quoted(row.file) + "," +
            std::to_string(row.place.source_line) + "," + quoted(row.listing) + "," +
            std::to_string(row.place.line) + "," + row.place.text + "," +
            std::string(to_text(f.access_class)) + "," + std::to_string(f.instructions) + "," +
            std::to_string(f.lines) + "," + std::to_string(f.sectors) + "," + std::to_string(f.l1_looked) +
            "," + std::to_string(f.l1_hits) + "," + std::to_string(f.replies) + "," +
            std::to_string(f.line_cycles) + "," + std::to_string(f.load_cycles) + "," +
            rounded(row.share, 6) + "," + std::to_string(f.stall_cycles) + "," + rounded(row.stalls, 6) +
            "\n";
  }
  return text;
}

std::string by_source_text(const std::vector<SourceRow>& rows) {
  if (rows.empty()) return "by source  no instruction accessed memory\n";
  TextTable table;
  // Heads of two lines, which "strata explain" knows as "of load cycles", "lines each" and so on.
  table.add({"", "of", "of load", "", "lines", "L1 hit", "cycles"});
  table.add({"", "stalls", "cycles", "executed", "each", "rate", "each"});
  const std::size_t shown_rows = std::min(rows.size(), rows_shown);
  for (std::size_t i = 0; i < shown_rows; ++i) {
    const SourceRow& row = rows[i];
    table.add({row.where() + "  " + printable(text_of(row)), row.latency() ? percent(row.stalls) : "-",
               row.latency() ? percent(row.share) : "-", grouped(row.figures.instructions),
               rounded(row.lines_each(), 3), shown(row.hit_rate(), percent), shown(row.latency(), whole)});
  }
  std::string text = "by source, the longest stalls first";
  if (shown_rows < rows.size())
    text += " (" + std::to_string(shown_rows) + " of " + std::to_string(rows.size()) +
            " instructions; by_source.csv has all)";
  return text + ":\n" + table.text();
}

}  // namespace strata::platforms
