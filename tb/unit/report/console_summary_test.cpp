// The tables that a run prints.
#include "platforms/report/console_summary.h"

#include "tb/support/catch.h"

using namespace strata::platforms;

namespace {

/// The rows of the caches, of a run in which L1s and LLC counted so much.
std::string cache_rows(std::uint64_t bypasses) {
  RunRecord record;
  record.summary = describe_summary();
  for (SummaryRow& row : record.summary.rows) {
    if (row.name.rfind("l1_", 0) == 0 || row.name.rfind("llc_", 0) == 0) row.absent.clear();
    if (row.name == "l1_accesses") row.count = 1300;
    if (row.name == "l1_hits") row.count = 1000;
    if (row.name == "l1_misses") row.count = 300 - bypasses;
    if (row.name == "l1_bypasses") row.count = bypasses;
    if (row.name == "l1_hit_rate") row.real = 1000.0 / 1300;
    if (row.name == "llc_accesses") row.count = 300;
    if (row.name == "llc_misses") row.count = 300;
    if (row.name == "llc_hit_rate") row.real = 0.0;
    if (row.name == "llc_sectors") row.count = 400;
    if (row.name == "l1_sectors") row.count = 1300;
  }
  const std::string text = console_summary(record);
  const auto begin = text.find("  cache"), end = text.find("\n\n", begin);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  return text.substr(begin, end - begin);
}

}  // namespace

TEST_CASE(
    "loads past the L1 have a column in the table of caches, beside what does not add up without them") {
  CHECK(cache_rows(100) ==
        "  cache           accesses   hits  merges  misses  bypasses  hit rate\n"
        "  L1 (loads)         1 300  1 000       0     200       100    76.9 %\n"
        "  LLC (requests)       300      0       0     300               0.0 %\n"
        "  L1 (sectors)       1 300                      0\n"
        "  LLC (sectors)        400                      0");
}

TEST_CASE("where no load went past the L1 the table of caches has no such column") {
  CHECK(cache_rows(0) ==
        "  cache           accesses   hits  merges  misses  hit rate\n"
        "  L1 (loads)         1 300  1 000       0     300    76.9 %\n"
        "  LLC (requests)       300      0       0     300     0.0 %\n"
        "  L1 (sectors)       1 300                      0\n"
        "  LLC (sectors)        400                      0");
}
