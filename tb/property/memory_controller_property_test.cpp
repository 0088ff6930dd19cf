// Random request streams through the controller core: legal commands, the same schedule as a plain
// cycle-by-cycle model, nothing lost, and every timing rule proved to be watched.
#include <algorithm>
#include <cmath>
#include <deque>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "models/dram_channel/dram_checker.h"
#include "models/memory_controller/replay.h"
#include "platforms/engine/timing_sets.h"
#include "tb/support/catch.h"

namespace strata::tb {

/// Judges a finished command trace by the data-sheet rules of a timing set. Written against the rules alone:
/// it walks the whole past of every command, keeps no earliest-issue state and shares no code with the
/// models.
class TraceJudge {
 public:
  explicit TraceJudge(const TimingSet& set) : t_(set) {}

  /// What is wrong with the trace, empty when nothing is.
  std::string judge(const std::vector<ReplayCommand>& trace) {
    std::map<std::pair<int, int>, std::int64_t> open;
    refreshes_.clear();
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const ReplayCommand& now = trace[i];
      const std::pair<int, int> bank{now.bank_group, now.bank};
      const bool is_open = open.count(bank) != 0;
      if (now.command == DramCommand::refab) {
        if (!open.empty()) return say(now, "a bank is open");
      } else if (now.command == DramCommand::act || now.command == DramCommand::refpb ? is_open : !is_open) {
        return say(now, "bank in the wrong state");
      }
      if (is_column(now.command) && open[bank] != now.row) return say(now, "another row is open");
      if (now.command == DramCommand::act) open[bank] = now.row;
      if (now.command == DramCommand::pre) open.erase(bank);
      const std::string fault = against_past(trace, i);
      if (!fault.empty()) return say(now, fault);
      if (is_refresh(now.command)) refreshes_.push_back(i);
    }
    return "";
  }

 private:
  // No rule but those of refresh reaches back farther than this many cycles.
  Cycle horizon() const { return static_cast<Cycle>(t_.nRC + t_.nFAW + t_.nWR + t_.nCWL + t_.nBL + t_.nRAS); }

  std::string against_past(const std::vector<ReplayCommand>& trace, std::size_t i) const {
    const ReplayCommand& now = trace[i];
    int activates = 0;
    for (std::size_t j = i; j-- > 0;) {
      const ReplayCommand& then = trace[j];
      if (then.cycle > now.cycle) return "trace is not in order of time";
      const Cycle gap = now.cycle - then.cycle;
      if (gap > horizon()) break;
      if (gap == 0 && shares_bus(then.command, now.command)) return "two commands on one bus";
      if (static_cast<std::int64_t>(gap) < least_gap(then, now))
        return "too early after " + std::string(to_text(then.command));
      if (now.command == DramCommand::act && then.command == DramCommand::act && ++activates == 4 &&
          static_cast<int>(gap) < t_.nFAW)
        return "fifth ACT within tFAW";
    }
    for (std::size_t r = refreshes_.size(); r-- > 0;) {
      const ReplayCommand& then = trace[refreshes_[r]];
      const Cycle gap = now.cycle - then.cycle;
      if (static_cast<std::int64_t>(gap) > std::max(t_.nRFC, t_.nRFCpb)) break;
      if (static_cast<std::int64_t>(gap) < gap_after_refresh(then, now))
        return "too early after " + std::string(to_text(then.command));
    }
    return "";
  }

  std::int64_t gap_after_refresh(const ReplayCommand& then, const ReplayCommand& now) const {
    if (now.command != DramCommand::act && !is_refresh(now.command)) return 0;
    if (then.command == DramCommand::refab) return t_.nRFC;
    const bool bank = then.bank_group == now.bank_group && then.bank == now.bank;
    return bank ? t_.nRFCpb : t_.nRREFD;
  }

  bool shares_bus(DramCommand a, DramCommand b) const {
    return t_.command_bus == CommandBus::single || is_column(a) == is_column(b);
  }

