// Request lists through controller and channel behind their sockets, against the same lists through the core
// alone. One TEST_CASE = one elaboration = one process.
#include "models/memory_controller/module_replay.h"

#include <random>
#include <tuple>

#include "platforms/engine/timing_sets.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

MemoryControllerParams params_for(const std::string& set) {
  MemoryControllerParams params;
  params.timing_set = set;
  REQUIRE(platforms::resolve_timing_set(params, {"platforms/machines/timing_sets"}).empty());
  return params;
}

std::vector<ReplayRequest> random_requests(const TimingSet& set, int count, int rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(limit));
  };
  std::vector<ReplayRequest> requests;
  Cycle arrive = 0;
  for (int i = 0; i < count; ++i) {
    arrive += below(200) == 0 ? 3000 : static_cast<Cycle>(below(5));
    requests.push_back({static_cast<std::uint64_t>(i) * 3, arrive, below(3) == 0, below(set.bank_groups),
                        below(set.banks_per_group), below(rows), below(6)});
  }
  return requests;
}

void require_same(const ReplayResult& a, const ReplayResult& b) {
  REQUIRE(a.commands.size() == b.commands.size());
  for (std::size_t i = 0; i < a.commands.size(); ++i) {
    const ReplayCommand& x = a.commands[i];
    const ReplayCommand& y = b.commands[i];
    INFO("command " << i << " in cycles " << x.cycle << " and " << y.cycle);
    REQUIRE(std::tie(x.cycle, x.command, x.bank_group, x.bank, x.row, x.column, x.request) ==
            std::tie(y.cycle, y.command, y.bank_group, y.bank, y.row, y.column, y.request));
  }
  REQUIRE(a.replies.size() == b.replies.size());
  for (std::size_t i = 0; i < a.replies.size(); ++i) {
    const ReplayReply& x = a.replies[i];
    const ReplayReply& y = b.replies[i];
    INFO("request " << i);
    REQUIRE(std::tie(x.id, x.arrive, x.accept, x.cas_issue, x.data_end) ==
            std::tie(y.id, y.arrive, y.accept, y.cas_issue, y.data_end));
  }
  CHECK(a.total_cycles == b.total_cycles);
  CHECK(a.stats.row_hits == b.stats.row_hits);
  CHECK(a.stats.forwarded_reads == b.stats.forwarded_reads);
  CHECK(a.stats.write_drains == b.stats.write_drains);
  CHECK(a.stats.refreshes == b.stats.refreshes);
}

}  // namespace

TEST_CASE("hbm_bl4: the modules issue the very commands of the core") {
  const MemoryControllerParams params = params_for("hbm_bl4");
  const auto requests = random_requests(params.timing, 3000, 3, 1);
  const ReplayResult result = replay_through_modules(params, requests);
  require_same(result, replay_dram(params, requests));
  CHECK(result.stats.forwarded_reads > 20);
  CHECK(result.stats.write_drains > 5);
}

TEST_CASE("gddr5, short queues and columns beyond the row: the same") {
  MemoryControllerParams params = params_for("gddr5");
  params.read_queue = 3;
  params.write_queue = 5;
  auto requests = random_requests(params.timing, 2000, 50, 2);
  requests[7].column = 4000;  // rows of gddr5 have 64 columns
  const ReplayResult result = replay_through_modules(params, requests);
  require_same(result, replay_dram(params, requests));
  CHECK(result.commands.size() > 4000);
}

TEST_CASE("hbm2, refreshed bank by bank under an adaptive page policy: the same") {
  MemoryControllerParams params = params_for("hbm2");
  params.refresh = RefreshPolicy::per_bank;
  params.page_policy = PagePolicy::adaptive;
  const auto requests = random_requests(params.timing, 3000, 4, 3);
  const ReplayResult result = replay_through_modules(params, requests);
  require_same(result, replay_dram(params, requests));
  CHECK(result.stats.refreshes > 100);
  CHECK(result.stats.policy_precharges > 100);
}

TEST_CASE("gddr6, all banks refreshed and rows closed at once: the same") {
  MemoryControllerParams params = params_for("gddr6");
  params.refresh = RefreshPolicy::all_bank;
  params.page_policy = PagePolicy::closed;
  const auto requests = random_requests(params.timing, 3000, 1000, 4);
  const ReplayResult result = replay_through_modules(params, requests);
  require_same(result, replay_dram(params, requests));
  CHECK(result.stats.refreshes > 10);
}

TEST_CASE("a timing set whose CAS is no line is refused") {
  MemoryControllerParams params = params_for("hbm_bl4");
  params.timing.bytes_per_CAS = 16;
  CHECK_THROWS_AS(replay_through_modules(params, {}), ConfigError);
}
