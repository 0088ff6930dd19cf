#include "platforms/report/summary.h"

#include <algorithm>
#include <cassert>

#include "models/common/source_gaps.h"
#include "platforms/report/resource_loads.h"
#include "platforms/report/run_observer.h"
#include "platforms/report/summary_figures.h"

namespace strata::platforms {
namespace {

std::optional<std::uint64_t> value_of(const InstanceStats& table, const Term& term) {
  if (term.part == Term::Part::counter) {
    const CounterRow* row = table.counter(term.name);
    return row == nullptr ? std::nullopt : std::optional<std::uint64_t>(row->value);
  }
  const RatioRow* row = table.ratio(term.name);
  if (row == nullptr) return std::nullopt;
  return term.part == Term::Part::numerator ? row->numerator : row->denominator;
}

/// Why the terms have no value; empty if they have. Terms of several roles are alternatives, such as SMs and
/// traffic generators; all instances of one module must count.
std::string missing(const Terms& terms, const std::vector<InstanceStats>& tables) {
  std::string roles, silent;
  Role last = Role::none;
  for (const Term& term : terms) {
    if (term.role == Role::none) return {};
    const InstanceStats *counts = nullptr, *does_not = nullptr;
    for (const InstanceStats& table : tables) {
      if (table.role != term.role) continue;
      if (value_of(table, term)) {
        counts = &table;
      } else {
        does_not = &table;
        silent = "the module " + table.kind + " does not count '" + std::string(term.name) + "'";
      }
    }
    if (counts != nullptr && does_not != nullptr && counts->kind == does_not->kind)
      return does_not->instance + " does not count '" + std::string(term.name) + "'";
    if (counts != nullptr) return {};
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

/// How evenly a counter is distributed over the instances of a role; empty if it is 0.
std::optional<double> evenness(const Figure& figure, const std::vector<InstanceStats>& tables) {
  const Term& term = figure.terms.front();
  std::vector<double> values;
  for (const InstanceStats& table : tables)
    if (table.role == term.role) values.push_back(static_cast<double>(value_of(table, term).value_or(0)));
  const Imbalance all = imbalance_of(values);
  if (all.most <= 0) return std::nullopt;
  return figure.instances == Over::gini ? all.gini : all.over_mean();
}

SummaryRow row_of(const Figure& figure, const std::vector<InstanceStats>& tables, Cycle cycles) {
  const bool even = figure.instances == Over::over_mean || figure.instances == Over::gini;
  const std::uint64_t sum = even ? 0 : sum_of(figure.terms, tables, cycles, figure.instances);
  SummaryRow row = even ? real(figure.name, figure.unit, figure.sentence, evenness(figure, tables))
                   : figure.divisor.empty() ? whole(figure.name, figure.unit, figure.sentence, sum)
                                            : real(figure.name, figure.unit, figure.sentence,
                                                   quotient(sum, sum_of(figure.divisor, tables, cycles)));
  row.absent = missing(figure.terms, tables);
  if (!row.absent.empty()) row.real.reset();
  return row;
}

/// Instances of modules without a role: their counters enter no figure.
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

/// Instructions of the trace without a known effect, as the SMs counted them.
std::vector<std::string> unknown_to_source(const std::vector<InstanceStats>& tables) {
  std::vector<std::string> sentences;
  const std::uint64_t copies = sum_of(tables, Role::sm, "unknown_copies");
  const std::uint64_t waits = sum_of(tables, Role::sm, "unknown_waits");
  if (copies != 0) sentences.push_back(unknown_copies_sentence(copies));
  if (waits != 0) sentences.push_back(unknown_waits_sentence(waits));
  if (const std::uint64_t count = sum_of(tables, Role::sm, "dsmem_own_port"); count != 0)
    sentences.push_back("distributed shared memory without a network: " + std::to_string(count) +
                        " accesses cost an access to the own shared memory, so a kernel may be too fast");
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
                              "of all line accesses, from the SM's load/store queue to the reply",
                              quotient(latency, count)));
  const LedgerTotals::Sums& loads = ledger.groups[LedgerTotals::loads];
  summary.rows.push_back(real("mean_load_latency", "core cycles", "mean_latency of loads alone",
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

Summary simulated_figures(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger,
                          Cycle cycles) {
  const bool describing = tables.empty();
  Summary summary;
  for (const Figure& figure : summary_figures())
    if (SummaryRow row = row_of(figure, tables, cycles); describing || !figure.of_some || row.absent.empty())
      summary.rows.push_back(std::move(row));
  summary.uncounted = uncounted(tables);
  for (std::string& sentence : unknown_to_source(tables)) summary.uncounted.push_back(std::move(sentence));
  add_latencies(summary, ledger);
  return summary;
}

Summary summarize(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger, Cycle cycles,
                  const HostCost& host) {
  Summary summary = simulated_figures(tables, ledger, cycles);
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
  const auto found = std::find_if(summary_figures().begin(), summary_figures().end(),
                                  [&](const Figure& f) { return f.name == name; });
  assert(found != summary_figures().end());
  return row_of(*found, tables, cycles);
}

Summary describe_summary() {
  Summary summary = summarize({}, {}, 0, {});
  for (SummaryRow& row : describe_observers()) summary.rows.push_back(std::move(row));
  summary.rows.push_back(load_stalls(0));
  return summary;
}

Faults check_summary_mapping(const ModuleTable& modules) {
  Faults faults;
  for (const ModuleKind* kind : modules) {
    const InstanceStats stats = read_stats({}, *kind, *kind->new_stats());
    for (const Figure& figure : summary_figures())
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
