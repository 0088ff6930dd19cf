#include "platforms/report/epochs.h"

#include "platforms/report/stat_table.h"

namespace strata::platforms {
namespace {

constexpr int no_column = -1;

struct Column {
  std::string_view name, kind, counter;
  std::string_view other_kind = {};  // that has a counter of the same name
};

constexpr Column columns[] = {
    {"thread_instructions", "sm_cluster", "thread_instructions"},
    {"warp_instructions", "sm_cluster", "warp_instructions"},
    {"ctas_done", "sm_cluster", "ctas_done"},
    {"round_trips", "sm_cluster", "round_trips", "traffic_generator"},
    {"l1_accesses", "l1_private", "accesses"},
    {"l1_hits", "l1_private", "hits"},
    {"l1_merges", "l1_private", "merges"},
    {"llc_accesses", "llc_slice", "accesses"},
    {"llc_hits", "llc_slice", "hits"},
    {"llc_merges", "llc_slice", "merges"},
    {"llc_replies", "llc_slice", "replies"},
    {"dram_reads", "memory_controller", "reads"},
    {"dram_writes", "memory_controller", "writes"},
    {"row_hits", "memory_controller", "row_hits"},
    {"dram_bus_busy", "dram_channel", "data_bus_busy"},
};
constexpr std::size_t column_count = sizeof columns / sizeof columns[0];

/// Adds the counters of a block to their columns.
class Adder final : public StatVisitor {
 public:
  Adder(const std::vector<int>& column, std::vector<std::uint64_t>& sums) : column_(column), sums_(sums) {}
  void counter(const StatInfo&, const std::uint64_t& value) override {
    const int c = column_[next_++];
    if (c != no_column) sums_[static_cast<std::size_t>(c)] += value;
  }
  void histogram(const StatInfo&, const Histogram&) override {}
  void ratio(const StatInfo&, std::uint64_t, std::uint64_t) override {}
  void law(std::string_view) override {}

 private:
  const std::vector<int>& column_;
  std::vector<std::uint64_t>& sums_;
  std::size_t next_ = 0;
};

}  // namespace

EpochSeries::EpochSeries(const Platform& platform) : last_(column_count, 0) {
  for (const PlatformInstance& instance : platform.instances()) {
    Reading reading{instance.block, {}};
    bool wanted = false;
    for (const CounterRow& row :
         read_stats({}, std::string(instance.kind->name), instance.block->stats()).counters) {
      int at = no_column;
      for (std::size_t c = 0; c < column_count; ++c)
        if ((columns[c].kind == instance.kind->name || columns[c].other_kind == instance.kind->name) &&
            columns[c].counter == row.name)
          at = static_cast<int>(c);
      wanted = wanted || at != no_column;
      reading.column.push_back(at);
    }
    if (wanted) readings_.push_back(std::move(reading));
  }
}

void EpochSeries::sample(Cycle now) {
  if (!rows_.empty() && rows_.back().end >= now) return;
  std::vector<std::uint64_t> sums(column_count, 0);
  for (const Reading& reading : readings_) {
    Adder adder(reading.column, sums);
    reading.block->stats().for_each_stat(adder);
  }
  Row row{now, sums};
  for (std::size_t c = 0; c < column_count; ++c) row.values[c] -= last_[c];
  last_ = std::move(sums);
  rows_.push_back(std::move(row));
}

std::string EpochSeries::csv() const {
  std::string text = "end_cycle,cycles";
  for (const Column& column : columns) text += "," + std::string(column.name);
  text += "\n";
  Cycle before = 0;
  for (const Row& row : rows_) {
    text += std::to_string(row.end) + "," + std::to_string(row.end - before);
    for (const std::uint64_t value : row.values) text += "," + std::to_string(value);
    text += "\n";
    before = row.end;
  }
  return text;
}

}  // namespace strata::platforms
