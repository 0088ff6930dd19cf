#include "platforms/report/digest_names.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "models/tlm/module_kind.h"
#include "platforms/engine/netlist/module_table.h"
#include "platforms/report/digest.h"
#include "platforms/report/stat_table.h"
#include "platforms/report/summary.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

namespace strata::platforms {
namespace {

InstanceStats table_of(std::string kind, std::vector<CounterRow> counters) {
  InstanceStats table;
  table.instance = "block[0]";
  table.kind = std::move(kind);
  table.counters = std::move(counters);
  return table;
}

std::uint64_t digest_of_table(const InstanceStats& table) {
  return digest({table}, LedgerTotals{}, LedgerPlaces{});
}

}  // namespace

TEST_CASE("digest: a counter that came after its list changes no digest") {
  const InstanceStats before = table_of("llc_slice", {{"accesses", "", "", 7}});
  const InstanceStats after =
      table_of("llc_slice", {{"write_merges_of_a_later_version", "", "", 3}, {"accesses", "", "", 7}});
  CHECK(digest_of_table(after) == digest_of_table(before));
  CHECK(digest_of_table(table_of("llc_slice", {{"accesses", "", "", 8}})) != digest_of_table(before));
}

TEST_CASE("digest: all counters of a module that its list does not know are part of it") {
  const InstanceStats before = table_of("module_of_a_plugin", {{"accesses", "", "", 7}});
  const InstanceStats after = table_of("module_of_a_plugin", {{"accesses", "", "", 7}, {"other", "", "", 3}});
  CHECK(digest_of_table(after) != digest_of_table(before));
}

TEST_CASE(
    "digest: a row of the ledger counts by its place in the list, and one that is not there by its name") {
  FnvHash usual, other_order, later, later_without_cycles;
  add_cycles({{"l1.port", 5}, {"llc.queue", 2}}, usual);
  add_cycles({{"llc.queue", 2}, {"l1.port", 5}}, other_order);
  add_cycles({{"l1.port", 5}, {"llc.queue", 2}, {"tlb.walk", 4}}, later);
  add_cycles({{"l1.port", 5}, {"llc.queue", 2}, {"tlb.walk", 0}}, later_without_cycles);
  CHECK(usual.value() == other_order.value());
  CHECK(usual.value() != later.value());
  CHECK(usual.value() == later_without_cycles.value());
}

}  // namespace strata::platforms

// docs/guide/counters.md names Strata's figures beside Nsight Compute's: each of Strata's exists.

namespace {

struct Row {
  std::string ours, theirs, line;
};

/// Rows of the tables whose first column is "Strata".
std::vector<Row> rows_of(const std::string& page) {
  std::vector<Row> rows;
  std::istringstream lines(page);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| Strata |", 0) == 0) {
      inside = true;
    } else if (line.empty() || line.front() != '|') {
      inside = false;
    } else if (inside && line.rfind("| ---", 0) != 0) {
      const auto first = line.find('|', 1), second = line.find('|', first + 1);
      REQUIRE(second != std::string::npos);
      rows.push_back({line.substr(1, first - 1), line.substr(first + 1, second - first - 1), line});
    }
  }
  return rows;
}

/// What stands between backticks.
std::vector<std::string> names_in(const std::string& cell) {
  std::vector<std::string> names;
  for (auto at = cell.find('`'); at != std::string::npos; at = cell.find('`', at + 1)) {
    const auto end = cell.find('`', at + 1);
    REQUIRE(end != std::string::npos);
    names.push_back(cell.substr(at + 1, end - at - 1));
    at = end;
  }
  return names;
}

/// A figure of the summary, or `module.counter`, also one that only some runs count.
bool exists(const std::string& name) {
  const auto dot = name.find('.');
  if (dot == std::string::npos) {
    static const Summary summary = describe_summary();
    return summary.find(name) != nullptr;
  }
  const std::string module = name.substr(0, dot), stat = name.substr(dot + 1);
  for (const ModuleKind* kind : built_in_modules()) {
    if (kind->name != module) continue;
    const InstanceStats stats = read_stats({}, *kind, *kind->new_stats());
    return stats.counter(stat) != nullptr || stats.ratio(stat) != nullptr;
  }
  return false;
}

}  // namespace

TEST_CASE("every name of Strata's on the page of counters exists, beside a metric or none") {
  std::ifstream file("docs/guide/counters.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::vector<Row> rows = rows_of(page);
  REQUIRE(rows.size() > 35);
  std::vector<std::string> seen;
  for (const Row& row : rows) {
    INFO(row.line);
    const std::vector<std::string> ours = names_in(row.ours);
    CHECK_FALSE(ours.empty());
    for (const std::string& name : ours) {
      CAPTURE(name);
      CHECK(exists(name));
      CHECK(std::find(seen.begin(), seen.end(), name) == seen.end());
      seen.push_back(name);
    }
    const std::vector<std::string> theirs = names_in(row.theirs);
    CHECK(theirs.empty() == (row.theirs == " none "));
    for (const std::string& metric : theirs)  // "..._op_st" goes on from the one before
      CHECK(
          (metric.find("__") != std::string::npos || metric.rfind("..._", 0) == 0 || &metric != &theirs[0]));
  }
}

TEST_CASE("the page of counters would be found out if a name went") {
  CHECK(exists("llc_write_hit_rate"));
  CHECK(exists("llc_slice.write_hit_rate"));
  CHECK(exists("llc_slice.atomic_transactions"));
  CHECK_FALSE(exists("llc_write_hit_ratio"));
  CHECK_FALSE(exists("llc_slice.write_hit_ratio"));
  CHECK_FALSE(exists("llc_slise.write_hit_rate"));
}