  std::int64_t least_gap(const ReplayCommand& then, const ReplayCommand& now) const {
    using C = DramCommand;
    const bool group = then.bank_group == now.bank_group;
    const bool bank = group && then.bank == now.bank;
    const int write_end = t_.nCWL + t_.nBL;
    const auto pair = std::make_pair(then.command, now.command);
    if (now.command == C::refab) return then.command == C::act ? t_.nRC : then.command == C::pre ? t_.nRP : 0;
    if (pair == std::make_pair(C::act, C::act) || pair == std::make_pair(C::act, C::refpb))
      return bank ? t_.nRC : group ? t_.nRRDL : t_.nRRDS;
    if (pair == std::make_pair(C::rd, C::rd) || pair == std::make_pair(C::wr, C::wr))
      return std::max(t_.nBL, group ? std::max(t_.nCCDL, t_.nCCDS) : t_.nCCDS);
    if (pair == std::make_pair(C::rd, C::wr)) return t_.nCL + t_.nBL + t_.nRTW_gap - t_.nCWL;
    if (pair == std::make_pair(C::wr, C::rd)) return write_end + (group ? t_.nWTRL : t_.nWTRS);
    if (!bank) return 0;
    if (pair == std::make_pair(C::act, C::rd)) return t_.nRCDRD;
    if (pair == std::make_pair(C::act, C::wr)) return t_.nRCDWR;
    if (pair == std::make_pair(C::act, C::pre)) return t_.nRAS;
    if (pair == std::make_pair(C::pre, C::act) || pair == std::make_pair(C::pre, C::refpb)) return t_.nRP;
    if (pair == std::make_pair(C::rd, C::pre)) return t_.nRTP;
    if (pair == std::make_pair(C::wr, C::pre)) return write_end + t_.nWR;
    return 0;
  }

  static std::string say(const ReplayCommand& c, const std::string& what) {
    return std::string(to_text(c.command)) + " in cycle " + std::to_string(c.cycle) + " of bank " +
           std::to_string(c.bank_group) + "." + std::to_string(c.bank) + ": " + what;
  }

  TimingSet t_;
  std::vector<std::size_t> refreshes_;  // where in the trace
};

namespace {

/// The scheduling rules of docs/blocks/memory-controller.md, as plainly as possible: every cycle, every queue
/// is searched from end to end. The event-driven core must give the same commands and replies. No atomics,
/// one CAS a request.
class NaiveController {
 public:
  NaiveController(const MemoryControllerParams& params, const std::vector<ReplayRequest>& requests)
      : p_(params), t_(params.timing), requests_(requests), rules_(dram_rules(params.timing)) {
    result_.replies.resize(requests.size());
    if (p_.refresh != RefreshPolicy::none) due_ = interval();
    for (const DramRule& rule : rules_)
      reach_[rule.next] = std::max(reach_[rule.next], static_cast<Cycle>(rule.distance));
  }

  ReplayResult run() {
    for (Cycle now = 0; next_ < requests_.size() || !reads_.empty() || !writes_.empty() || !active_.empty();
         ++now) {
      if (t_.command_bus == CommandBus::dual) {
        pick(now, Lane::column);
        pick(now, Lane::row);
      } else {
        pick(now, Lane::any);
      }
      accept(now);
    }
    return std::move(result_);
  }

 private:
  enum class Lane { any, column, row };
  using Queue = std::deque<std::size_t>;  // indices of requests, oldest first
  struct Pick {
    std::size_t request;
    DramCommand command;
  };

  int bank_of(std::size_t i) const {
    return requests_[i].bank_group * t_.banks_per_group + requests_[i].bank;
  }

  DramCommand wanted(std::size_t i) const {
    const auto row = open_.find(bank_of(i));
    if (row == open_.end()) return DramCommand::act;
    if (row->second != requests_[i].row) return DramCommand::pre;
    return requests_[i].write ? DramCommand::wr : DramCommand::rd;
  }

  bool ready(DramCommand command, int bank, Cycle now) const {
    const Cycle reach = reach_.at(command);
    int activates = 0;
    for (auto past = result_.commands.rbegin(); past != result_.commands.rend(); ++past) {
      const Cycle gap = now - past->cycle;
      if (gap > reach) break;
      const int other = past->bank_group * t_.banks_per_group + past->bank;
      if (past->command == DramCommand::act) ++activates;
      for (const DramRule& rule : rules_) {
        if (rule.next != command || rule.previous != past->command) continue;
        const bool applies = rule.scope == RuleScope::bank     ? other == bank
                             : rule.scope == RuleScope::group  ? past->bank_group == bank / t_.banks_per_group
                             : rule.scope == RuleScope::window ? activates == 4
                                                               : true;
        if (applies && gap < static_cast<Cycle>(rule.distance)) return false;
      }
    }
    return true;
  }

