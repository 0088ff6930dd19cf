#include "platforms/report/verdict.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

/// Scheduler cycles by state, as counted by modules of the role sm.
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

/// What helps where no resource is the limit: in an SM, or where few accesses are in flight.
struct Advice {
  std::string_view limit;  ///< of the verdict
  Role role;               ///< of the module that has the parameter
  std::string_view param;
  std::string_view words;
};
constexpr std::array<Advice, 7> advices = {{
    {"no_warp", Role::sm, "ctas", "a larger grid, or smaller thread blocks: SMs have room for more warps"},
    {"kernel_boundaries", Role::dispatcher, "kernel_launch_latency",
     "longer kernels, or less time between them"},
    {"instruction_latency", Role::sm, "warps",
     "more warps in an SM, or more independent instructions in a warp"},
    {"barrier", Role::sm, "ctas",
     "more CTAs in an SM, whose warps issue while others wait, or fewer barriers"},
    {"stalled", Role::control, "epoch", "fewer changes of the LLC's organization"},
    {"latency", Role::sm, "loads_per_warp",
     "more loads in flight: more warps in an SM, or more loads of each"},
    {"latency", Role::generator, "load", "more accesses in flight: more load from the generators"},
}};

/// `92.0 % busy`, for entries `81.0 % full`
std::string state_of(const ResourceLoad& load) {
  return percent(load.busy()) + (load.resource.kind == Resource::Kind::rate ? " busy" : " full");
}

/// Without the text in parentheses.
std::string short_words(const ResourceLoad& load) {
  return load.words.substr(0, load.words.find(" ("));
}

std::string in_brackets(const std::string& name) {
  return " [" + name + "]";
}

struct Row {
  Place row;
  Cause cause;
  double cycles;
};

class Classifier {
 public:
  explicit Classifier(const RunCounts& run) : run_(run) {
    for (ResourceLoad& load : resource_loads(run)) {
      if (load.has_share()) verdict_.ranking.push_back(load);
      all_.push_back(std::move(load));
    }
    std::stable_sort(verdict_.ranking.begin(), verdict_.ranking.end(),
                     [](const auto& a, const auto& b) { return a.busy() > b.busy(); });
  }

