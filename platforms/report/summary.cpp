#include "platforms/report/summary.h"

#include <algorithm>

#include "platforms/report/sharing_observer.h"

namespace strata::platforms {
namespace {

/// A counter, or numerator or denominator of a ratio, of every instance of a module kind.
struct Term {
  enum class Part { counter, numerator, denominator };
  std::string_view kind, name;
  Part part = Part::counter;
};
using Terms = std::vector<Term>;

/// Sum of terms, or quotient of two sums. The name `cycles` of kind "" is the length of the run.
struct Figure {
  std::string_view name, unit, sentence;
  Terms terms;
  Terms divisor;
};

constexpr auto over = Term::Part::numerator;
constexpr auto under = Term::Part::denominator;
const Term run_cycles{"", "cycles"};

/// The one place where figures of the summary meet the counters of the blocks.
const std::vector<Figure>& figures() {
  static const std::vector<Figure> table = {
      {"cycles",
       "core cycles",
       "length of the run: until the last kernel ended or generator was answered",
       {run_cycles},
       {}},
      {"thread_instructions",
       "thread instructions",
       "warp instructions times their active lanes",
       {{"sm_cluster", "thread_instructions"}},
       {}},
      {"warp_instructions",
       "warp instructions",
       "instructions issued by the warp schedulers",
       {{"sm_cluster", "warp_instructions"}},
       {}},
      {"ipc",
       "thread instructions per core cycle",
       "thread_instructions / cycles, all SMs together",
       {{"sm_cluster", "thread_instructions"}},
       {run_cycles}},
      {"l1_accesses",
       "line accesses",
       "loads that the L1s took from their SMs",
       {{"l1_private", "accesses"}},
       {}},
      {"l1_hits", "line accesses", "loads that found their line in the L1", {{"l1_private", "hits"}}, {}},
      {"l1_merges",
       "line accesses",
       "loads that joined a fetch of their line under way",
       {{"l1_private", "merges"}},
       {}},
      {"l1_misses",
       "line accesses",
       "loads that made the L1 fetch their line",
       {{"l1_private", "misses"}},
       {}},
      {"l1_bypasses",
       "line accesses",
       "loads that went past the L1's tags",
       {{"l1_private", "bypasses"}},
       {}},
      {"l1_stores", "line accesses", "stores that passed through the L1s", {{"l1_private", "stores"}}, {}},
      {"l1_atomics", "line accesses", "atomics that passed through the L1s", {{"l1_private", "atomics"}}, {}},
      {"l1_hit_rate", "", "l1_hits / l1_accesses", {{"l1_private", "hits"}}, {{"l1_private", "accesses"}}},
      {"llc_accesses", "requests", "requests that the LLC slices decided", {{"llc_slice", "accesses"}}, {}},
      {"llc_hits", "requests", "requests that found their line in the LLC", {{"llc_slice", "hits"}}, {}},
      {"llc_merges",
       "requests",
       "requests that joined a fetch of their line under way",
       {{"llc_slice", "merges"}},
       {}},
      {"llc_misses",
       "requests",
       "requests for lines neither present nor on their way",
       {{"llc_slice", "misses"}},
       {}},
      {"llc_hit_rate", "", "llc_hits / llc_accesses", {{"llc_slice", "hits"}}, {{"llc_slice", "accesses"}}},
      {"llc_replies", "replies", "replies that the LLC slices sent", {{"llc_slice", "replies"}}, {}},
      {"llc_response_rate",
       "replies per core cycle",
       "llc_replies / cycles, all slices together",
       {{"llc_slice", "replies"}},
       {run_cycles}},
      {"noc_request_utilization",
       "",
       "share of cycles in which the mean request output of a router moves a flit",
       {{"router_stage", "request_utilization", over}},
       {{"router_stage", "request_utilization", under}}},
      {"noc_reply_utilization",
       "",
       "share of cycles in which the mean reply output of a router moves a flit",
       {{"router_stage", "reply_utilization", over}},
       {{"router_stage", "reply_utilization", under}}},
      {"noc_utilization",
       "",
       "both directions together",
       {{"router_stage", "request_utilization", over}, {"router_stage", "reply_utilization", over}},
       {{"router_stage", "request_utilization", under}, {"router_stage", "reply_utilization", under}}},
      {"dram_reads",
       "requests",
       "reads that the memory controllers took",
       {{"memory_controller", "reads"}},
       {}},
      {"dram_writes",
       "requests",
       "writes that the memory controllers took",
       {{"memory_controller", "writes"}},
       {}},
      {"dram_utilization",
       "",
       "share of cycles in which the mean DRAM data bus moves data",
       {{"dram_channel", "utilization", over}},
       {{"dram_channel", "utilization", under}}},
      {"row_hit_rate",
       "",
       "share of DRAM requests that found their row open",
       {{"memory_controller", "row_hit_rate", over}},
       {{"memory_controller", "row_hit_rate", under}}},
      {"line_accesses",
       "line accesses",
       "accesses that SMs and traffic generators sent",
       {{"sm_cluster", "line_accesses"}, {"traffic_generator", "sent"}},
       {}},
      {"line_access_rate",
       "line accesses per core cycle",
       "line_accesses / cycles",
       {{"sm_cluster", "line_accesses"}, {"traffic_generator", "sent"}},
       {run_cycles}},
      {"round_trips",
       "line accesses",
       "accesses answered by a response: they left the L1 or merged there",
       {{"sm_cluster", "round_trips"}, {"traffic_generator", "round_trips"}},
       {}},
  };
  return table;
}

/// Terms of several kinds stand in for each other, as SMs and traffic generators do: one of them must be
/// there.
std::string missing(const Terms& terms, const std::vector<InstanceStats>& tables) {
  std::vector<std::string> kinds;
  for (const Term& term : terms) {
    const auto of_kind = [&](const InstanceStats& table) { return table.kind == term.kind; };
    if (term.kind.empty() || std::any_of(tables.begin(), tables.end(), of_kind)) return {};
    if (kinds.empty() || kinds.back() != term.kind) kinds.emplace_back(term.kind);
  }
  std::string text = "the platform has no ";
  for (const std::string& kind : kinds) text += (&kind == kinds.data() ? "" : " or ") + kind;
  return text;
}

std::uint64_t sum_of(const Terms& terms, const std::vector<InstanceStats>& tables, Cycle cycles) {
  std::uint64_t sum = 0;
  for (const Term& term : terms) {
    if (term.kind.empty()) {
      sum += cycles;
      continue;
    }
    for (const InstanceStats& table : tables) {
      if (table.kind != term.kind) continue;
      if (term.part == Term::Part::counter) {
        if (const CounterRow* row = table.counter(term.name)) sum += row->value;
      } else if (const RatioRow* row = table.ratio(term.name)) {
        sum += term.part == over ? row->numerator : row->denominator;
      }
    }
  }
  return sum;
}

SummaryRow whole(std::string_view name, std::string_view unit, std::string_view sentence,
                 std::uint64_t value) {
  return {std::string(name), std::string(unit), std::string(sentence), true, value, std::nullopt};
}

SummaryRow real(std::string_view name, std::string_view unit, std::string_view sentence,
                std::optional<double> value) {
  return {std::string(name), std::string(unit), std::string(sentence), false, 0, value};
}

std::optional<double> quotient(std::uint64_t over_, std::uint64_t under_) {
  if (under_ == 0) return std::nullopt;
  return static_cast<double>(over_) / static_cast<double>(under_);
}

/// Instances of modules that are not ours: what they count belongs to no figure.
std::vector<std::string> uncounted(const std::vector<InstanceStats>& tables) {
  static const ModuleTable ours = built_in_modules();
  std::vector<std::string> sentences, kinds;
  for (const InstanceStats& table : tables) {
    if (find_module(ours, table.kind) != nullptr ||
        std::find(kinds.begin(), kinds.end(), table.kind) != kinds.end())
      continue;
    kinds.push_back(table.kind);
    const auto count = std::count_if(tables.begin(), tables.end(),
                                     [&](const InstanceStats& other) { return other.kind == table.kind; });
    sentences.push_back("no figure takes in the counters of " + table.instance +
                        (count > 1 ? " and " + std::to_string(count - 1) + " more" : std::string()) +
                        ", of the module " + table.kind);
  }
  return sentences;
}

void add_latencies(Summary& summary, const LedgerTotals& ledger) {
  std::uint64_t count = 0;
  std::uint64_t latency = 0;
  for (const auto& sums : ledger.groups) {
    count += sums.count;
    latency += sums.latency;
  }
  summary.rows.push_back(real("mean_latency", "core cycles",
                              "of all line accesses, from the SM's load/store queue to the answer",
                              quotient(latency, count)));
  const LedgerTotals::Sums& loads = ledger.groups[LedgerTotals::loads];
  summary.rows.push_back(real("mean_load_latency", "core cycles", "the same of loads alone",
                              quotient(loads.latency, loads.count)));
}

}  // namespace

const SummaryRow* Summary::find(std::string_view name) const {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

Summary summarize(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger, Cycle cycles,
                  const HostCost& host) {
  Summary summary;
  for (const Figure& figure : figures()) {
    const std::uint64_t sum = sum_of(figure.terms, tables, cycles);
    summary.rows.push_back(figure.divisor.empty()
                               ? whole(figure.name, figure.unit, figure.sentence, sum)
                               : real(figure.name, figure.unit, figure.sentence,
                                      quotient(sum, sum_of(figure.divisor, tables, cycles))));
    summary.rows.back().absent = missing(figure.terms, tables);
    if (!summary.rows.back().absent.empty()) summary.rows.back().real.reset();
  }
  summary.uncounted = uncounted(tables);
  add_latencies(summary, ledger);
  const double trips = summary.find("round_trips")->value();
  summary.rows.push_back(
      real("cpu_seconds", "s", "processor time of the simulation, on this host", host.cpu_seconds));
  summary.rows.push_back(
      real("wall_seconds", "s", "elapsed time of the simulation, on this host", host.wall_seconds));
  summary.rows.push_back(
      real("round_trips_per_cpu_second", "1/s", "round_trips / cpu_seconds",
           host.cpu_seconds > 0 ? std::optional<double>(trips / host.cpu_seconds) : std::nullopt));
  summary.rows.push_back(
      whole("peak_rss_bytes", "bytes", "most memory that the process had resident", host.peak_rss_bytes));
  summary.rows.push_back(real("process_cpu_seconds", "s",
                              "processor time of the whole process, the building of the platform included",
                              host.process_cpu_seconds));
  return summary;
}

std::vector<std::string> gaps(const Summary& summary) {
  std::vector<std::string> sentences, reasons;
  for (const SummaryRow& row : summary.rows) {
    if (row.absent.empty()) continue;
    const auto at = std::find(reasons.begin(), reasons.end(), row.absent);
    if (at != reasons.end()) {
      sentences[static_cast<std::size_t>(at - reasons.begin())] += ", " + row.name;
      continue;
    }
    reasons.push_back(row.absent);
    sentences.push_back(row.absent + ", hence no " + row.name);
  }
  sentences.insert(sentences.end(), summary.uncounted.begin(), summary.uncounted.end());
  return sentences;
}

Summary describe_summary() {
  Summary summary = summarize({}, {}, 0, {});
  for (SummaryRow& row : describe_sharing()) summary.rows.push_back(std::move(row));
  return summary;
}

Faults check_summary_mapping(const ModuleTable& modules) {
  Faults faults;
  for (const Figure& figure : figures()) {
    Terms all = figure.terms;
    all.insert(all.end(), figure.divisor.begin(), figure.divisor.end());
    for (const Term& term : all) {
      if (term.kind.empty()) continue;
      const std::string what = "summary figure " + std::string(figure.name) + ": ";
      const ModuleKind* kind = find_module(modules, term.kind);
      if (kind == nullptr) {
        faults.push_back({{}, what + "no module '" + std::string(term.kind) + "'"});
        continue;
      }
      const InstanceStats stats = read_stats({}, std::string(kind->name), *kind->new_stats());
      const bool known = term.part == Term::Part::counter ? stats.counter(term.name) != nullptr
                                                          : stats.ratio(term.name) != nullptr;
      if (!known)
        faults.push_back({{}, what + std::string(term.kind) + " has no '" + std::string(term.name) + "'"});
    }
  }
  return faults;
}

}  // namespace strata::platforms