  // A request that has waited beyond the cap is no longer passed by row hits of its bank.
  bool overdue(std::size_t i, Cycle now) const {
    return p_.starvation_cap != 0 && now > result_.replies[i].accept + static_cast<Cycle>(p_.starvation_cap);
  }
  // Whether the scheduler lets row hits of a bank pass its oldest request.
  bool lets_pass(int bank) const {
    if (p_.scheduler == DramOrder::fcfs) return false;
    const auto passed = passed_.find(bank);
    return p_.scheduler == DramOrder::fr_fcfs || passed == passed_.end() || passed->second < p_.row_hit_cap;
  }
  std::size_t first_of_bank(const Queue& queue, int bank) const {
    return *std::find_if(queue.begin(), queue.end(), [&](std::size_t i) { return bank_of(i) == bank; });
  }
  // With one queue for both, the row hits of a bank go in order of age, reads and writes alike.
  bool has_older_hit(std::size_t i, const Queue& queue) const {
    for (const std::size_t other : queue)
      if (other < i && bank_of(other) == bank_of(i) && is_column(wanted(other))) return true;
    return false;
  }
  bool overtakes(std::size_t i, const Queue& queue, Cycle now) const {
    const std::size_t first = first_of_bank(queue, bank_of(i));
    return first != i && !is_column(wanted(first)) && (overdue(first, now) || !lets_pass(bank_of(i)));
  }

  bool may_close(std::size_t for_request, const Queue& queue, Cycle now) const {
    const int bank = bank_of(for_request);
    if (owned(bank)) return false;
    if (first_of_bank(queue, bank) == for_request && (overdue(for_request, now) || !lets_pass(bank)))
      return true;
    for (const std::size_t i : queue)
      if (bank_of(i) == bank && is_column(wanted(i))) return false;
    return true;
  }

  std::optional<Pick> best(const Queue& queue, Cycle now, Lane lane) const {
    std::optional<Pick> found;
    for (const std::size_t i : queue) {
      const DramCommand command = wanted(i);
      if (&queue != &active_ && claimed(bank_of(i))) continue;
      if (lane != Lane::any && is_column(command) != (lane == Lane::column)) continue;
      if (!ready(command, bank_of(i), now)) continue;
      if (command == DramCommand::pre && !may_close(i, queue, now)) continue;
      if (&queue != &active_ && is_column(command) && overtakes(i, queue, now)) continue;
      if (p_.shared_queue != 0 && is_column(command) && has_older_hit(i, queue)) continue;
      if (!found || (is_column(command) && !is_column(found->command))) found = Pick{i, command};
    }
    return found;
  }

  // Refresh: all banks every nREFI, or bank after bank, group by group, every nREFI / banks.
  bool by_bank() const { return p_.refresh == RefreshPolicy::per_bank; }
  Cycle interval() const { return static_cast<Cycle>(t_.nREFI / (by_bank() ? t_.banks() : 1)); }
  int refresh_bank() const {
    return by_bank() ? turn_ % t_.bank_groups * t_.banks_per_group + turn_ / t_.bank_groups : 0;
  }
  bool claimed(int bank) const { return claiming_ && (!by_bank() || bank == refresh_bank()); }
  bool owned(int bank) const {
    return std::any_of(active_.begin(), active_.end(), [&](std::size_t i) { return bank_of(i) == bank; });
  }

  // A refresh that is due may be postponed while requests wait for its banks; when too many are owed, all are
  // made up for.
  void claim(Cycle now) {
    if (now < due_) return;
    const bool forced = now >= due_ + static_cast<Cycle>(p_.refresh_postpone) * interval();
    making_up_ = making_up_ || forced;
    bool waited_for = false;
    for (const Queue* queue : {&reads_, &writes_})
      for (const std::size_t i : *queue)
        waited_for = waited_for || !by_bank() || bank_of(i) == refresh_bank();
    claiming_ = making_up_ || !waited_for;
  }

  bool refresh(Cycle now) {
    if (!claiming_) return false;
    bool all_closed = true;
    for (int bank = 0; bank < t_.banks(); ++bank) {
      if (!claimed(bank) || open_.count(bank) == 0) continue;
      all_closed = false;
      if (owned(bank) || !ready(DramCommand::pre, bank, now)) continue;
      closed_row_.erase(bank);
      close(bank, now);
      return true;
    }
    const DramCommand command = by_bank() ? DramCommand::refpb : DramCommand::refab;
    const int bank = refresh_bank();
    if (!all_closed || !ready(command, bank, now)) return false;
    result_.commands.push_back({now, command, by_bank() ? bank / t_.banks_per_group : -1,
                                by_bank() ? bank % t_.banks_per_group : -1, -1, -1, -1});
    claiming_ = false;
    due_ += interval();
    making_up_ = making_up_ && due_ <= now + 1;
    turn_ = (turn_ + 1) % t_.banks();
    return true;
  }

