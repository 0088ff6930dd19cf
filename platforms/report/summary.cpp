#include "platforms/report/summary.h"

#include <algorithm>
#include <cassert>

#include "platforms/report/run_observer.h"

namespace strata::platforms {
namespace {

/// A counter, or numerator or denominator of a ratio, of every instance that has a role.
struct Term {
  enum class Part { counter, numerator, denominator };
  Role role;
  std::string_view name;
  Part part = Part::counter;
};
using Terms = std::vector<Term>;

enum class Over { all, busiest };

/// Sum of terms, or quotient of two sums. The name `cycles` of no role is the length of the run.
struct Figure {
  std::string_view name, unit, sentence;
  Terms terms;
  Terms divisor = {};
  Over instances = Over::all;  // of the terms: their sum, or the most of one
  bool of_some = false;        // left out where no module counts it
};

constexpr auto over = Term::Part::numerator;
constexpr auto under = Term::Part::denominator;
const Term run_cycles{Role::none, "cycles"};

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
       {{Role::sm, "thread_instructions"}},
       {}},
      {"warp_instructions",
       "warp instructions",
       "instructions issued by the warp schedulers",
       {{Role::sm, "warp_instructions"}},
       {}},
      {"ipc",
       "thread instructions per core cycle",
       "thread_instructions / cycles, all SMs together",
       {{Role::sm, "thread_instructions"}},
       {run_cycles}},
      {"l1_accesses",
       "line accesses",
       "loads that the L1s took from their SMs",
       {{Role::l1, "accesses"}},
       {}},
      {"l1_hits", "line accesses", "loads that found their line in the L1", {{Role::l1, "hits"}}, {}},
      {"l1_merges",
       "line accesses",
       "loads that joined a fetch of their line under way",
       {{Role::l1, "merges"}},
       {}},
      {"l1_misses", "line accesses", "loads that made the L1 fetch their line", {{Role::l1, "misses"}}, {}},
      {"l1_bypasses", "line accesses", "loads that went past the L1's tags", {{Role::l1, "bypasses"}}, {}},
      {"l1_stores", "line accesses", "stores that passed through the L1s", {{Role::l1, "stores"}}, {}},
      {"l1_atomics", "line accesses", "atomics that passed through the L1s", {{Role::l1, "atomics"}}, {}},
      {"l1_busiest",
       "line accesses",
       "loads, stores and atomics that the busiest L1 took",
       {{Role::l1, "requests"}},
       {},
       Over::busiest},
      {"l1_hit_rate", "", "l1_hits / l1_accesses", {{Role::l1, "hits"}}, {{Role::l1, "accesses"}}},
      {"l1_sectors",
       "sectors",
       "sectors that loads through the tags, stores and atomics asked L1s with sectors for",
       {{Role::l1, "asked_sectors"}},
       {},
       Over::all,
       true},
      {"l1_missed_sectors",
       "sectors",
       "of these: fetched by loads, and written by stores and atomics that did not find them",
       {{Role::l1, "missed_sectors"}},
       {},
       Over::all,
       true},
      {"llc_sectors",
       "sectors",
       "sectors that requests asked LLC slices with sectors for",
       {{Role::llc, "asked_sectors"}},
       {},
       Over::all,
       true},
      {"llc_missed_sectors",
       "sectors",
       "of these: neither present nor on their way",
       {{Role::llc, "missed_sectors"}},
       {},
       Over::all,
       true},
      {"llc_accesses", "requests", "requests that the LLC slices decided", {{Role::llc, "accesses"}}, {}},
      {"llc_hits", "requests", "requests that found their line in the LLC", {{Role::llc, "hits"}}, {}},
      {"llc_merges",
       "requests",
       "requests that joined a fetch of their line under way",
       {{Role::llc, "merges"}},
       {}},
      {"llc_misses",
       "requests",
       "requests for lines neither present nor on their way",
       {{Role::llc, "misses"}},
       {}},
      {"llc_hit_rate", "", "llc_hits / llc_accesses", {{Role::llc, "hits"}}, {{Role::llc, "accesses"}}},
      {"llc_replies", "replies", "replies that the LLC slices sent", {{Role::llc, "replies"}}, {}},
      {"llc_response_rate",
       "replies per core cycle",
       "llc_replies / cycles, all slices together",
       {{Role::llc, "replies"}},
       {run_cycles}},
      {"noc_request_utilization",
       "",
       "share of cycles in which the mean request output of a router moves a flit",
       {{Role::router, "request_utilization", over}},
       {{Role::router, "request_utilization", under}}},
      {"noc_reply_utilization",
       "",
       "share of cycles in which the mean reply output of a router moves a flit",
       {{Role::router, "reply_utilization", over}},
       {{Role::router, "reply_utilization", under}}},
      {"noc_utilization",
       "",
       "both directions together",
       {{Role::router, "request_utilization", over}, {Role::router, "reply_utilization", over}},
       {{Role::router, "request_utilization", under}, {Role::router, "reply_utilization", under}}},
      {"dram_reads", "requests", "reads that the memory controllers took", {{Role::memory, "reads"}}, {}},
      {"dram_writes", "requests", "writes that the memory controllers took", {{Role::memory, "writes"}}, {}},
      {"dram_read_bursts",
       "commands",
       "column reads of the DRAM channels, each of the bytes_per_CAS of the timing set",
       {{Role::channel, "read_bursts"}},
       {}},
      {"dram_write_bursts", "commands", "column writes, likewise", {{Role::channel, "write_bursts"}}, {}},
      {"dram_utilization",
       "",
       "share of cycles in which the mean DRAM data bus moves data",
       {{Role::channel, "utilization", over}},
       {{Role::channel, "utilization", under}}},
      {"row_hit_rate",
       "",
       "share of DRAM requests that found their row open",
       {{Role::memory, "row_hit_rate", over}},
       {{Role::memory, "row_hit_rate", under}}},
      {"line_accesses",
       "line accesses",
       "accesses that SMs and traffic generators sent",
       {{Role::sm, "line_accesses"}, {Role::generator, "sent"}},
       {}},
      {"line_access_rate",
       "line accesses per core cycle",
       "line_accesses / cycles",
       {{Role::sm, "line_accesses"}, {Role::generator, "sent"}},
       {run_cycles}},
      {"round_trips",
       "line accesses",
       "accesses answered by a response: they left the L1 or merged there",
       {{Role::sm, "round_trips"}, {Role::generator, "round_trips"}},
       {}},
  };
  return table;
}

