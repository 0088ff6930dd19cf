// Results that a user has edited, or a disk has damaged: every reader of stats.json accepts it or names the
// file and the key that is at fault.
#include <functional>
#include <nlohmann/json.hpp>

#include "platforms/report/compare.h"
#include "platforms/report/results_files.h"
#include "platforms/studies/reproduce/run_figures.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

using namespace strata;
using namespace strata::platforms;
using strata::tb::has_text;
using strata::tb::TempFolder;
using Json = nlohmann::ordered_json;

namespace {

/// With everything that stats.json may hold.
std::string sound_results() {
  RunRecord r;
  r.trace = "t";
  r.partial = true;
  r.reason = "max-instructions";
  r.cycles = 100;
  r.tables = {{"l1[0]", "l1_private", {{"accesses", "", "", 4}, {"hits", "", "", 1}}, {}, {}, {}, Role::l1},
              {"mine[0]", "of_a_user", {}, {}, {}, {}},
              {"sm[0]", "sm_cluster", {{"thread_instructions", "", "", 64}}, {}, {}, {}, Role::sm}};
  LedgerTotals::Sums& loads = r.ledger.groups[LedgerTotals::loads];
  loads.count = 2;
  loads.latency = 40;
  r.places = nominal_places();
  loads.cycles.add(*r.places.find("memory.bus"), 40);
  loads.histogram.add(20);
  loads.histogram.add(20);
  r.summary = summarize(r.tables, r.ledger, r.cycles, {});
  r.applications.emplace_back();
  return stats_json(r);
}

/// Reads DIRECTORY in every way there is. Says what was refused, empty when nothing.
std::string refusal(const std::string& sound, const std::string& directory) {
  const std::function<void()> readers[] = {
      [&] { compare_text({sound, directory}); }, [&] { compare_text({directory, sound}); },
      [&] { compare_json({sound, directory}); }, [&] { compare_json({directory, sound}); },
      [&] { read_figures(directory); },
  };
  std::string text;
  for (const auto& reader : readers) {
    try {
      reader();
    } catch (const ConfigError& error) {
      text += std::string(error.what()) + "\n";
    }
  }
  const RunState state = state_of(directory);
  CHECK_FALSE((state.finished && !text.empty() && !state.fault.empty()));
  // That results were edited says nothing of whether they can be read: system_report tests that.
  return text + (state.fault.find("not as they were written") == std::string::npos ? state.fault : "");
}

/// "run" of "/run/exit_code"
std::string top_key(const std::string& pointer) {
  return pointer.empty() ? "" : pointer.substr(1, pointer.find('/', 1) - 1);
}

}  // namespace

TEST_CASE("Whatever is wrong in stats.json is read as it is or refused with its file and key") {
  const TempFolder folder;
  const std::string text = sound_results(), sound = folder.path() + "/sound", bad = folder.path() + "/bad";
  folder.write("sound/stats.json", text);
  REQUIRE(refusal(sound, sound).empty());
  const Json whole = Json::parse(text);
  std::size_t refused = 0;
  // What hangs below the keys that are read; definitions and counters of other blocks would only repeat it.
  for (const char* place : {"",
                            "/schema",
                            "/schema_version",
                            "/partial",
                            "/reason",
                            "/digest",
                            "/run",
                            "/run/exit_code",
                            "/run/trace",
                            "/run/seed",
                            "/run/max_instructions",
                            "/run/platform",
                            "/summary",
                            "/summary/cycles",
                            "/summary/ipc",
                            "/summary/l1_hits",
                            "/summary_units",
                            "/summary_units/cycles",
                            "/summary_gaps",
                            "/summary_gaps/0",
                            "/applications",
                            "/applications/0",
                            "/applications/0/summary",
                            "/applications/0/summary/ipc",
                            "/ledger",
                            "/ledger_places",
                            "/ledger_places/noc",
                            "/ledger/loads",
                            "/ledger/loads/accesses",
                            "/ledger/loads/latency",
                            "/ledger/loads/cycles",
                            "/ledger/loads/cycles/memory.bus",
                            "/ledger/loads/latency_histogram",
                            "/ledger/loads/latency_histogram/buckets",
                            "/ledger/loads/latency_histogram/buckets/0",
                            "/ledger/stores",
                            "/instances",
                            "/instances/l1[0]",
                            "/instances/l1[0]/module",
                            "/instances/l1[0]/counters",
                            "/instances/l1[0]/counters/hits"}) {
    const Json::json_pointer pointer(place);
    for (const char* other :
         {"null", "true", "-1", "1e300", "\"x\"", "[]", "{}", "[[]]", "{\"a\": [{}]}", "gone"}) {
      INFO(place << " becomes " << other);
      Json changed = whole;
      if (std::string(other) != "gone")
        changed[pointer] = Json::parse(other);
      else if (*place != '\0' && changed[pointer.parent_pointer()].is_object())
        changed[pointer.parent_pointer()].erase(pointer.back());
      folder.write("bad/stats.json", changed.dump());
      std::string said;
      REQUIRE_NOTHROW(said = refusal(sound, bad));  // ConfigError is refusal; nothing else may come out
      if (said.empty()) continue;
      ++refused;
      CHECK((said.find(top_key(place)) != std::string::npos ||
             said.find("of a finished run") != std::string::npos));
      CHECK_THAT(said, has_text("bad"));
    }
  }
  CHECK(refused > 150);
}

TEST_CASE("The message names file, key, what is there and what was expected") {
  const TempFolder folder;
  const std::string text = sound_results();
  const auto changed = [&](const std::string& from, const std::string& to) -> std::string {
    std::string other = text;
    REQUIRE(other.find(from) != std::string::npos);
    folder.write("r/stats.json", other.replace(other.find(from), from.size(), to));
    try {
      compare_text({folder.path() + "/r"});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  const std::string file = folder.path() + "/r/stats.json";
  CHECK(changed("\"cycles\": 100", "\"cycles\": [1]") ==
        file + ": summary.cycles: expected a number or null, found a list");
  CHECK(changed("\"exit_code\": 0", "\"exit_code\": \"0\"") ==
        file + ": run.exit_code: expected a whole number, found '0'");
  CHECK(changed("\"memory.bus\"", "\"memory.buss\"") ==
        file +
            ": ledger.loads.cycles.memory.buss: no place and cause of a ledger, as in noc.request_queue (did "
            "you mean 'bus'?)");
  CHECK(changed("\"memory.bus\"", "\"bus\"") ==
        file +
            ": ledger.loads.cycles.bus: no place and cause of a ledger, as in noc.request_queue (did you "
            "mean 'bus'?)");
  CHECK(changed("\"schema_version\": 2", "\"schema_version\": 3") ==
        file + ": schema_version: expected 2, found 3");
  CHECK(changed("\"schema_version\": 2", "\"schema_version\": 1") ==
        file + ": schema_version: written by an older version of Strata; this one reads 2: run it again");
  CHECK(changed("\"cycles\": 100", "\"cycles\": 1e999") == file + ": a number in it is too large");
  CHECK(changed("\"schema_version\": 2,", "\"schema_version\": ,") == file + ":3:20: not valid JSON here");
  CHECK(changed(text, "") == file + ":1:1: not valid JSON here");
}