  void close(int bank, Cycle now) {
    result_.commands.push_back({now, DramCommand::pre, bank / t_.banks_per_group, bank % t_.banks_per_group,
                                open_.at(bank), -1, -1});
    open_.erase(bank);
  }

  // Page policy: a row that no request waits for, once it has not been used for a while.
  Cycle idle_close(int bank) const {
    if (p_.page_policy == PagePolicy::closed) return 0;
    const auto own = idle_close_.find(bank);
    return own == idle_close_.end() ? static_cast<Cycle>(p_.idle_close) : own->second;
  }
  void adapt(int bank, bool longer) {
    if (p_.page_policy != PagePolicy::adaptive) return;
    const Cycle next = longer ? idle_close(bank) * 2 : idle_close(bank) / 2;
    idle_close_[bank] = std::min(std::max(next, static_cast<Cycle>(p_.idle_close_min)),
                                 static_cast<Cycle>(p_.idle_close_max));
  }
  bool unwanted(int bank) const {
    if (owned(bank) || claimed(bank)) return false;
    for (const Queue* queue : {&reads_, &writes_})
      for (const std::size_t i : *queue)
        if (bank_of(i) == bank && is_column(wanted(i))) return false;
    return true;
  }
  void apply_page_policy(Cycle now) {
    if (p_.page_policy == PagePolicy::open) return;
    for (int bank = 0; bank < t_.banks(); ++bank) {
      if (open_.count(bank) == 0 || !unwanted(bank)) continue;
      if (now < last_use_[bank] + idle_close(bank) || !ready(DramCommand::pre, bank, now)) continue;
      closed_row_[bank] = open_.at(bank);
      return close(bank, now);
    }
  }

  void pick(Cycle now, Lane lane) {
    if (lane != Lane::row && !claiming_) claim(now);
    if (lane == Lane::any && refresh(now)) return;
    Queue* queue = &active_;
    std::optional<Pick> choice = best(active_, now, lane);
    if (!choice) {
      const auto writes = static_cast<double>(writes_.size());
      const bool read_overdue = !reads_.empty() && overdue(reads_.front(), now);
      if (draining_) {
        draining_ =
            !((writes == 0 || writes < p_.drain_low * p_.write_queue || read_overdue) && !reads_.empty());
      } else {
        draining_ = (writes > p_.drain_high * p_.write_queue && !read_overdue) || reads_.empty();
      }
      draining_ = draining_ && p_.shared_queue == 0;
      queue = draining_ ? &writes_ : &reads_;
      choice = best(*queue, now, lane);
    }
    if (lane == Lane::row && refresh(now)) return;
    if (!choice) {
      if (lane != Lane::column) apply_page_policy(now);
      return;
    }
    const std::size_t i = choice->request;
    const ReplayRequest& r = requests_[i];
    const bool column = is_column(choice->command);
    result_.commands.push_back({now, choice->command, r.bank_group, r.bank, r.row, column ? r.column : -1,
                                static_cast<std::int64_t>(r.id)});
    if (choice->command == DramCommand::pre) {
      closed_row_.erase(bank_of(i));
      const bool starved = std::any_of(queue->begin(), queue->end(), [&](std::size_t other) {
        return bank_of(other) == bank_of(i) && is_column(wanted(other));
      });
      if (!starved) adapt(bank_of(i), false);
      open_.erase(bank_of(i));
      return;
    }
    if (column) {
      const bool passes = queue != &active_ && first_of_bank(*queue, bank_of(i)) != i;
      passed_[bank_of(i)] = passes ? passed_[bank_of(i)] + 1 : 0;
    }
    queue->erase(std::find(queue->begin(), queue->end(), i));
    if (choice->command == DramCommand::act) {
      const auto closed = closed_row_.find(bank_of(i));
      if (closed != closed_row_.end() && closed->second == r.row) adapt(bank_of(i), true);
      closed_row_.erase(bank_of(i));
      open_[bank_of(i)] = r.row;
      active_.insert(std::upper_bound(active_.begin(), active_.end(), i), i);
      return;
    }
    last_use_[bank_of(i)] = now;
    result_.replies[i].cas_issue = static_cast<std::int64_t>(now);
    result_.replies[i].data_end = now + static_cast<Cycle>(t_.nBL + (r.write ? t_.nCWL : t_.nCL));
  }

