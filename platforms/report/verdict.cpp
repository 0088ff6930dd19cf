#include "platforms/report/verdict.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

/// Scheduler cycles as modules of the role sm count them.
struct Reason {
  std::string_view counter, name, sentence;
  bool memory = false;
};
constexpr std::array<Reason, 7> reasons = {{
    {"issue_cycles", "issue", "issue"},
    {"idle_memory", "memory", "wait for loads", true},
    {"idle_lsu_full", "lsu_full", "wait for the load/store queue", true},
    {"idle_latency", "instruction_latency", "wait for results of instructions"},
    {"idle_no_warp", "no_warp", "have no warp"},
    {"idle_barrier", "barrier", "wait at barriers"},
    {"idle_stalled", "stalled", "stand still while the LLC changes"},
}};

struct Row {
  Place row;
  std::string place;
  Cause cause;
  double cycles;
};

class Judge {
 public:
  explicit Judge(const RunCounts& run) : run_(run) {
    for (ResourceLoad& load : resource_loads(run)) {
      if (load.resource.peak > 0) verdict_.ranking.push_back(load);
      all_.push_back(std::move(load));
    }
    std::stable_sort(verdict_.ranking.begin(), verdict_.ranking.end(),
                     [](const auto& a, const auto& b) { return a.share() > b.share(); });
  }

  Verdict judge() {
    schedulers();
    ledger();
    if (run_.cycles == 0) return verdict_;
    if (is_full() || is_idle() || is_held_up()) return verdict_;
    latency();
    return verdict_;
  }

 private:
  double count(Role role, std::string_view counter) const {
    return static_cast<double>(sum_of(run_.tables, role, counter));
  }

  void schedulers() {
    const double all = count(Role::sm, "scheduler_cycles");
    for (const Reason& reason : reasons)
      if (all > 0)
        verdict_.schedulers.push_back(
            {std::string(reason.name), std::string(reason.sentence), count(Role::sm, reason.counter) / all});
  }
  double part(std::string_view name) const {
    for (const Verdict::Part& one : verdict_.schedulers)
      if (one.name == name) return one.share;
    return 0;
  }

  /// Of stores too where they are what holds schedulers up, or where there is nothing else.
  void ledger() {
    const auto& groups = run_.ledger.groups;
    const bool all = part("lsu_full") >= part("memory") || groups[LedgerTotals::loads].count == 0;
    for (const Place row : run_.places.on_the_way()) {
      double cycles = 0;
      for (int g = 0; g < LedgerTotals::group_count; ++g)
        if (all || g == LedgerTotals::loads)
          cycles += static_cast<double>(groups[static_cast<std::size_t>(g)].cycles[row]);
      const PlaceName name = split_place(run_.places.name(row));
      rows_.push_back({row, name.place, run_.places.cause(row), cycles});
      latency_ += cycles;
    }
    const auto longest = std::max_element(rows_.begin(), rows_.end(),
                                          [](const Row& a, const Row& b) { return a.cycles < b.cycles; });
    if (longest == rows_.end() || latency_ <= 0) return;
    verdict_.longest = run_.places.name(longest->row);
    verdict_.longest_sentence = sentence(longest->cause);
    verdict_.longest_share = longest->cycles / latency_;
  }

  void limit(Verdict::Rule rule, std::string name, std::string words) {
    verdict_.rule = rule;
    verdict_.limit = std::move(name);
    verdict_.sentence = std::move(words);
  }
  static std::string at(const ResourceLoad& load) {
    std::string text = std::string(load.resource.sentence) + ", at " + percent(load.share());
    text += load.resource.kind == Resource::Kind::rate ? " of the peak" : " taken";
    if (load.busiest.empty() || load.share() != load.shares.most) return text;
    return text + " (" + load.busiest + "; mean " + percent(load.shares.mean) + ")";
  }

  bool is_full() {
    for (const ResourceLoad& load : verdict_.ranking) {
      if (load.resource.kind != Resource::Kind::rate) continue;
      if (load.share() < Verdict::full_share) return false;
      limit(Verdict::Rule::full, load.name(), at(load));
      return true;
    }
    return false;
  }

  /// The largest part of the scheduler cycles without an issue, unless it is memory.
  bool is_idle() {
    const Verdict::Part* most = nullptr;
    double memory = 0;
    for (std::size_t i = 1; i < verdict_.schedulers.size(); ++i) {
      const Verdict::Part& one = verdict_.schedulers[i];
      if (reasons[i].memory)
        memory += one.share;
      else if (most == nullptr || one.share > most->share)
        most = &one;
    }
    if (most == nullptr || most->share <= memory) return false;
    const std::string words =
        "schedulers " + most->sentence + " in " + percent(most->share) + " of their cycles";
    if (most->name != "no_warp")
      limit(Verdict::Rule::idle, most->name, words);
    else if (between_kernels())
      limit(Verdict::Rule::idle, "kernel_boundaries", words + ": kernels begin and end");
    else
      limit(Verdict::Rule::idle, most->name, words + few_ctas());
    return true;
  }
  bool between_kernels() const {
    double cycles = 0;
    for (const char* phase : {"launch_cycles", "drain_cycles", "flush_cycles", "boundary_cycles"})
      cycles += count(Role::dispatcher, phase);
    return cycles / static_cast<double>(run_.cycles) > Verdict::half * part("no_warp");
  }
  std::string few_ctas() const {
    int sms = 0;
    for (const ResolvedGroup& group : run_.netlist.groups)
      for (const ResolvedMember& member : group.members)
        for (const PortSpec& port : *member.ports)
          if (group.kind->role == Role::sm && port.protocol == "tlm") sms += port.count;
    return ": " + grouped(static_cast<std::uint64_t>(count(Role::dispatcher, "ctas_launched"))) +
           " CTAs for " + std::to_string(sms) + " SMs";
  }

