#include "platforms/engine/netlist/catalog.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "models/common/text.h"
#include "platforms/engine/netlist/param_table.h"

namespace strata::platforms {
namespace {

struct StatRow {
  std::string name;
  std::string unit;
  std::string kind;  // counter, histogram, ratio
  std::string sentence;
};

class StatLister final : public StatVisitor {
 public:
  std::vector<StatRow> rows;
  std::vector<std::string> laws;
  void counter(const StatInfo& info, const std::uint64_t&) override { add(info, "counter"); }
  void histogram(const StatInfo& info, const Histogram&) override { add(info, "histogram"); }
  void ratio(const StatInfo& info, std::uint64_t, std::uint64_t) override { add(info, "ratio"); }
  void law(std::string_view text) override { laws.emplace_back(text); }

 private:
  void add(const StatInfo& info, const char* kind) {
    rows.push_back({std::string(info.name), std::string(info.unit), kind, std::string(info.sentence)});
  }
};

StatLister stats_of(const ModuleKind& kind) {
  StatLister lister;
  if (kind.new_stats != nullptr) kind.new_stats()->for_each_stat(lister);
  return lister;
}

using Table = std::vector<std::vector<std::string>>;

std::string role_text(PortRole role) {
  switch (role) {
    case PortRole::initiator:
      return "initiator";
    case PortRole::target:
      return "target";
    case PortRole::control_out:
      return "control output";
    case PortRole::control_in:
      break;
  }
  return "control input";
}

std::string shown_default(const ParamRow& row) {
  return row.quoted ? (row.value.empty() ? "\"\"" : row.value) : row.value;
}

Table socket_table(const ModuleKind& kind, const ParamSet& params) {
  Table table = {{"socket", "role", "count", "protocol", "meaning"}};
  for (const PortSpec& port : kind.ports(params))
    table.push_back({port.name, role_text(port.role),
                     std::to_string(port.count) + (port.optional ? " (optional)" : ""), port.protocol,
                     port.sentence});
  return table;
}

Table param_table(ParamSet& params) {
  Table table = {{"parameter", "default", "allowed", "unit", "meaning"}};
  for (const ParamRow& row : list_params(params))
    table.push_back({row.name, shown_default(row), row.allowed, row.unit, row.sentence});
  return table;
}

/// Only a heading if a module does not declare its storage.
Table storage_table(const ModuleKind& kind, const ParamSet& params) {
  Table table = {{"field", "entries", "bits of one", "bytes"}};
  std::uint64_t sum = 0;
  const auto bytes = [](std::uint64_t bits) { return std::to_string((bits + 7) / 8); };
  if (kind.storage == nullptr) return table;
  for (const StorageField& field : kind.storage(params)) {
    const std::uint64_t bits = field.entries * field.bits;
    table.push_back({field.name, std::to_string(field.entries), std::to_string(field.bits), bytes(bits)});
    sum += bits;
  }
  table.push_back({"all", "", "", bytes(sum)});
  return table;
}

/// The counters that measure the use of a resource.
std::string uses_text(const Resource& resource) {
  if (resource.held == Resource::Held::loads) return "loads farther on their way";
  if (resource.held == Resource::Held::accesses) return "accesses farther on their way";
  std::string text;
  for (const Resource::Use& use : resource.uses)
    text += (text.empty() ? "" : " + ") + (use.weight == 1 ? "" : number_text(use.weight) + " ") +
            std::string(use.counter);
  return text;
}

std::string reliefs_text(const Resource& resource) {
  std::string text;
  for (const Resource::Relief& relief : resource.reliefs)
    text += (text.empty() ? "" : ", ") + std::string(relief.param) + " " + std::string(relief.change);
  return text;
}

/// Only a heading if a module declares no resource.
Table resource_table(const ModuleKind& kind, const ParamSet& params) {
  Table table = {{"resource", "kind", "peak", "used by", "twice as much by", "meaning"}};
  if (kind.resources == nullptr) return table;
  using Kind = Resource::Kind;
  static constexpr Named<Kind> kinds[] = {{Kind::rate, "rate"}, {Kind::room, "room"}, {Kind::size, "size"}};
  static_assert(names_all(kinds, Kind::size));
  for (const Resource& resource : kind.resources(params))
    table.push_back({std::string(resource.name), std::string(row_of_value(kinds, resource.kind).name),
                     resource.peak > 0 ? number_text(resource.peak) : "", uses_text(resource),
                     reliefs_text(resource), std::string(resource.sentence)});
  return table;
}

Table stat_table(const StatLister& stats) {
  Table table = {{"statistic", "kind", "unit", "meaning"}};
  for (const StatRow& row : stats.rows) table.push_back({row.name, row.kind, row.unit, row.sentence});
  return table;
}

/// Columns padded to the widest cell; the first row is the heading. The last column is not padded.
std::string plain(const Table& table, const std::string& indent) {
  std::vector<std::size_t> widths(table[0].size());
  for (const auto& row : table)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string text;
  for (const auto& row : table) {
    std::string line = indent;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += row[c] + (c + 1 < row.size() ? std::string(widths[c] - row[c].size() + 2, ' ') : "");
    text += line + "\n";
  }
  return text;
}

std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

std::string markdown(const Table& table) {
  std::string text;
  for (std::size_t r = 0; r < table.size(); ++r) {
    text += "|";
    for (std::size_t c = 0; c < table[r].size(); ++c)
      text += " " + (r > 0 && c == 0 ? "`" + table[r][c] + "`" : cell(table[r][c])) + " |";
    text += "\n";
    if (r > 0) continue;
    text += "|";
    for (std::size_t c = 0; c < table[r].size(); ++c) text += " --- |";
    text += "\n";
  }
  return text;
}

Table module_table(const ModuleTable& modules) {
  Table table = {{"module", "role", "clock", "what it is"}};
  for (const ModuleKind* kind : modules)
    table.push_back({std::string(kind->name), std::string(to_text(kind->role)), std::string(kind->clock),
                     std::string(kind->summary)});
  return table;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ConfigError("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

const ModuleKind& require_module(const std::string& name, const ModuleTable& modules) {
  if (const ModuleKind* kind = find_module(modules, name)) return *kind;
  std::vector<std::string> known;
  std::string all;
  for (const ModuleKind* kind : modules) {
    known.emplace_back(kind->name);
    all += (all.empty() ? "" : ", ") + known.back();
  }
  const std::string hint = suggestion(name, known);
  throw ConfigError("no module '" + name + "'" + (hint.empty() ? "; known: " + all : hint));
}

std::string list_modules(const ModuleTable& modules) {
  return plain(module_table(modules), "");
}

std::string describe_storage(const ModuleKind& kind) {
  const Table storage = storage_table(kind, *kind.new_params());
  return storage.size() > 1 ? "  storage, with default parameters\n" + plain(storage, "  ") : "";
}

std::string describe_module(const ModuleKind& kind) {
  const auto params = kind.new_params();
  const StatLister stats = stats_of(kind);
  std::string text = std::string(kind.name) + ": " + std::string(kind.summary) +
                     "\nrole: " + std::string(to_text(kind.role)) + ", clock: " + std::string(kind.clock) +
                     ", timing: " + (kind.lt ? "at, lt" : "at") + (kind.rtl != nullptr ? ", rtl" : "") +
                     "\n\n" + plain(socket_table(kind, *params), "  ");
  const Table table = param_table(*params);
  text += "\n" + (table.size() > 1 ? plain(table, "  ") : std::string("  no parameters\n"));
  if (const std::string storage = describe_storage(kind); !storage.empty()) text += "\n" + storage;
  if (const Table resources = resource_table(kind, *params); resources.size() > 1)
    text += "\n  resources, with default parameters (docs/methods/verdict.md)\n" + plain(resources, "  ");
  if (!stats.rows.empty()) text += "\n" + plain(stat_table(stats), "  ");
  if (!stats.laws.empty()) text += "\n  laws, checked at the end of every run\n";
  for (const std::string& law : stats.laws) text += "  " + law + "\n";
  return text;
}

std::string describe_module_markdown(const ModuleKind& kind) {
  const auto params = kind.new_params();
  const StatLister stats = stats_of(kind);
  std::string text = "Module `" + std::string(kind.name) + "`: " + std::string(kind.summary) + ". Role: `" +
                     std::string(to_text(kind.role)) + "`. Clock: `" + std::string(kind.clock) +
                     "`.\n\nSockets, counts with default parameters:\n\n" +
                     markdown(socket_table(kind, *params));
  const Table table = param_table(*params);
  if (table.size() > 1) text += "\nParameters:\n\n" + markdown(table);
  if (const Table storage = storage_table(kind, *params); storage.size() > 1)
    text += "\nStorage, with default parameters:\n\n" + markdown(storage);
  if (const Table resources = resource_table(kind, *params); resources.size() > 1)
    text +=
        "\nWhat can be used up ([verdict](../methods/verdict.md#resources)), with default parameters:\n\n" +
        markdown(resources);
  if (!stats.rows.empty()) text += "\nStatistics:\n\n" + markdown(stat_table(stats));
  if (!stats.laws.empty()) text += "\nLaws, checked at the end of every run:\n\n";
  for (const std::string& law : stats.laws) text += "- `" + law + "`\n";
  return text;
}

std::string fill_generated(const std::string& page, const std::string& file, const ModuleTable& modules) {
  static const std::string begin = "<!-- generated: modules", close = "-->", end = "<!-- end generated -->";
  std::string out;
  std::size_t at = 0;
  for (;;) {
    const std::size_t start = page.find(begin, at);
    if (start == std::string::npos) return out + page.substr(at);
    const int line =
        static_cast<int>(std::count(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(start), '\n')) +
        1;
    const std::size_t name_at = start + begin.size();
    const std::size_t name_end = page.find(close, name_at);
    const std::size_t stop = page.find(end, name_at);
    if (name_end == std::string::npos || stop == std::string::npos || stop < name_end)
      throw ConfigError(Faults{{{file, line, 1}, "'" + begin + " ...' has no '" + end + "'"}});
    std::string name = page.substr(name_at, name_end - name_at);
    name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
    std::string table;
    try {
      table = name.empty() ? markdown(module_table(modules))
                           : describe_module_markdown(require_module(name, modules));
    } catch (const ConfigError& error) {
      throw ConfigError(Faults{{{file, line, 1}, error.faults()[0].message}});
    }
    out += page.substr(at, name_end + close.size() - at) + "\n" + table + end;
    at = stop + end.size();
  }
}

std::vector<std::string> stale_pages(const std::string& folder, bool write, const ModuleTable& modules) {
  std::vector<std::filesystem::path> pages;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".md") pages.push_back(entry.path());
  std::sort(pages.begin(), pages.end());
  std::vector<std::string> stale;
  for (const std::filesystem::path& page : pages) {
    const std::string text = read_text(page);
    const std::string filled = fill_generated(text, page.string(), modules);
    if (filled == text) continue;
    stale.push_back(page.string());
    if (!write) continue;
    std::ofstream file(page, std::ios::binary);
    file << filled;
    if (!file.flush()) throw ConfigError("cannot write " + page.string());
  }
  return stale;
}

}  // namespace strata::platforms