  bool forwarded(const ReplayRequest& r) const {
    for (const Queue* queue : {&writes_, &active_, &reads_})
      for (const std::size_t i : *queue)
        if (requests_[i].write && bank_of(i) == r.bank_group * t_.banks_per_group + r.bank &&
            requests_[i].row == r.row && requests_[i].column == r.column)
          return true;
    return false;
  }

  void accept(Cycle now) {
    if (next_ == requests_.size() || requests_[next_].arrive > now) return;
    const ReplayRequest& r = requests_[next_];
    const bool shared = p_.shared_queue != 0;
    Queue& queue = r.write && !shared ? writes_ : reads_;
    const int room = shared ? p_.shared_queue : r.write ? p_.write_queue : p_.read_queue;
    if (queue.size() >= static_cast<std::size_t>(room)) return;
    ReplayReply& reply = result_.replies[next_];
    reply.id = r.id;
    reply.arrive = r.arrive;
    reply.accept = now;
    if (!r.write && forwarded(r)) {
      reply.data_end = now + 1;
    } else {
      queue.push_back(next_);
    }
    ++next_;
  }

  MemoryControllerParams p_;
  TimingSet t_;
  const std::vector<ReplayRequest>& requests_;
  std::vector<DramRule> rules_;
  ReplayResult result_;
  std::size_t next_ = 0;
  Queue reads_;
  Queue writes_;
  Queue active_;
  std::map<int, std::int64_t> open_;
  bool draining_ = false;
  std::map<DramCommand, Cycle> reach_;  // longest distance of a rule that ends in the command
  Cycle due_ = never;
  bool claiming_ = false;
  bool making_up_ = false;
  int turn_ = 0;
  std::map<int, int> passed_;  // row hits in a row that passed the oldest request, by bank
  std::map<int, Cycle> last_use_;
  std::map<int, Cycle> idle_close_;
  std::map<int, std::int64_t> closed_row_;
};

}  // namespace

ReplayResult replay_plainly(const MemoryControllerParams& params,
                            const std::vector<ReplayRequest>& requests) {
  return NaiveController(params, requests).run();
}

}  // namespace strata::tb

using namespace strata;

namespace {

const std::vector<std::string> sets{"hbm_bl4", "hbm_bl2", "gddr5", "gddr5_isca19", "hbm_selrep20",
                                    "hbm2",    "hbm2e",   "hbm3",  "gddr6"};
// Those that give refresh times.
const std::vector<std::string> refreshing{"gddr5_isca19", "hbm_selrep20", "hbm2", "hbm2e", "hbm3", "gddr6"};
constexpr auto policies = {RefreshPolicy::all_bank, RefreshPolicy::per_bank};

MemoryControllerParams params_for(const std::string& set) {
  MemoryControllerParams params;
  params.timing_set = set;
  REQUIRE(platforms::resolve_timing_set(params, {"platforms/machines/timing_sets"}).empty());
  return params;
}

struct Mix {
  double writes;   // share of writes
  int rows;        // rows in use: few = many hits
  int columns;     // few = forwarding happens
  int most_pause;  // cycles between arrivals, 0 = back to back
};

std::vector<ReplayRequest> random_requests(std::mt19937_64& random, const TimingSet& set, const Mix& mix,
                                           int count) {
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(limit));
  };
  std::vector<ReplayRequest> requests;
  Cycle arrive = 0;
  for (int i = 0; i < count; ++i) {
    arrive += static_cast<Cycle>(below(mix.most_pause + 1));
    if (mix.most_pause > 0 && below(100) == 0) arrive += 300;  // now and then everything drains
    requests.push_back({static_cast<std::uint64_t>(i), arrive, below(1000) < mix.writes * 1000,
                        below(set.bank_groups), below(set.banks_per_group), below(mix.rows),
                        below(mix.columns)});
  }
  return requests;
}

Mix random_mix(std::mt19937_64& random) {
  const double writes[] = {0, 0.1, 0.5, 0.9};
  const int rows[] = {1, 2, 8, 1000};
  const int columns[] = {2, 16, 128};
  const int pauses[] = {0, 3, 12};
  return {writes[random() % 4], rows[random() % 4], columns[random() % 3], pauses[random() % 3]};
}