  /// Of what is full and of what accesses wait for: the farthest on their way. What lies before it is full,
  /// and waited for, because of it.
  bool is_held_up() {
    std::size_t here = 0;
    const ResourceLoad* room = nullptr;
    for (const ResourceLoad& load : all_)
      if (load.resource.kind == Resource::Kind::room && load.share() >= Verdict::full_share &&
          (room == nullptr || end_of(load.place) > here))
        room = &load, here = end_of(load.place);
    double waited = 0;
    for (const Row& row : rows_) waited += is_wait(row.cause) ? row.cycles : 0;
    const Row* last = nullptr;
    for (const Row& row : rows_)
      if (is_wait(row.cause) && row.cycles >= Verdict::some * waited) last = &row;
    const bool waits = latency_ > 0 && waited >= Verdict::half * latency_ && last != nullptr;
    if (waits && (room == nullptr || static_cast<std::size_t>(last - rows_.data()) > here))
      wait_for(*last, waited);
    else if (room != nullptr)
      limit(Verdict::Rule::room, room->name(), at(*room));
    else
      return false;
    return true;
  }
  /// The last row of a place before replies turn back.
  std::size_t end_of(const std::string& place) const {
    std::size_t end = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].place == place && rows_[i].cause < Cause::reply_port) end = i;
    return end;
  }
  void wait_for(const Row& last, double waited) {
    const ResourceLoad* named = nullptr;
    for (const ResourceLoad& load : all_) {
      const auto& causes = load.resource.waits;
      if (load.place == last.place && (named == nullptr || load.share() > named->share()) &&
          std::find(causes.begin(), causes.end(), last.cause) != causes.end())
        named = &load;
    }
    const std::string row = run_.places.name(last.row);
    limit(Verdict::Rule::wait, named == nullptr ? row : named->name(),
          std::string(named == nullptr ? sentence(last.cause) : named->resource.sentence) + ": " +
              percent(waited / latency_) + " of the latency is waiting, which begins at " + row +
              ", and nothing there is full");
  }

  void latency() {
    std::uint64_t accesses = 0, cycles = 0;
    for (const LedgerTotals::Sums& sums : run_.ledger.groups) accesses += sums.count, cycles += sums.latency;
    std::string words = "nothing: latency";
    if (accesses > 0)
      words += ", " + rounded(static_cast<double>(cycles) / static_cast<double>(accesses)) +
               " cycles an access with " +
               rounded(static_cast<double>(cycles) / static_cast<double>(run_.cycles)) + " in flight";
    limit(Verdict::Rule::latency, "latency", words);
  }

  const RunCounts& run_;
  Verdict verdict_;
  std::vector<ResourceLoad> all_;
  std::vector<Row> rows_;
  double latency_ = 0;
};

}  // namespace

std::string_view to_text(Verdict::Rule rule) {
  static constexpr std::array<std::string_view, 6> names = {"full", "idle",    "room",
                                                            "wait", "latency", "nothing"};
  return names[static_cast<std::size_t>(rule)];
}

Verdict judge(const RunCounts& run) {
  return Judge(run).judge();
}

std::string verdict_text(const Verdict& verdict) {
  constexpr std::size_t shown = 3;
  constexpr double little = 0.005, uneven = 1.5;
  std::string text = "verdict   " + (verdict.rule == Verdict::Rule::latency ? "" : verdict.limit + ": ") +
                     verdict.sentence + "\n";
  if (verdict.rule == Verdict::Rule::nothing) return "verdict   nothing ran\n";
  std::string next, parts;
  std::size_t count = 0;
  const ResourceLoad* least_even = nullptr;
  for (const ResourceLoad& load : verdict.ranking) {
    if (load.share() < little) continue;
    if (load.name() != verdict.limit && count < shown) {
      next += (count == 0 ? "" : ", ") + load.name() + " " + percent(load.share());
      ++count;
    }
    if (!load.busiest.empty() && load.shares.over_mean() >= uneven && least_even == nullptr)
      least_even = &load;
  }
  if (!next.empty()) text += "then      " + next + "\n";
  for (const Verdict::Part& part : verdict.schedulers)
    if (part.share >= little)
      parts += (parts.empty() ? "" : ", ") + part.sentence + " " + percent(part.share);
  if (!parts.empty()) text += "SMs       schedulers " + parts + "\n";
  if (!verdict.longest.empty())
    text += "ledger    " + percent(verdict.longest_share) + " of the latency in " + verdict.longest + ": " +
            verdict.longest_sentence + "\n";
  if (least_even != nullptr)
    text += "uneven    " + least_even->name() + ": busiest / mean " +
            rounded(least_even->shares.over_mean(), 3) + ", Gini " + rounded(least_even->shares.gini, 2) +
            "\n";
  return text + "try       the same with --what-if: what twice as much of each gives (docs/verdict.md)\n";
}

}  // namespace strata::platforms
