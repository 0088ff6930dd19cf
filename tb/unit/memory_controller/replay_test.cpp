#include "models/memory_controller/replay.h"

#include <random>
#include <sstream>
#include <tuple>

#include "platforms/engine/timing_sets.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

const std::string header = "id,arrive,type,bg,bank,row,col\n";

std::vector<ReplayRequest> read(const std::string& text) {
  std::istringstream in(text);
  return read_request_list(in, "list.csv", TimingSet{});
}

std::string fault_of(const std::string& text) {
  try {
    read(text);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a request list is replayed into commands and replies") {
  const auto requests = read(header + "0,0,R,0,0,5,0\n7,0,W,1,2,5,3\n");
  REQUIRE(requests.size() == 2);
  const ReplayResult result = replay_dram(MemoryControllerParams{}, requests);
  std::ostringstream commands;
  write_commands(commands, result.commands);
  // Write 7 is accepted in cycle 1. The read queue is empty after ACT 0, so the write may start; tRRD = 6.
  CHECK(commands.str() ==
        "cycle,cmd,bg,bank,row,col,req\n1,ACT,0,0,5,-1,0\n7,ACT,1,2,5,-1,7\n13,RD,0,0,5,0,0\n24,WR,1,2,5,3,"
        "7\n");
  std::ostringstream replies;
  write_replies(replies, result.replies);
  // RD at 13 ends at 13 + 12 + 1; WR waits for RD + 11 and ends at 24 + 4 + 1.
  CHECK(replies.str() == "id,arrive,accept,cas_issue,data_end,latency\n0,0,0,13,26,26\n7,0,1,24,29,28\n");
  CHECK(result.total_cycles == 29);
}

TEST_CASE("a full queue holds back the port") {
  MemoryControllerParams params;
  params.read_queue = 2;
  std::string list = header;
  for (int i = 0; i < 4; ++i) list += std::to_string(i) + ",0,R,0,0," + std::to_string(i) + ",0\n";
  const ReplayResult result = replay_dram(params, read(list));
  // Four rows of one bank: ACT in 1, 41 and 81 (tRC = 40) each free an entry.
  CHECK(result.replies[0].accept == 0);
  CHECK(result.replies[1].accept == 1);
  CHECK(result.replies[2].accept == 2);
  CHECK(result.replies[3].accept == 41);
}

TEST_CASE("a malformed request list is refused with file and line") {
  CHECK(fault_of("") == "list.csv: the request list is empty");
  CHECK(fault_of(header) == "list.csv:1: the request list has no requests");
  CHECK(fault_of("id,arrive\n").find("list.csv:1: the first line must read") == 0);
  CHECK(fault_of(header + "0,5,R,0,0,0,0\n1,4,R,0,0,0,0\n").find("list.csv:3: arrives in cycle 4") == 0);
  CHECK(fault_of(header + "0,0,R,0,4,0,0\n") ==
        "list.csv:2: bank must be a whole number from 0 to 3 with timing set gddr5_isca19, not '4'");
  CHECK(fault_of(header + "0,0,R,4,0,0,0\n") ==
        "list.csv:2: bg must be a whole number from 0 to 3 with timing set gddr5_isca19, not '4'");
  CHECK(fault_of(header + "0,1e3,R,0,0,0,0\n") ==
        "list.csv:2: arrive must be a whole number from 0 to 1000000000000, not '1e3'");
  CHECK(fault_of(header + "0,0,R,0,0,0\n").find("list.csv:2: expected 7 columns") == 0);
  CHECK(fault_of(header + "0,0,X,0,0,0,0\n") == "list.csv:2: type must be R or W, not 'X'");
  CHECK(fault_of(header + "0,0,R,0,0,-1,0\n").find("row must be a whole number") != std::string::npos);
  // One message, of the first fault: a missing column stands in every line.
  CHECK(fault_of("id,arrive,type,bg,bank,row\n0,0,R,0,0,0\n1,0,R,0,0,0\n") ==
        "list.csv:1: the first line must read 'id,arrive,type,bg,bank,row,col', not "
        "'id,arrive,type,bg,bank,row'");
  // Empty lines and the line ends of other systems are no faults.
  CHECK(read("id,arrive,type,bg,bank,row,col\r\n\r\n0,0,R,0,0,0,0\r\n").size() == 1);
}

TEST_CASE("a damaged request list is read or refused with its place, never anything else") {
  std::string list = header;
  for (int i = 0; i < 20; ++i)
    list += std::to_string(i) + "," + std::to_string(i * 3) + (i % 2 == 0 ? ",R,1,2," : ",W,3,0,") +
            std::to_string(i % 4) + ",7\n";
  std::mt19937_64 random(9);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = list;
    for (std::uint64_t n = 1 + random() % 3; n > 0 && !damaged.empty(); --n) {
      const std::size_t at = random() % damaged.size();
      switch (random() % 4) {
        case 0:
          damaged[at] = static_cast<char>(random());
          break;
        case 1:
          damaged.erase(at, 1 + random() % 40);
          break;
        case 2:
          damaged.insert(at, 1, "0123456789,-\n"[random() % 13]);
          break;
        default:
          damaged.resize(at + 1);
          break;
      }
    }
    INFO("round " << round << ": " << damaged);
    try {
      for (const ReplayRequest& request : read(damaged)) {
        REQUIRE(request.bank_group < 4);
        REQUIRE(request.bank < 4);
      }
    } catch (const TraceError& error) {
      REQUIRE(std::string(error.what()).find("list.csv") == 0);
      ++refused;
    }
  }
  CHECK(refused > 2000);
}

TEST_CASE("of a list of several controllers the requests of one are taken") {
  const std::string text =
      std::string(request_list_header(true)) +
      "\n0,5,R,0,1,7,2,3,0x1000,128\n1,5,W,0,0,9,0,1,0x2000,128\n2,6,W,1,2,8,4,3,0x3000,128\n";
  const auto list_of = [&](int controller) {
    std::istringstream in(text);
    return read_controller_list(in, "list.csv", TimingSet{}, controller);
  };
  const RequestList first = list_of(-1), second = list_of(1);
  CHECK(first.controller == 3);
  CHECK(first.others == 1);
  REQUIRE(first.requests.size() == 2);
  CHECK(first.requests[1].id == 2);
  CHECK(first.requests[1].write);
  CHECK(first.requests[1].column == 4);
  CHECK(second.controller == 1);
  REQUIRE(second.requests.size() == 1);
  CHECK(second.requests[0].row == 9);
  CHECK_THROWS_WITH(list_of(2),
                    Catch::Contains("no requests of controller 2; it has those of controller 1 to 3"));
  CHECK(read(text).size() == 2);
  CHECK(fault_of(std::string(request_list_header(true)) + "\n0,5,R,0,1,7,2\n").find("expected 10 columns") !=
        std::string::npos);
}

// Request lists through controller and channel behind their sockets, against the same lists through the core
// alone. One TEST_CASE = one elaboration = one process.

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