void require_same(const ReplayResult& ours, const ReplayResult& plain) {
  for (std::size_t i = 0; i < std::min(ours.commands.size(), plain.commands.size()); ++i) {
    const ReplayCommand& a = ours.commands[i];
    const ReplayCommand& b = plain.commands[i];
    INFO("command " << i << ": cycle " << a.cycle << " " << to_text(a.command) << " of request " << a.request
                    << ", plainly cycle " << b.cycle << " " << to_text(b.command) << " of request "
                    << b.request);
    REQUIRE(std::tie(a.cycle, a.command, a.bank_group, a.bank, a.row, a.column, a.request) ==
            std::tie(b.cycle, b.command, b.bank_group, b.bank, b.row, b.column, b.request));
  }
  REQUIRE(ours.commands.size() == plain.commands.size());
  for (std::size_t i = 0; i < ours.replies.size(); ++i) {
    INFO("request " << i);
    REQUIRE(ours.replies[i].accept == plain.replies[i].accept);
    REQUIRE(ours.replies[i].data_end == plain.replies[i].data_end);
  }
}

void require_conserved(const ReplayResult& result, std::size_t requests) {
  const MemoryControllerStats& s = result.stats;
  CHECK(s.accepted == requests);
  CHECK(s.reads == s.reads_finished + s.forwarded_reads);
  CHECK(s.writes == s.writes_finished);
  CHECK(s.started == s.row_hits + s.row_misses + s.row_conflicts);
  CHECK(s.started + s.forwarded_reads == requests);
  CHECK(s.bursts == s.reads_finished + s.writes_finished);
  CHECK(s.read_latency.samples == s.reads_finished);
  for (const ReplayReply& reply : result.replies) REQUIRE(reply.data_end > reply.accept);
}

// The k-th refresh comes no earlier than it is due, and soon after: once its banks' owners are done.
void require_refreshed(const MemoryControllerParams& params, const ReplayResult& result) {
  const TimingSet& t = params.timing;
  const bool by_bank = params.refresh == RefreshPolicy::per_bank;
  const Cycle interval = static_cast<Cycle>(t.nREFI / (by_bank ? t.banks() : 1));
  // Beside those that the user lets be postponed, one comes late while a write whose row has been opened
  // waits for a gap between reads.
  const Cycle longest = (8 + static_cast<Cycle>(params.refresh_postpone)) * interval;
  Cycle due = interval;
  std::uint64_t count = 0;
  for (const ReplayCommand& command : result.commands) {
    if (!is_refresh(command.command)) continue;
    REQUIRE(command.cycle >= due);
    REQUIRE(command.cycle <= due + longest);
    due += interval;
    ++count;
  }
  CHECK(count == result.stats.refreshes);
  CHECK(due + longest >= result.commands.back().cycle);
  CHECK(result.stats.precharges >= result.stats.refresh_precharges);
}

}  // namespace

TEST_CASE("10 000 random requests, 20 seeds, every set: no rule is broken and nothing is lost") {
  for (const std::string& set : sets) {
    const MemoryControllerParams params = params_for(set);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      std::mt19937_64 random(seed);
      const Mix mix = random_mix(random);
      const auto requests = random_requests(random, params.timing, mix, 10000);
      const ReplayResult result = replay_dram(params, requests);
      INFO("set " << set << ", seed " << seed);
      REQUIRE(tb::TraceJudge(params.timing).judge(result.commands) == "");
      require_conserved(result, requests.size());
    }
  }
}

TEST_CASE("the event-driven core schedules like a plain cycle-by-cycle model") {
  std::uint64_t starved = 0, lost = 0;
  for (const std::string& set : sets) {
    for (std::uint64_t seed = 100; seed < 124; ++seed) {
      std::mt19937_64 random(seed);
      MemoryControllerParams params = params_for(set);
      const int caps[] = {0, 1, 30, 100, 400, 2048};
      params.starvation_cap = caps[random() % 6];
      const int depths[] = {4, 32, 17};
      params.read_queue = depths[random() % 3];
      params.write_queue = depths[random() % 3];
      const double lows[] = {0, 0.2, 0.5};
      const double highs[] = {0.6, 0.8, 1};
      params.drain_low = lows[random() % 3];
      params.drain_high = highs[random() % 3];
      if (seed % 3 == 0) params.shared_queue = depths[seed / 3 % 3];
      params.scheduler = static_cast<DramOrder>(seed / 2 % 3);
      params.row_hit_cap = static_cast<int>(1 + seed % 5);
      const Mix mix = random_mix(random);
      const auto requests = random_requests(random, params.timing, mix, 600);
      INFO("set " << set << ", seed " << seed);
      const ReplayResult ours = replay_dram(params, requests);
      starved += ours.stats.starved;
      lost += ours.stats.lost_row_hits;
      require_same(ours, tb::replay_plainly(params, requests));
    }
  }
  CHECK(starved > 100);  // so that equality says something of the cap,
  CHECK(lost > 100);     // and of the schedulers
}