  Verdict judge() {
    schedulers();
    ledger();
    if (run_.cycles == 0) return verdict_;
    relief();
    if (!is_small() && !is_busy(Verdict::full_share, Verdict::Rule::full) && !is_idle() && !is_room() &&
        !is_busy(Verdict::half, Verdict::Rule::wait) && !is_waiting())
      latency();
    if (verdict_.relief.empty()) advise();
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

  /// The ledger of loads; of stores too if they stall the schedulers, or if there are no loads.
  void ledger() {
    const auto& groups = run_.ledger.groups;
    const bool all = part("lsu_full") >= part("memory") || groups[LedgerTotals::loads].count == 0;
    for (const Place row : run_.places.on_the_way()) {
      double cycles = 0;
      for (int g = 0; g < LedgerTotals::group_count; ++g)
        if (all || g == LedgerTotals::loads)
          cycles += static_cast<double>(groups[static_cast<std::size_t>(g)].cycles[row]);
      rows_.push_back({row, run_.places.cause(row), cycles});
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
  /// `what`: another resource that causes the same load.
  static std::string at(const ResourceLoad& load, const ResourceLoad& what) {
    std::string text = what.words + ", " + state_of(load);
    std::string more;
    if (load.busy() > load.share())
      more =
          rounded(load.queue, 3) + " packets in the queue of each, " + percent(load.share()) + " of the peak";
    if (!load.busiest.empty() && load.share() == load.shares.most)
      more += std::string(more.empty() ? "" : ", ") + "busiest " + load.busiest + "; mean " +
              percent(load.shares.mean);
    return more.empty() ? text : text + " (" + more + ")";
  }
  static std::string at(const ResourceLoad& load) { return at(load, load); }

  static bool is_of_sms(const ResourceLoad& load) { return load.role == Role::sm || load.role == Role::l1; }
  /// Shares of private resources of SMs refer to the time in which these SMs have warps.
  double busy_with_warps(const ResourceLoad& load) const {
    const double with = is_of_sms(load) ? 1 - part("no_warp") : 1;
    return with > 0 ? std::min(1.0, load.busy() / with) : load.busy();
  }
  /// False for a full structure that is only a symptom: its entries wait for something behind it that is
  /// busy, either farther along the path or, up to the source of replies, the reply links.
  bool is_cause(const ResourceLoad& load) const {
    if (load.resource.kind != Resource::Kind::room) return true;
    if (load.share() < Verdict::full_share) return false;
    return std::none_of(all_.begin(), all_.end(), [&](const ResourceLoad& other) {
      return other.resource.kind == Resource::Kind::rate &&
             (other.stop > load.stop || (other.resource.replies && load.stop <= other.stop + 1)) &&
             other.busy() >= Verdict::half;
    });
  }
  /// Cycles of the links in one direction of a network: the total, the rest with links of twice the width,
  /// and the rest without head-of-line blocking. A link leaves a few idle cycles after a packet of n flits;
  /// at twice the width the packet has (n + 1) / 2 flits, because the header is in the first. If inputs
  /// continue at once, only the cycles after a packet of an output remain.
  struct Direction {
    double used = 0, relieved = 0, unblocked = 0;
  };
  Direction direction_of(const ResourceLoad& load) const {
    Direction all;
    for (const ResourceLoad& in : all_) {
      if (!in.is_queued() || in.place != load.place || in.resource.replies != load.resource.replies) continue;
      const double gap = in.resource.uses.size() < 2 ? 0 : in.resource.uses[1].weight;
      all.used += in.flits + gap * in.packets;
      all.relieved += in.flits / 2 + (gap + Verdict::half) * in.packets;
      for (const ResourceLoad& out : all_)
        if (out.group == in.group && !out.is_queued() && out.resource.replies == in.resource.replies &&
            out.resource.uses.size() == 2)
          all.unblocked += in.flits + out.resource.uses[1].weight * in.packets;
    }
    return all;
  }
  /// Blame the link, unless removing head-of-line blocking would save clearly more packet time than doubling
  /// the link width, or doubling would save nothing: then blame the queue.
  const ResourceLoad& held_up_by(const ResourceLoad& load) const {
    constexpr double clearly = 0.95;
    const Direction way = direction_of(load);
    if (way.unblocked <= 0 || (way.unblocked > clearly * way.relieved && way.relieved < way.used))
      return load;
    for (const ResourceLoad& one : all_)
      if (one.group == load.group && one.resource.name == "queues") return one;
    return load;
  }
  bool is_busy(double least, Verdict::Rule rule) {
    const ResourceLoad* rate = busiest("");
    if (rate == nullptr || rate->busy() < least) return false;
    // If a queue is fuller, name the module that owns the queue.
    const ResourceLoad* const room = farthest_room();
    if (room != nullptr && room->share() > rate->busy()) {
      const ResourceLoad* const behind = busiest(room->group);
      if (behind == nullptr || behind->busy() < least) return is_room();
      rate = behind;
    }
    const ResourceLoad& cause = held_up_by(*rate);
    limit(rule, cause.name(), at(*rate, cause));
    return true;
  }
  /// The busiest rate, of one group if one is named.
  const ResourceLoad* busiest(std::string_view group) const {
    for (const ResourceLoad& load : verdict_.ranking)
      if (load.resource.kind == Resource::Kind::rate && (group.empty() || load.group == group)) return &load;
    return nullptr;
  }
  /// The last full structure on an access's path: those before it are full because it is.
  const ResourceLoad* farthest_room() const {
    const ResourceLoad* room = nullptr;
    for (const ResourceLoad& load : all_)
      if (load.resource.kind == Resource::Kind::room && is_cause(load) &&
          (room == nullptr || load.stop > room->stop))
        room = &load;
    return room;
  }
  bool is_room() {
    const ResourceLoad* const room = farthest_room();
    if (room != nullptr) limit(Verdict::Rule::room, room->name(), at(*room));
    return room != nullptr;
  }

  void relief() {
    const ResourceLoad* most = nullptr;
    for (const ResourceLoad& load : verdict_.ranking)
      if (!load.resource.reliefs.empty() && is_cause(load) &&
          (most == nullptr || busy_with_warps(load) > busy_with_warps(*most)))
        most = &load;
    if (most != nullptr && busy_with_warps(*most) < Verdict::half) most = nullptr;
    if (most != nullptr) {
      verdict_.relief = held_up_by(*most).name();
      verdict_.relief_words = relief_words(held_up_by(*most));
      verdict_.relief_sentence =
          percent(busy_with_warps(*most)) + (most->resource.kind == Resource::Kind::room ? " full" : " busy");
    }
    const bool behind = most != nullptr && !is_of_sms(*most);
    const double misses = count(Role::l1, "misses") + count(Role::l1, "bypasses");
    const double all = behind ? count(Role::l1, "requests_to_llc") : misses;
    spared_ = all > 0 ? run_.spared / all : 0;
    if (gain_of_lines(behind) <= std::max(Verdict::some, most == nullptr ? 0 : gain_of(*most))) return;
    for (const ResourceLoad& load : all_)
      if (load.resource.kind == Resource::Kind::size && load.peak > 0) small_ = &load;
    if (small_ == nullptr) return;
    verdict_.relief = small_->name();
    verdict_.relief_words = relief_words(*small_);
    verdict_.relief_sentence = "twice as much spares " + percent(spared_) +
                               (behind ? " of the requests that leave L1s" : " of the misses of loads");
  }
  /// Gain of more L1 lines, as long as the part in front of the L1s keeps up. If the busiest resource lies
  /// behind them, all of its traffic decreases; otherwise schedulers wait less for loads.
  double gain_of_lines(bool behind) const {
    const double with = 1 - part("no_warp");
    if (with <= 0) return 0;
    const double waiting = (part("memory") + part("lsu_full")) / with;
    double left = 1 - spared_ * (behind ? 1 : waiting);
    for (const ResourceLoad& load : verdict_.ranking)
      if (load.resource.kind == Resource::Kind::rate && is_of_sms(load))
        left = std::max(left, busy_with_warps(load));
    return 1 / left - 1;
  }
  bool is_small() {
    if (small_ == nullptr) return false;
    limit(Verdict::Rule::size, small_->name(), small_->words + ": " + verdict_.relief_sentence);
    return true;
  }
  /// Upper bound of the speed-up from doubling a resource: until the next resource is as busy.
  double gain_of(const ResourceLoad& relieved) const {
    const Direction way = direction_of(relieved);
    double left = way.used > 0
                      ? std::min(way.relieved, way.unblocked > 0 ? way.unblocked : way.relieved) / way.used
                      : Verdict::half;
    for (const ResourceLoad& load : verdict_.ranking)
      if (load.resource.kind == Resource::Kind::rate && load.group != relieved.group &&
          (way.used <= 0 || load.place != relieved.place))
        left = std::max(left, busy_with_warps(load) / busy_with_warps(relieved));
    return 1 / left - 1;
  }

  /// Blame the largest part of the scheduler cycles without an issue. False if more of these wait for memory,
  /// or if twice the issue slots would save more.
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
    if (most == nullptr || most->share <= std::max(memory, part("issue") / 2)) return false;
    const std::string words = "SMs that " + most->sentence + " " + percent(most->share) + " of the time";
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
    const int sms = sms_of(run_.netlist);
    const auto launched = [&](const char* what) {
      return static_cast<std::uint64_t>(count(Role::dispatcher, what));
    };
    const auto counted = [](std::uint64_t number, const char* what) {
      return grouped(number) + " " + what + (number == 1 ? "" : "s");
    };
    const std::uint64_t kernels = launched("kernels_launched");
    return ": " + counted(launched("ctas_launched"), "CTA") +
           (kernels > 1 ? " of " + counted(kernels, "kernel") : "") + " for " +
           counted(static_cast<std::uint64_t>(sms), "SM");
  }

  /// For modules that do not declare their resources: blame waiting if it is at least half of the latency.
  bool is_waiting() {
    double waited = 0;
    const Row* most = nullptr;
    for (const Row& row : rows_) {
      if (!is_wait(row.cause)) continue;
      waited += row.cycles;
      if (most == nullptr || row.cycles > most->cycles) most = &row;
    }
    if (most == nullptr || latency_ <= 0 || waited < Verdict::half * latency_) return false;
    limit(Verdict::Rule::wait, run_.places.name(most->row),
          "waiting, which is " + percent(waited / latency_) +
              " of the latency, while nothing is busy; most of it " + std::string(sentence(most->cause)));
    return true;
  }

  /// No resource that can be increased is busy for half of the time.
  void advise() {
    for (const ResourceLoad& load : all_)
      if (load.name() == verdict_.limit) verdict_.advice = relief_words(load) + in_brackets(load.name());
    if (!verdict_.advice.empty()) return;
    for (const Advice& one : advices)
      if (one.limit == verdict_.limit)
        for (const ResolvedGroup& group : run_.netlist.groups)
          if (group.kind->role == one.role) {
            verdict_.advice = std::string(one.words) + in_brackets(group.name + "." + std::string(one.param));
            return;
          }
    verdict_.advice = "less load there, or a faster module";
    verdict_.advice += in_brackets(verdict_.limit);
  }

  void latency() {
    std::uint64_t accesses = 0, cycles = 0;
    for (const LedgerTotals::Sums& sums : run_.ledger.groups) accesses += sums.count, cycles += sums.latency;
    std::string words = "latency alone";
    if (accesses > 0)
      words += ": " + rounded(static_cast<double>(cycles) / static_cast<double>(accesses)) +
               " cycles per access, " +
               rounded(static_cast<double>(cycles) / static_cast<double>(run_.cycles)) + " in flight";
    limit(Verdict::Rule::latency, "latency", words);
  }

  const RunCounts& run_;
  Verdict verdict_;
  std::vector<ResourceLoad> all_;
  const ResourceLoad* small_ = nullptr;  // the resource that is too small
  double spared_ = 0;                    // share of requests, or of load misses, that doubling it would avoid
  std::vector<Row> rows_;
  double latency_ = 0;
};

}  // namespace

std::string_view to_text(Verdict::Rule rule) {
  using Rule = Verdict::Rule;
  static constexpr Named<Rule> names[] = {
      {Rule::full, "full"}, {Rule::idle, "idle"},       {Rule::room, "room"},      {Rule::wait, "wait"},
      {Rule::size, "size"}, {Rule::latency, "latency"}, {Rule::nothing, "nothing"}};
  static_assert(names_all(names, Rule::nothing));
  return row_of_value(names, rule).name;
}

Verdict judge(const RunCounts& run) {
  return Classifier(run).judge();
}

std::vector<std::pair<std::string_view, std::string_view>> scheduler_states() {
  std::vector<std::pair<std::string_view, std::string_view>> states;
  for (const Reason& reason : reasons) states.emplace_back(reason.name, reason.sentence);
  return states;
}

int sms_of(const ResolvedNetlist& netlist) {
  int sms = 0;
  for (const ResolvedGroup& group : netlist.groups)
    for (const ResolvedMember& member : group.members)
      for (const PortSpec& port : *member.ports)
        if (group.kind->role == Role::sm && port.protocol == "tlm" && port.name.rfind("dsmem", 0) != 0)
          sms += port.count;
  return sms;
}

std::string relief_words(const ResourceLoad& load) {
  std::string words(load.resource.more);
  if (const std::size_t at = words.find('%'); at != std::string::npos)
    words.replace(at, 1, short_words(load));
  return words;
}

namespace {

std::string gain_text(const Verdict::Measure& one) {
  const std::string gain = (one.faster >= 0 ? "+" : "") + percent(one.faster);
  return one.half && *one.half > 0 ? gain + " ± " + rounded(100 * *one.half, 2) : gain;
}

/// The measured relaxation, otherwise the one of the rule.
std::string what_to_try(const Verdict& verdict) {
  constexpr double little = 0.005;
  if (verdict.measured.empty())
    return verdict.relief.empty() ? verdict.advice
                                  : verdict.relief_words + " (" + verdict.relief_sentence +
                                        "); --what-if measures it" + in_brackets(verdict.relief);
  const Verdict::Measure& best = verdict.measured.front();
  if (best.faster < little)
    return "no resource: twice as much of any gives " + gain_text(best) + " at most (measured)" +
           (verdict.advice.empty() ? "" : "; " + verdict.advice);
  std::string text = best.words + " (" + gain_text(best) + " measured)" + in_brackets(best.name);
  for (std::size_t i = 1; i < verdict.measured.size(); ++i)
    text += "; " + verdict.measured[i].words + " " + gain_text(verdict.measured[i]) +
            in_brackets(verdict.measured[i].name);
  return text;
}

}  // namespace

std::string verdict_text(const Verdict& verdict) {
  constexpr std::size_t shown = 3;
  constexpr double little = 0.005, uneven = 1.5;
  if (verdict.rule == Verdict::Rule::nothing) return "verdict   nothing ran\n";
  std::string text = "verdict   Limited by " + verdict.sentence +
                     (verdict.rule == Verdict::Rule::latency ? "" : in_brackets(verdict.limit)) + "\n";
  std::string next, parts;
  std::size_t count = 0;
  const ResourceLoad* least_even = nullptr;
  for (const ResourceLoad& load : verdict.ranking) {
    if (load.busy() < little) continue;
    if (load.name() != verdict.limit && count < shown) {
      next += (count == 0 ? "" : ", ") + short_words(load) + " " + state_of(load) + in_brackets(load.name());
      ++count;
    }
    if (!load.busiest.empty() && load.shares.over_mean() >= uneven && least_even == nullptr)
      least_even = &load;
  }
  if (!next.empty()) text += "next      " + next + "\n";
  std::vector<Verdict::Part> schedulers = verdict.schedulers;
  std::stable_sort(schedulers.begin(), schedulers.end(),
                   [](const Verdict::Part& a, const Verdict::Part& b) { return a.share > b.share; });
  for (const Verdict::Part& part : schedulers)
    if (part.share >= little)
      parts += (parts.empty() ? "" : ", ") + part.sentence + " " + percent(part.share) +
               (parts.empty() ? " of the time" : "");
  if (!parts.empty()) text += "SMs       " + parts + "\n";
  if (!verdict.longest.empty())
    text += "latency   " + percent(verdict.longest_share) + " of it: " + verdict.longest_sentence +
            in_brackets(verdict.longest) + "\n";
  if (!verdict.tail.empty()) text += "tail      " + verdict.tail + "\n";
  if (least_even != nullptr)
    text += "uneven    " + short_words(*least_even) + ": the busiest has " +
            rounded(least_even->shares.over_mean(), 3) + " times the mean, Gini " +
            rounded(least_even->shares.gini, 2) + in_brackets(least_even->name()) + "\n";
  const std::string what = what_to_try(verdict);
  return what.empty() ? text : text + "try       " + what + "\n";
}

}  // namespace strata::platforms
