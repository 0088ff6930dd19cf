// Random request streams through the controller core: legal commands, the same schedule as a plain
// cycle-by-cycle model, nothing lost, and every timing rule proved to be watched.
#include <algorithm>
#include <iostream>
#include <random>

#include "models/memory_controller/replay.h"
#include "platforms/timing_sets.h"
#include "tb/property/dram_rule_checker.h"
#include "tb/property/naive_controller.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

const std::vector<std::string> sets{"hbm_bl4", "hbm_bl2", "gddr5", "gddr5_isca19", "hbm_selrep20"};

MemoryControllerParams params_for(const std::string& set) {
  MemoryControllerParams params;
  params.timing_set = set;
  REQUIRE(platforms::resolve_timing_set(params, {"platforms/timing_sets"}).empty());
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
      REQUIRE(test::TraceJudge(params.timing).judge(result.commands) == "");
      require_conserved(result, requests.size());
    }
  }
}

TEST_CASE("the event-driven core schedules like a plain cycle-by-cycle model") {
  for (const std::string& set : sets) {
    for (std::uint64_t seed = 100; seed < 124; ++seed) {
      std::mt19937_64 random(seed);
      MemoryControllerParams params = params_for(set);
      params.starvation_cap = 0;
      const int depths[] = {4, 32, 17};
      params.read_queue = depths[random() % 3];
      params.write_queue = depths[random() % 3];
      const Mix mix = random_mix(random);
      const auto requests = random_requests(random, params.timing, mix, 600);
      INFO("set " << set << ", seed " << seed);
      require_same(replay_dram(params, requests), test::NaiveController(params, requests).run());
    }
  }
}

TEST_CASE("page policies and a starvation cap keep to the rules") {
  for (const std::string& set : sets) {
    for (std::uint64_t seed = 200; seed < 212; ++seed) {
      std::mt19937_64 random(seed);
      MemoryControllerParams params = params_for(set);
      params.page_policy = static_cast<PagePolicy>(random() % 3);
      params.idle_close = static_cast<int>(1 + random() % 100);
      params.starvation_cap = static_cast<int>(50 + random() % 500);
      const Mix mix = random_mix(random);
      const auto requests = random_requests(random, params.timing, mix, 3000);
      const ReplayResult result = replay_dram(params, requests);
      INFO("set " << set << ", seed " << seed);
      REQUIRE(test::TraceJudge(params.timing).judge(result.commands) == "");
      require_conserved(result, requests.size());
    }
  }
}

// Every rule that can bind in some stream, weakened by one cycle, must be seen by the judge. A rule that
// another one implies can be weakened without effect: those are named with their reason.
TEST_CASE("every timing rule, weakened by one cycle, is caught") {
  struct Implied {
    const char* set;
    const char* rule;
  };
  const std::vector<Implied> implied{
      {"hbm_bl4", "tRC"},  // = tRAS + tRP
      {"hbm_bl2", "tRC"},       {"hbm_selrep20", "tRC"}, {"gddr5", "tRC"},
      {"gddr5_isca19", "tRC"},  {"gddr5", "tFAW"},  // = 4 x tRRD
      {"gddr5_isca19", "tFAW"},
  };
  for (const std::string& set : sets) {
    const MemoryControllerParams params = params_for(set);
    const std::vector<DramRule> rules = dram_rules(params.timing);
    for (std::size_t r = 0; r < rules.size(); ++r) {
      std::vector<DramRule> weak = rules;
      // A group rule can hide behind an equal channel rule, and the other way about: weaken all of that name
      // and pair.
      for (std::size_t other = 0; other < rules.size(); ++other)
        if (rules[other].previous == rules[r].previous && rules[other].next == rules[r].next &&
            rules[other].scope != RuleScope::bank && rules[r].scope != RuleScope::bank &&
            rules[other].scope != RuleScope::window && rules[r].scope != RuleScope::window &&
            rules[other].distance == rules[r].distance)
          --weak[other].distance;
      if (weak[r].distance == rules[r].distance) --weak[r].distance;
      bool caught = false;
      for (std::uint64_t seed = 1; seed <= 40 && !caught; ++seed) {
        std::mt19937_64 random(seed);
        const Mix mix = random_mix(random);
        const auto requests = random_requests(random, params.timing, mix, 1500);
        caught = !test::TraceJudge(params.timing).judge(replay_dram(params, requests, weak).commands).empty();
      }
      // A command bus that takes one command a cycle implies a distance of one between commands that share
      // it.
      const bool hidden =
          rules[r].distance == 1 || std::any_of(implied.begin(), implied.end(), [&](const Implied& i) {
            return set == i.set && rules[r].name == i.rule;
          });
      INFO("set " << set << ", rule " << rules[r].name << " " << rules[r].distance);
      CHECK(caught == !hidden);
    }
  }
}