TEST_CASE("refresh and page policies are scheduled like those of the plain model") {
  std::uint64_t refreshes = 0;
  std::uint64_t closed = 0;
  std::uint64_t reopened = 0;
  for (const std::string& set : refreshing) {
    for (std::uint64_t seed = 300; seed < 312; ++seed) {
      std::mt19937_64 random(seed);
      MemoryControllerParams params = params_for(set);
      params.starvation_cap = random() % 2 == 0 ? 0 : static_cast<int>(random() % 400);
      params.page_policy = static_cast<PagePolicy>(random() % 4);
      params.scheduler = static_cast<DramOrder>(seed % 3);
      params.idle_close = static_cast<int>(16 + random() % 200);
      params.refresh = static_cast<RefreshPolicy>(random() % 3);
      params.refresh_postpone = random() % 2 == 0 ? 0 : static_cast<int>(random() % 9);
      if (seed % 4 == 0) params.shared_queue = 24;
      params.timing.nREFI = std::max(params.timing.nRFC, params.timing.nRFCpb * params.timing.banks()) + 700;
      const Mix mix = random_mix(random);
      const auto requests = random_requests(random, params.timing, mix, 400);
      const ReplayResult ours = replay_dram(params, requests);
      refreshes += ours.stats.refreshes;
      closed += ours.stats.policy_precharges;
      reopened += ours.stats.policy_reopened;
      INFO("set " << set << ", seed " << seed << ", policy " << static_cast<int>(params.page_policy)
                  << ", refresh " << static_cast<int>(params.refresh));
      REQUIRE(params.validate().empty());
      require_same(ours, tb::replay_plainly(params, requests));
    }
  }
  // Each of them has happened often enough for equality to mean something.
  CHECK(refreshes > 500);
  CHECK(closed > 1000);
  CHECK(reopened > 100);
}

TEST_CASE("refresh keeps to the rules, comes in time and loses nothing") {
  for (const std::string& set : refreshing)
    for (const RefreshPolicy policy : policies)
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        std::mt19937_64 random(seed);
        MemoryControllerParams params = params_for(set);
        params.refresh = policy;
        params.refresh_postpone = seed % 2 == 0 ? 0 : static_cast<int>(random() % 9);
        const Mix mix = random_mix(random);
        const auto requests = random_requests(random, params.timing, mix, 10000);
        const ReplayResult result = replay_dram(params, requests);
        INFO("set " << set << ", seed " << seed << ", refresh " << static_cast<int>(policy));
        REQUIRE(tb::TraceJudge(params.timing).judge(result.commands) == "");
        require_conserved(result, requests.size());
        require_refreshed(params, result);
      }
}

TEST_CASE("page policies and a starvation cap keep to the rules") {
  for (const std::string& set : sets) {
    for (std::uint64_t seed = 200; seed < 212; ++seed) {
      std::mt19937_64 random(seed);
      MemoryControllerParams params = params_for(set);
      params.page_policy = static_cast<PagePolicy>(random() % 4);
      params.idle_close = static_cast<int>(16 + random() % 100);
      params.refresh =
          params.timing.nRFCpb == 0 ? RefreshPolicy::none : static_cast<RefreshPolicy>(random() % 3);
      params.starvation_cap = static_cast<int>(50 + random() % 500);
      const Mix mix = random_mix(random);
      const auto requests = random_requests(random, params.timing, mix, 3000);
      const ReplayResult result = replay_dram(params, requests);
      INFO("set " << set << ", seed " << seed);
      REQUIRE(tb::TraceJudge(params.timing).judge(result.commands) == "");
      require_conserved(result, requests.size());
    }
  }
}

