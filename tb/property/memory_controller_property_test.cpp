// Random request streams through the controller core: legal commands, the same schedule as a plain
// cycle-by-cycle model, nothing lost, and every timing rule proved to be watched.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>

#include "models/dram_channel/dram_checker.h"
#include "models/memory_controller/replay.h"
#include "platforms/engine/timing_sets.h"
#include "tb/property/dram_rule_checker.h"
#include "tb/property/naive_controller.h"
#include "tb/support/catch.h"

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
  t.bank_groups = 2;  // few banks: refreshes of neighbours and of the same bank follow each other closely
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
