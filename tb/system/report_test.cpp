// Law evaluator, mapping of the summary, results directory, comparison, wait-for graph.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "platforms/engine/session/interrupt_watch.h"
#include "platforms/engine/session/progress_line.h"
#include "platforms/engine/session/wait_graph.h"
#include "platforms/report/compare.h"
#include "platforms/report/digest.h"
#include "platforms/report/laws.h"
#include "platforms/report/results_digest.h"
#include "platforms/report/results_directory.h"
#include "platforms/report/results_files.h"
#include "platforms/report/text_table.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

using namespace strata;
using namespace strata::platforms;
using strata::tb::TempFolder;

namespace {

std::optional<std::uint64_t> toy_counters(std::string_view name) {
  if (name == "accesses") return 10;
  if (name == "hits") return 7;
  if (name == "misses") return 3;
  return std::nullopt;
}

std::string law(std::string_view text) {
  return check_law(text, toy_counters);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

RunRecord record(std::uint64_t cycles) {
  RunRecord r;
  r.trace = "t";
  r.ledger.groups[0].count = 2;
  r.ledger.groups[0].latency = 40;
  r.places = nominal_places();
  r.ledger.groups[0].cycles.add(*r.places.find("memory.bus"), 40);
  r.cycles = cycles;
  r.summary = summarize({}, r.ledger, cycles, {});
  return r;
}

}  // namespace

TEST_CASE("Laws hold, break and are refused") {
  CHECK(law("accesses = hits + misses").empty());
  CHECK(law("accesses >= hits").empty());
  CHECK(law("hits + 3 = accesses").empty());
  CHECK(law("hits = misses") == "law 'hits = misses' does not hold: 7 is not 3");
  CHECK(law("misses >= hits") == "law 'misses >= hits' does not hold: 3 < 7");
  CHECK(law("hits = mises") == "law 'hits = mises': no counter 'mises'");
  CHECK(law("hits +  = misses") == "law 'hits +  = misses': a term is missing");
  CHECK(law("hits") == "law 'hits' needs exactly one = or >=");
}

TEST_CASE("Every summary figure names statistics that the modules have") {
  std::string text;
  for (const Fault& fault : check_summary_mapping()) text += to_text(fault) + "\n";
  CHECK(text.empty());
  for (const char* name :
       {"cycles", "thread_instructions", "warp_instructions", "ipc", "l1_accesses", "l1_hits", "l1_merges",
        "llc_accesses", "llc_hits", "llc_response_rate", "dram_reads", "dram_writes", "mean_latency",
        "round_trips", "cpu_seconds", "peak_rss_bytes"}) {
    INFO(name);
    CHECK(describe_summary().find(name) != nullptr);
  }
}

TEST_CASE("The digest sees every value and no host") {
  InstanceStats table{"a[0]", "a", {{"n", "", "", 1}}, {}, {}, {}};
  const std::uint64_t one = digest({table}, {}, {});
  CHECK(digest({table}, {}, {}) == one);
  table.counters[0].value = 2;
  CHECK(digest({table}, {}, {}) != one);
  CHECK(digest_text(0x1f) == "000000000000001f");
}

TEST_CASE("Results hold their digest, and no other results do") {
  RunRecord r = record(100);
  InstanceStats table{"a[0]", "a", {{"n", "", "", 7}}, {}, {}, {}};
  Histogram histogram;
  histogram.add(5);
  table.histograms.push_back({"h", "", "", histogram});
  r.tables = {table};
  ApplicationFigures application;
  application.cycles = 12;
  r.applications = {application, application};
  r.digest = digest(r.tables, r.ledger, r.places, r.applications);
  const auto stats = nlohmann::ordered_json::parse(stats_json(r));
  CHECK(holds_its_digest(stats));
  auto edited = stats;
  edited["instances"]["a[0]"]["counters"]["n"] = 8;
  CHECK(!holds_its_digest(edited));
  edited = stats;
  edited["instances"]["a[0]"]["histograms"]["h"]["total"] = 6;
  CHECK(!holds_its_digest(edited));
  edited = stats;
  edited["ledger"]["loads"]["cycles"]["memory.bus"] = 39;
  CHECK(!holds_its_digest(edited));
  edited = stats;
  edited["applications"][1]["summary"]["cycles"] = 13;
  CHECK(!holds_its_digest(edited));
  edited = stats;
  edited["ledger"]["loads"]["cycles"] = "none";
  CHECK(!holds_its_digest(edited));
  CHECK(!holds_its_digest(nlohmann::ordered_json()));
}

TEST_CASE("Results replace older ones at once, and nothing else") {
  TempFolder folder;
  const std::string place = folder.path() + "/r";
  {
    ResultsDirectory results(place);
    results.write("stats.json", "old");
    results.commit();
  }
  {
    ResultsDirectory abandoned(place);
    abandoned.write("stats.json", "never");
  }
  CHECK(read_file(place + "/stats.json") == "old");
  {
    ResultsDirectory results(place);
    results.write("stats.json", "new");
    CHECK(read_file(place + "/stats.json") == "old");
    results.commit();
  }
  CHECK(read_file(place + "/stats.json") == "new");
  const std::filesystem::directory_iterator left(folder.path());
  CHECK(std::distance(begin(left), end(left)) == 1);  // no drafts
  folder.write("mine/thesis.txt", "x");
  CHECK_THROWS_AS(ResultsDirectory(folder.path() + "/mine"), ConfigError);
  CHECK_THROWS_AS(ResultsDirectory(folder.path() + "/mine/thesis.txt"), ConfigError);
  const std::string notes = folder.write("r/notes.txt", "x");  // beside the results: would be lost
  CHECK_THROWS_WITH(ResultsDirectory(place), strata::tb::has_text("the directory holds 'notes.txt'"));
  std::filesystem::remove(notes);
  const std::string link = folder.path() + "/link";
  std::filesystem::create_directory_symlink(place, link);
  {
    ResultsDirectory linked(link);
    linked.write("stats.json", "newest");
    linked.commit();
  }
  CHECK(std::filesystem::is_symlink(link));  // results may lie on another disk
  CHECK(read_file(place + "/stats.json") == "newest");
  folder.write("r/stats.json", "edited");
  CHECK_THROWS_WITH(ResultsDirectory(place),
                    strata::tb::has_text("'stats.json' in it is not what Strata wrote"));
  folder.write("r/stats.json", "newest");
  {
    ResultsDirectory part(place);
    part.write("stats.json", "a part");
    part.commit(false);
    CHECK(part.path() == place + ".partial");
    CHECK(part.fallback_path().find("a run that ended normally") != std::string::npos);
  }
  CHECK(read_file(place + "/stats.json") == "newest");
  CHECK(read_file(place + ".partial/stats.json") == "a part");
  ResultsDirectory results(place);
  CHECK_THROWS_AS(results.write("thesis.txt", "x"), std::logic_error);  // else the next run would refuse it
}

TEST_CASE("Signals ask for the end, however often they come, but Ctrl-C after a while is one") {
  const auto ends_with = [](std::initializer_list<int> signals, useconds_t pause) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
      const InterruptWatch outer;
      for (const int signal : signals) {
        const InterruptWatch inner;  // as around the simulation
        ::raise(signal);
        ::usleep(pause);
      }
      ::_exit(InterruptWatch::requested() ? 130 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  };
  CHECK(ends_with({}, 0) == 0);
  CHECK(ends_with({SIGTERM}, 0) == 130);
  CHECK(ends_with({SIGINT, SIGINT, SIGINT}, 1000) == 130);
  CHECK(ends_with({SIGXCPU, SIGXCPU, SIGTERM, SIGHUP, SIGUSR1}, 600'000) == 130);
  CHECK(ends_with({SIGINT, SIGINT}, 600'000) == -SIGINT);
  CHECK(ends_with({SIGPIPE}, 0) == 0);
}

TEST_CASE("Comparison shows relative changes and refuses what is no result") {
  TempFolder folder;
  folder.write("a/stats.json", stats_json(record(100)));
  folder.write("b/stats.json", stats_json(record(150)));
  folder.write("external/stats.json", "{\"x\": 1}");
  const std::string text = compare_text({folder.path() + "/a", folder.path() + "/b"});
  CHECK(text.find("+50.0 %") != std::string::npos);  // 150 / 100
  CHECK(text.find("memory.bus") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  const std::string shown = compare_text({folder.path() + "/a", folder.path() + "/b"}, true);
  CHECK(shown.find("\x1b[1;36m+50.0 %\x1b[0m") != std::string::npos);  // more: cyan
  const std::string back = compare_text({folder.path() + "/b", folder.path() + "/a"}, true);
  CHECK(back.find("\x1b[1;33m-33.3 %\x1b[0m") != std::string::npos);  // less: yellow
  CHECK_THROWS_AS(compare_text({folder.path() + "/external"}), ConfigError);
  CHECK_THROWS_AS(compare_text({folder.path() + "/none"}), ConfigError);
}

TEST_CASE("The wait-for graph names the circle") {
  const auto edge = [](const char* from, const char* to) {
    return WaitGraph::Edge{from, {"queue", to, 4, 4, nullptr}};
  };
  const WaitGraph ring({edge("a[0]", "b[1].in_0"), edge("b[1]", "c[0]"), edge("c[0]", "b[1]")});
  CHECK(ring.circle() == std::vector<std::string>{"b[1]", "c[0]", "b[1]"});
  CHECK(ring.text(9).find("circular wait: b[1] -> c[0] -> b[1]") != std::string::npos);
  CHECK(WaitGraph({edge("a[0]", "b[1]"), edge("b[1]", "")}).circle().empty());
}

TEST_CASE("The wait-for graph adds up the waits of a group, the fullest queue first") {
  const WaitGraph graph({{"l1[0]", {"MSHRs", "rtr[0].in_0", 3, 4, nullptr}},
                         {"l1[1]", {"MSHRs", "rtr[0].in_1", 1, 4, nullptr}},
                         {"sm[0]", {"SM 0: load/store queue", "l1[0]", 8, 8, nullptr}},
                         {"sm[0]", {"SM 0: 12 line accesses in flight", "", 2, 0, nullptr}},
                         {"rtr[0]", {"slice_0 (held)", "rtr[0]", 1, 4, nullptr}},
                         {"rtr[0]", {"slice_17 (held)", "rtr[0]", 1, 4, nullptr}}});
  const auto groups = graph.groups();
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].from == "sm");
  CHECK(groups[0].what == "load/store queue");
  CHECK(groups[0].to == "l1");
  CHECK(groups[1].from == "l1");  // 4 of 8 in two blocks
  CHECK(groups[1].blocks == 2);
  CHECK(groups[1].occupancy == 4);
  CHECK(groups[1].capacity == 8);
  CHECK(groups[2].what == "slice_# (held)");  // 2 of 8, for itself
  CHECK(groups[2].to.empty());
  CHECK(graph.oldest().empty());
}

TEST_CASE("Numbers for people") {
  CHECK(grouped(1234567) == "1 234 567");
  CHECK(rounded(96.51234) == "96.51");
  CHECK(rounded(0.48314) == "0.4831");
  // 1 M of 4 M instructions took 10 s: 30 s are left.
  CHECK(ProgressLine::text({1000000, 5000, 0.25}, 10) ==
        "1.00 M thread instructions, 5.00 k cycles, 100 k instructions/s, 25 %, ETA 30 s");
}