namespace {

bool same_pair(const DramRule& a, const DramRule& b) {
  const auto shared = [](const DramRule& r) {
    return r.scope == RuleScope::group || r.scope == RuleScope::channel;
  };
  return a.previous == b.previous && a.next == b.next && shared(a) && shared(b) && a.distance == b.distance;
}

// The rules with rule `r` weakened by a cycle. A group rule can hide behind an equal channel rule, and the
// other way about: both are weakened.
std::vector<DramRule> weakened(std::vector<DramRule> rules, std::size_t r) {
  const DramRule weak = rules[r];
  for (DramRule& rule : rules)
    if (same_pair(rule, weak)) --rule.distance;
  if (rules[r].distance == weak.distance) --rules[r].distance;
  return rules;
}

// Why a rule can be weakened without effect in a set; empty when it cannot.
std::string implied(const DramRule& rule, const TimingSet& t) {
  if (rule.distance == 1 && rule.next != DramCommand::refpb) return "one command a cycle on its bus";
  if (rule.name == "tRC" && t.nRC <= t.nRAS + t.nRP) return "tRAS + tRP";
  if (rule.name == "tRFCpb" && rule.next == DramCommand::refpb && t.nRFCpb <= t.banks() * t.nRREFD)
    return "banks x tRREFD: all others come in between";
  if (rule.name == "tFAW" && t.nFAW <= 4 * t.nRRDS) return "4 tRRD";
  return "";
}

// The checker in the channel, which every run of a platform relies on, must judge as the judge does.
bool channel_objects(const TimingSet& set, const std::vector<ReplayCommand>& commands) {
  DramChecker checker(set);
  for (const ReplayCommand& c : commands) {
    const int bank = c.command == DramCommand::refab ? 0 : c.bank_group * set.banks_per_group + c.bank;
    if (!checker.check(c.command, bank, c.row, c.cycle).empty()) return true;
  }
  return false;
}

// Does the judge see it when the controller believes `rules`? Refreshes as often as the set can bear.
bool caught(MemoryControllerParams params, const std::vector<DramRule>& rules, std::uint64_t seed) {
  const TimingSet true_set = params.timing;
  const int banks = true_set.banks();
  for (const RefreshPolicy policy : {RefreshPolicy::none, RefreshPolicy::all_bank, RefreshPolicy::per_bank}) {
    const bool by_bank = policy == RefreshPolicy::per_bank;
    if (policy != RefreshPolicy::none && (by_bank ? true_set.nRFCpb : true_set.nRFC) == 0) continue;
    params.refresh = policy;
    params.timing.nREFI =
        by_bank ? std::max(true_set.nRREFD + 3, true_set.nRFCpb / banks + 4) * banks : true_set.nRFC + 10;
    std::mt19937_64 random(seed);
    const Mix mix = random_mix(random);
    const auto requests = random_requests(random, true_set, mix, 1500);
    const ReplayResult result = replay_dram(params, requests, rules);
    const bool seen = !tb::TraceJudge(true_set).judge(result.commands).empty();
    REQUIRE(channel_objects(true_set, result.commands) == seen);
    if (seen) return true;
  }
  return false;
}

bool ever_caught(const MemoryControllerParams& params, const std::vector<DramRule>& rules,
                 std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    if (caught(params, rules, seed)) return true;
  return false;
}

std::string in_words(const DramRule& rule) {
  return rule.name + " " + std::string(to_text(rule.previous)) + "->" + std::string(to_text(rule.next)) +
         " " + std::to_string(rule.distance);
}

}  // namespace

// A rule that others imply can be weakened without effect: then nothing may be caught, and implied() says
// why.
TEST_CASE("every timing rule, weakened by one cycle, is caught") {
  for (const std::string& set : sets) {
    const MemoryControllerParams params = params_for(set);
    const std::vector<DramRule> rules = dram_rules(params.timing);
    for (std::size_t r = 0; r < rules.size(); ++r) {
      const std::string reason = implied(rules[r], params.timing);
      const bool seen = ever_caught(params, weakened(rules, r), reason.empty() ? 40 : 3);
      std::cout << set << ": " << in_words(rules[r]) << (seen ? ": caught" : ": implied by " + reason)
                << "\n";
      INFO("set " << set << ", rule " << in_words(rules[r]));
      CHECK(seen == reason.empty());
    }
  }
}

// A set in which no rule follows from others: every row of the table is caught.
TEST_CASE("in a set whose rules all bind, each one weakened by one cycle is caught") {
  MemoryControllerParams params = params_for("hbm2");
  TimingSet& t = params.timing;
  t.nRC = t.nRAS + t.nRP + 3;
  t.nFAW = 4 * t.nRRDS + 5;
  t.bank_groups = 2;  // few banks: refreshes of adjacent banks and of the same bank follow each other closely
  t.banks_per_group = 1;
  t.nRREFD = 15;
  t.nRFCpb = 40;
  const std::vector<DramRule> rules = dram_rules(t);
  CHECK(rules.size() == 29);
  for (std::size_t r = 0; r < rules.size(); ++r) {
    MemoryControllerParams run = params;
    if (rules[r].name == "tFAW" || rules[r].name == "tCCDL" || rules[r].scope == RuleScope::group)
      run.timing.bank_groups = run.timing.banks_per_group = 4;
    INFO("rule " << in_words(rules[r]));
    CHECK(ever_caught(run, weakened(rules, r), 60));
  }
}
