#include "platforms/report/explain.h"

#include <algorithm>

#include "tb/support/catch.h"
#include "tb/support/toy_modules.h"

using strata::ConfigError;
using strata::platforms::InstanceName;
using strata::tb::has_text;
using strata::tb::toy_modules;

namespace {

std::string explain(const std::string& name) {
  static const std::vector<InstanceName> instances = {{"snk", "toy_sink", {"a", "b"}}};
  try {
    return strata::platforms::explain(name, toy_modules(), instances);
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("explain finds parameters, statistics and ledger causes, or the nearest name") {
  CHECK_THAT(
      explain("latency"),
      has_text("parameter toy_router.latency: pipeline depth\n  default 4; allowed: 1 to 1000 (cycles)\n") &&
          has_text("word latency: cycles from the issue"));
  CHECK(explain("toy_sink.requests") ==
        "counter toy_sink.requests: requests that came\n  unit: requests\n  law: requests >= 0\n");
  CHECK_THAT(explain("address_map.partition"), has_text("parameter address_map.partition: contiguous bytes"));
  CHECK_THAT(explain("conflict"), has_text("ledger cause conflict: closing another DRAM row"));
  CHECK_THAT(explain("conflict"), has_text("charged at: memory\n"));
  CHECK_THAT(explain("merge"), has_text("charged at: l1, llc\n"));
  CHECK_THAT(explain("llc.merge"), has_text("ledger cause merge: waiting for a fill"));
  CHECK(explain("memory.conflict") == explain("conflict"));
  CHECK(explain("noc1.reply_link") == explain("reply_link"));  // a place of somebody's netlist
  CHECK_THAT(explain("ledger_place"),
             has_text("instance key ledger_place: the place at which ledgers charge"));
  CHECK_THAT(explain("toy_sink.conflict"), has_text("nothing is called 'toy_sink.conflict'"));
  CHECK_THAT(explain("snk.conflict"), has_text("'snk' is of the module toy_sink, which has no 'conflict'"));
  CHECK_THAT(explain("toy_sink"), has_text("module toy_sink: takes requests"));
  CHECK_THAT(explain("ipc"), has_text("figure summary.ipc: "));
  CHECK_THAT(explain("latencie"), has_text("did you mean 'latency'?"));
  CHECK_THAT(explain("toy_sink.latency"), has_text("did you mean 'latency'?"));
}

TEST_CASE("explain knows instances and their parameters by the names of --set, in whatever capitals") {
  CHECK_THAT(explain("snk"), has_text("module toy_sink: takes requests"));
  CHECK_THAT(explain("snk"), has_text("  snk is an instance of toy_sink in a and 1 other platform\n"));
  CHECK(explain("SNK[3]") == explain("snk"));
  CHECK_THAT(explain("snk.requests"), has_text("counter toy_sink.requests: requests that came"));
  CHECK(explain("snk.requestz") ==
        "'snk' is of the module toy_sink, which has no 'requestz' (did you mean 'requests'?)");
  CHECK(explain("IPC") == explain("ipc"));
}

TEST_CASE("explain finds choices of parameters, then whatever speaks of a word") {
  CHECK_THAT(explain("oldest"), has_text("oldest is a choice of the parameter toy_source.order: "));
  CHECK_THAT(explain("depth"), has_text("nothing is called 'depth', but these mention it:\n"));
  CHECK_THAT(explain("depth"), has_text("  parameter toy_router.latency: pipeline depth\n"));
  CHECK_THAT(explain("hit"), has_text("  figure summary.l1_hit_rate: "));
  CHECK_THAT(explain("zzzzzz"), has_text("nothing is called 'zzzzzz'; known are"));
}

TEST_CASE("the platforms that Strata comes with can be loaded for their names") {
  const auto names = strata::platforms::instance_names();
  const auto llc = std::find_if(names.begin(), names.end(), [](const auto& n) { return n.name == "llc"; });
  REQUIRE(llc != names.end());
  CHECK(llc->module == "llc_slice");
  CHECK(std::find(llc->platforms.begin(), llc->platforms.end(), "tiny") != llc->platforms.end());
}
