// The controller against an open-page FR-FCFS reference on request lists in tb/data/dram (README.md there).
#include <algorithm>
#include <fstream>
#include <sstream>

#include "models/memory_controller/replay.h"
#include "platforms/engine/timing_sets.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

const std::string data = "tb/data/dram/";

/// The lines of one pattern, without their first column, behind the header.
std::string lines_of(const std::string& path, const std::string& pattern) {
  std::ifstream in(path);
  std::string text;
  for (std::string line; std::getline(in, line);)
    if (text.empty() || line.compare(0, pattern.size() + 1, pattern + ',') == 0)
      text += line.substr(line.find(',') + 1) + '\n';
  REQUIRE(std::count(text.begin(), text.end(), '\n') > 1);
  return text;
}

ReplayResult replay(const std::string& pattern, const std::string& set, int depth = 32) {
  MemoryControllerParams params;
  params.read_queue = params.write_queue = depth;
  params.timing_set = set;
  REQUIRE(platforms::resolve_timing_set(params, {"platforms/machines/timing_sets"}).empty());
  std::ifstream in(data + "requests/" + pattern + ".csv");
  REQUIRE(in.good());
  return replay_dram(params, read_request_list(in, pattern, params.timing));
}

// Commands of one cycle (dual command bus) may stand in any order: compare sorted lines.
std::vector<std::string> sorted_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

void require_exact(const std::string& pattern, const std::string& set) {
  INFO("pattern " << pattern << ", timing set " << set);
  const ReplayResult result = replay(pattern, set);
  std::ostringstream commands;
  write_commands(commands, result.commands);
  CHECK(sorted_lines(commands.str()) == sorted_lines(lines_of(data + set + "_commands.csv", pattern)));
  std::ostringstream replies;
  write_replies(replies, result.replies);
  CHECK(replies.str() == lines_of(data + set + "_replies.csv", pattern));
}

struct Expected {
  std::string pattern;
  std::string set;
  std::uint64_t requests, total, activates, precharges, reads, writes, hits, misses, conflicts;
};

std::vector<Expected> expected() {
  std::ifstream in(data + "expected.csv");
  std::vector<Expected> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string text[3];
    for (std::string& field : text) std::getline(fields, field, ',');
    std::uint64_t n[9];
    for (std::uint64_t& number : n) {
      fields >> number;
      fields.ignore();
    }
    rows.push_back({text[0], text[1], n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8]});
  }
  return rows;
}

}  // namespace

TEST_CASE("micro patterns are exact per command and per request") {
  for (const std::string set : {"hbm_bl4", "hbm_bl2", "gddr5"})
    for (const std::string pattern :
         {"m01_cold_read", "m02_hit_read", "m03_conflict_read", "m04_cold_write", "m05_wr_to_conflict",
          "m06_wtr_same_bg", "m07_wtr_diff_bg", "m08_rtw", "m10_act_pair_same_bg"})
      require_exact(pattern, set);
}

TEST_CASE("bulk patterns are exact per command and per request") {
  for (const std::string set : {"hbm_bl4", "gddr5"})
    for (const std::string pattern : {"b01_seq_one_row_rd", "b02_seq_one_row_wr", "b04_same_bank_conflict_rd",
                                      "b05_bank_interleave_hit_rd", "b08_act_rotate_bg", "b10_random_rd",
                                      "b13_rw_alternate_hit", "l01_line_stream_rd"})
      require_exact(pattern, set);
}

TEST_CASE("cycles, command counts and row outcomes agree for every pattern and timing set") {
  const std::vector<Expected> rows = expected();
  REQUIRE(rows.size() == 51);
  for (const Expected& row : rows) {
    const ReplayResult result = replay(row.pattern, row.set);
    INFO(row.pattern << " " << row.set);
    CHECK(result.replies.size() == row.requests);
    CHECK(result.total_cycles == row.total);
    CHECK(result.stats.activates == row.activates);
    CHECK(result.stats.precharges == row.precharges);
    CHECK(result.stats.bursts == row.reads + row.writes);
    CHECK(result.stats.reads_finished == row.reads);
    CHECK(result.stats.row_hits == row.hits);
    CHECK(result.stats.row_misses == row.misses);
    CHECK(result.stats.row_conflicts == row.conflicts);
  }
}

// The reference's figure for b13 at 160 entries is left out: it lies below what the data bus can do.
TEST_CASE("total cycles follow the depth of the queues as the reference's do") {
  struct Row {
    const char* set;
    const char* pattern;
    std::vector<std::uint64_t> totals;  // at 8, 16, 32, 64, 128 (and 160) entries
  };
  const std::vector<Row> rows{
      {"hbm_bl4", "b10_random_rd", {5047, 5006, 4929, 4802, 4558, 4459}},
      {"hbm_bl4", "b13_rw_alternate_hit", {1533, 1329, 1173, 1089, 1053}},
      {"gddr5", "b10_random_rd", {6562, 6508, 6417, 6254, 5917, 5787}},
      {"gddr5", "b13_rw_alternate_hit", {1850, 1508, 1261, 1128, 1071}},
  };
  const int depths[] = {8, 16, 32, 64, 128, 160};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.totals.size(); ++i) {
      INFO(row.set << " " << row.pattern << ", " << depths[i] << " entries");
      CHECK(replay(row.pattern, row.set, depths[i]).total_cycles == row.totals[i]);
    }
}
