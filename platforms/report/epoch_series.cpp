#include "platforms/report/epoch_series.h"

#include <algorithm>

#include "models/common/text.h"
#include "platforms/report/stat_table.h"
#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

/// How the values of a role's instances are combined.
enum class Over { sum, busiest };

struct Column {
  std::string_view name;
  Role role;
  std::string_view counter;
  Role other = Role::none;  // another role with a counter of the same name
  Over over = Over::sum;
};

constexpr Column columns[] = {
    {"thread_instructions", Role::sm, "thread_instructions"},
    {"warp_instructions", Role::sm, "warp_instructions"},
    {"ctas_done", Role::sm, "ctas_done"},
    {"round_trips", Role::sm, "round_trips", Role::generator},
    {"l1_accesses", Role::l1, "accesses"},
    {"l1_hits", Role::l1, "hits"},
    {"l1_merges", Role::l1, "merges"},
    {"l1_mode_samples", Role::l1, "mode_samples"},
    {"l1_mode_samples_coarse", Role::l1, "mode_samples_coarse"},
    {"llc_accesses", Role::llc, "accesses"},
    {"llc_hits", Role::llc, "hits"},
    {"llc_merges", Role::llc, "merges"},
    {"llc_replies", Role::llc, "replies"},
    {"dram_reads", Role::memory, "reads"},
    {"dram_writes", Role::memory, "writes"},
    {"row_hits", Role::memory, "row_hits"},
    {"dram_bus_busy", Role::channel, "data_bus_busy"},
    {"llc_busiest_slice", Role::llc, "accesses", Role::none, Over::busiest},
    {"llc_private_cycles", Role::control, "private_cycles"},
    {"llc_degree_cycles", Role::control, "degree_cycles"},
    {"llc_transition_cycles", Role::control, "transition_cycles"},
    {"lines", Role::control, "lines"},
    {"lines_2_clusters", Role::control, "lines_2_clusters"},
    {"lines_3_4_clusters", Role::control, "lines_3_4_clusters"},
    {"lines_5_8_clusters", Role::control, "lines_5_8_clusters"},
    {"lines_9_clusters", Role::control, "lines_9_clusters"},
    {"read_only_lines", Role::control, "read_only_lines"},
    {"read_only_lines_2_sms", Role::control, "read_only_lines_2_sms"},
    {"read_only_lines_10_sms", Role::control, "read_only_lines_10_sms"},
    {"l1_requests", Role::l1, "requests"},
    {"l1_busiest", Role::l1, "requests", Role::none, Over::busiest},
    {"sm_active_cycles", Role::sm, "active_cycles"},
};
constexpr std::size_t column_count = sizeof columns / sizeof columns[0];
constexpr std::size_t ctas_done = 2;
constexpr std::size_t sm_active_cycles = column_count - 1;
constexpr std::size_t llc_accesses = 9;
constexpr std::size_t llc_busiest = 17;
static_assert(columns[llc_accesses].name == "llc_accesses" && columns[llc_busiest].over == Over::busiest);

/// Slice parallelism: accesses of all slices over those of the busiest one.
std::string parallelism(const std::vector<std::uint64_t>& values) {
  if (values[llc_busiest] == 0) return "";
  return fixed(static_cast<double>(values[llc_accesses]) / static_cast<double>(values[llc_busiest]), 3);
}

bool is_of(const Column& column, Role role) {
  return role != Role::none && (column.role == role || column.other == role);
}

/// Names of the counters that a block visits, without the rows that a report derives from them.
class CounterNames final : public StatVisitor {
 public:
  explicit CounterNames(const StatSet& stats) { stats.for_each_stat(*this); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  void counter(const StatInfo& info, const std::uint64_t&) override { names_.emplace_back(info.name); }
  void histogram(const StatInfo&, const Histogram&) override {}
  void ratio(const StatInfo&, std::uint64_t, std::uint64_t) override {}
  void law(std::string_view) override {}

  std::vector<std::string> names_;
};

/// Adds the growth of a block's counters to their columns. A counter may have two columns.
class Adder final : public StatVisitor {
 public:
  Adder(const std::vector<std::vector<int>>& columns_of, std::vector<std::uint64_t>& before,
        std::vector<std::uint64_t>& values)
      : columns_of_(columns_of), before_(before), values_(values) {}
  void counter(const StatInfo&, const std::uint64_t& value) override {
    const std::uint64_t grown = value - before_[next_];
    for (const int column : columns_of_[next_]) {
      std::uint64_t& total = values_[static_cast<std::size_t>(column)];
      total = columns[column].over == Over::sum ? total + grown : std::max(total, grown);
    }
    before_[next_++] = value;
  }
  void histogram(const StatInfo&, const Histogram&) override {}
  void ratio(const StatInfo&, std::uint64_t, std::uint64_t) override {}
  void law(std::string_view) override {}