std::optional<std::uint64_t> value_of(const InstanceStats& table, const Term& term) {
  if (term.part == Term::Part::counter) {
    const CounterRow* row = table.counter(term.name);
    return row == nullptr ? std::nullopt : std::optional<std::uint64_t>(row->value);
  }
  const RatioRow* row = table.ratio(term.name);
  if (row == nullptr) return std::nullopt;
  return term.part == over ? row->numerator : row->denominator;
}

/// Why no term has a value; empty when one has. Terms of several roles stand in for each other, as SMs and
/// traffic generators do.
std::string missing(const Terms& terms, const std::vector<InstanceStats>& tables) {
  std::string roles, silent;
  Role last = Role::none;
  for (const Term& term : terms) {
    if (term.role == Role::none) return {};
    for (const InstanceStats& table : tables) {
      if (table.role != term.role) continue;
      if (value_of(table, term)) return {};
      silent = "the module " + table.kind + " does not count '" + std::string(term.name) + "'";
    }
    if (term.role != last) roles += (roles.empty() ? "" : " or ") + std::string(to_text(term.role));
    last = term.role;
  }
  return silent.empty() ? "the platform has no module of the role " + roles : silent;
}

std::uint64_t sum_of(const Terms& terms, const std::vector<InstanceStats>& tables, Cycle cycles,
                     Over instances = Over::all) {
  std::uint64_t sum = 0;
  for (const Term& term : terms) {
    if (term.role == Role::none) sum += cycles;
    for (const InstanceStats& table : tables)
      if (term.role != Role::none && table.role == term.role) {
        const std::uint64_t value = value_of(table, term).value_or(0);
        sum = instances == Over::all ? sum + value : std::max(sum, value);
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

SummaryRow row_of(const Figure& figure, const std::vector<InstanceStats>& tables, Cycle cycles) {
  const std::uint64_t sum = sum_of(figure.terms, tables, cycles, figure.instances);
  SummaryRow row = figure.divisor.empty() ? whole(figure.name, figure.unit, figure.sentence, sum)
                                          : real(figure.name, figure.unit, figure.sentence,
                                                 quotient(sum, sum_of(figure.divisor, tables, cycles)));
  row.absent = missing(figure.terms, tables);
  if (!row.absent.empty()) row.real.reset();
  return row;
}

/// Instances of modules without a role: what they count belongs to no figure.
std::vector<std::string> uncounted(const std::vector<InstanceStats>& tables) {
  std::vector<std::string> sentences, kinds;
  for (const InstanceStats& table : tables) {
    if (table.role != Role::none || std::find(kinds.begin(), kinds.end(), table.kind) != kinds.end())
      continue;
    kinds.push_back(table.kind);
    const auto count = std::count_if(tables.begin(), tables.end(),
                                     [&](const InstanceStats& other) { return other.kind == table.kind; });
    sentences.push_back("no figure takes in the counters of " + table.instance +
                        (count > 1 ? " and " + std::to_string(count - 1) + " more" : std::string()) +
                        ", of the module " + table.kind + ", which has no role");
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

std::optional<double> quotient(std::uint64_t numerator, std::uint64_t denominator) {
  if (denominator == 0) return std::nullopt;
  return static_cast<double>(numerator) / static_cast<double>(denominator);
}

const SummaryRow* Summary::find(std::string_view name) const {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

Summary summarize(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger, Cycle cycles,
                  const HostCost& host) {
  const bool describing = tables.empty();
  Summary summary;
  for (const Figure& figure : figures())
    if (SummaryRow row = row_of(figure, tables, cycles); describing || !figure.of_some || row.absent.empty())
      summary.rows.push_back(std::move(row));
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

SummaryRow figure(std::string_view name, const std::vector<InstanceStats>& tables, Cycle cycles) {
  const auto found =
      std::find_if(figures().begin(), figures().end(), [&](const Figure& f) { return f.name == name; });
  assert(found != figures().end());
  return row_of(*found, tables, cycles);
}

Summary describe_summary() {
  Summary summary = summarize({}, {}, 0, {});
  for (SummaryRow& row : describe_observers()) summary.rows.push_back(std::move(row));
  return summary;
}

Faults check_summary_mapping(const ModuleTable& modules) {
  Faults faults;
  for (const ModuleKind* kind : modules) {
    const InstanceStats stats = read_stats({}, *kind, *kind->new_stats());
    for (const Figure& figure : figures())
      for (const Terms* terms : {&figure.terms, &figure.divisor})
        for (const Term& term : *terms)
          if (!figure.of_some && term.role != Role::none && term.role == kind->role && !value_of(stats, term))
            faults.push_back({{},
                              "summary figure " + std::string(figure.name) + ": " + std::string(kind->name) +
                                  " has no '" + std::string(term.name) + "'"});
  }
  return faults;
}

}  // namespace strata::platforms