 private:
  const std::vector<std::vector<int>>& columns_of_;
  std::vector<std::uint64_t>& before_;
  std::vector<std::uint64_t>& values_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<std::string> EpochSeries::column_names() {
  std::vector<std::string> names;
  for (const Column& column : columns) names.emplace_back(column.name);
  return names;
}

std::string EpochSeries::column_sentence(std::string_view name) {
  for (const Column& column : columns)
    if (column.name == name)
      return "what `" + std::string(column.counter) + "` of " +
             (column.over == Over::sum ? "all modules" : "the busiest module") + " of the role " +
             std::string(to_text(column.role)) + " grew by in the epoch";
  return {};
}

EpochSeries::EpochSeries(const Platform& platform, bool l1s) : present_(column_count) {
  for (const PlatformInstance& instance : platform.instances()) {
    Reading reading{instance.block, {}, {}};
    bool wanted = false;
    const Role role = instance.kind->role;
    const CounterNames counters(instance.block->stats());
    reading.columns_of.reserve(counters.names().size());
    for (const std::string& name : counters.names()) {
      std::vector<int> at;
      for (std::size_t c = 0; c < column_count; ++c)
        if (is_of(columns[c], role) && columns[c].counter == name) {
          at.push_back(static_cast<int>(c));
          present_[c] = true;
        }
      Members EpochSeries::*const members = role == Role::llc && name == "accesses" ? &EpochSeries::slices_
                                            : l1s && role == Role::l1 && name == "requests"
                                                ? &EpochSeries::l1s_
                                                : nullptr;
      if (members != nullptr) {
        (this->*members).names.push_back(instance.full_name());
        reading.members = members;
        reading.own = reading.columns_of.size();
      }
      wanted = wanted || !at.empty() || members != nullptr;
      reading.columns_of.push_back(std::move(at));
    }
    if (!wanted) continue;
    reading.before.resize(reading.columns_of.size());
    readings_.push_back(std::move(reading));
  }
}

void EpochSeries::sample(Cycle now) {
  if (!rows_.empty() && rows_.back().end >= now) return;
  Row row{now, std::vector<std::uint64_t>(column_count, 0)};
  for (Members* members : {&slices_, &l1s_})
    if (!members->names.empty()) members->rows.emplace_back();
  for (Reading& reading : readings_) {
    const std::uint64_t before = reading.members != nullptr ? reading.before[reading.own] : 0;
    Adder adder(reading.columns_of, reading.before, row.values);
    reading.block->stats().for_each_stat(adder);
    if (reading.members != nullptr)
      (this->*reading.members).rows.back().push_back(reading.before[reading.own] - before);
  }
  rows_.push_back(std::move(row));
}

// Leave out columns that no module of the platform counts.
std::string EpochSeries::csv() const {
  std::string text = "end_cycle,cycles";
  for (std::size_t c = 0; c < column_count; ++c)
    if (present_[c]) text += "," + std::string(columns[c].name);
  text += present_[llc_busiest] ? ",llc_parallelism\n" : "\n";
  Cycle before = 0;
  for (const Row& row : rows_) {
    text += std::to_string(row.end) + "," + std::to_string(row.end - before);
    for (std::size_t c = 0; c < column_count; ++c)
      if (present_[c]) text += "," + std::to_string(row.values[c]);
    if (present_[llc_busiest]) text += "," + parallelism(row.values);
    text += "\n";
    before = row.end;
  }
  return text;
}

std::string EpochSeries::tail(int sms) const {
  constexpr std::size_t least_epochs = 4;
  constexpr double half = 0.5, least_share = 0.01;
  if (sms == 0 || rows_.size() < least_epochs || !present_[sm_active_cycles] || !present_[ctas_done])
    return {};
  const auto value = [&](std::size_t row, std::size_t column) {
    return static_cast<double>(rows_[row].values[column]);
  };
  const auto began = [&](std::size_t row) {
    return row == 0 ? 0.0 : static_cast<double>(rows_[row - 1].end);
  };
  const double end = static_cast<double>(rows_.back().end);
  const auto active = [&](double cycles, double from, double to) { return cycles / (sms * (to - from)); };
  std::size_t first = rows_.size();
  double cycles = 0, ctas = 0, all_ctas = 0, all_cycles = 0;
  for (std::size_t i = rows_.size(); i-- > 0;) {
    const bool few = active(value(i, sm_active_cycles), began(i), static_cast<double>(rows_[i].end)) < half;
    all_cycles += value(i, sm_active_cycles);
    all_ctas += value(i, ctas_done);
    if (!few || first != i + 1) continue;
    first = i;
    cycles += value(i, sm_active_cycles);
    ctas += value(i, ctas_done);
  }
  if (first == 0 || first == rows_.size()) return {};  // few SMs at all times: no tail
  const double share = (end - began(first)) / end, before = active(all_cycles - cycles, 0, began(first)),
               then = active(cycles, began(first), end);
  if (share < least_share || before < 2 * then) return {};
  const auto count = [](double number) { return grouped(static_cast<std::uint64_t>(number)); };
  return "in the last " + percent(share) + " of the time " + percent(then) +
         " of the SMs have work, before " + percent(before) + ": the last " + count(ctas) + " of " +
         count(all_ctas) + " CTAs";
}

std::string EpochSeries::members_csv(const Members& members) const {
  if (members.names.empty()) return "";
  std::string text = "end_cycle,cycles";
  for (const std::string& name : members.names) text += "," + name;
  text += "\n";
  Cycle before = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    text += std::to_string(rows_[i].end) + "," + std::to_string(rows_[i].end - before);
    for (const std::uint64_t accesses : members.rows[i]) text += "," + std::to_string(accesses);
    text += "\n";
    before = rows_[i].end;
  }
  return text;
}

}  // namespace strata::platforms
