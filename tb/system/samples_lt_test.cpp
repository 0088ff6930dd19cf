// Sample traces in lt against the same in at: alike with one access at a time, within bounds under load.
#include "tb/system/sample_results.h"

using strata::tb::Results;
using strata::tb::run;

namespace {

/// A gated router holds a whole packet in lt, and a flit or two in at: whom it holds is its own there.
nlohmann::json comparable(nlohmann::json counters) {
  if (counters.value("gated_cycles", 0) == 0) return counters;
  for (const char* own : {"requests_held", "replies_held"}) counters.erase(own);
  return counters;
}

void check_same(const std::string& platform, const std::string& trace, const std::string& options) {
  INFO(platform << " " << trace << " " << options);
  const Results at = run(platform, trace);
  const Results lt = run(platform, trace, options);
  CHECK(lt["summary"]["cycles"] == at["summary"]["cycles"]);
  CHECK(lt["ledger"] == at["ledger"]);
  for (const auto& item : at["instances"].items()) {
    INFO(item.key());
    CHECK(comparable(item.value().at("counters")) ==
          comparable(lt["instances"].at(item.key()).at("counters")));
  }
}

/// All requests go where they go in at, and take about as long: what docs/methods/lt.md promises at worst.
void check_near(const std::string& platform, const std::string& trace, const std::string& options,
                const std::string& both = "") {
  INFO(platform << " " << trace << " " << options << both);
  const Results at = run(platform, trace, both);
  const Results lt = run(platform, trace, options + both);
  for (const char* what : {"line_accesses", "l1_accesses"}) CHECK(lt["summary"][what] == at["summary"][what]);
  const auto ratio = [&](const char* what) {
    return lt["summary"][what].get<double>() / at["summary"][what].get<double>();
  };
  CHECK(ratio("cycles") == Approx(1).epsilon(0.15));
  CHECK(ratio("mean_latency") == Approx(1).epsilon(0.2));
}

}  // namespace

TEST_CASE("One access at a time is the same in at and lt, in every counter and ledger") {
  for (const char* platform : {"tiny", "isca19/shared", "isca19/private", "isca19/full_crossbar"})
    check_same(platform, "chase_8K", "--timing lt");
}

TEST_CASE("Under load lt takes about as long as at") {
  for (const char* platform : {"isca19/shared", "isca19/private", "isca19/full_crossbar"})
    for (const char* trace : {"hotline_l1", "hotline_l2", "vectoradd_640"})
      check_near(platform, trace, "--timing lt");
}

TEST_CASE("A platform of which a part is at, or that is checked, takes about as long") {
  for (const char* options :
       {"--set smr.timing=lt", "--set mcr.timing=lt --check-protocol", "--timing lt --set l1.timing=at",
        "--timing lt --set mcr[0].timing=at", "--timing lt --check-protocol"})
    check_near("isca19/shared", "vectoradd_160", options);
}

TEST_CASE("Routers of packets in lt meet those of flits") {
  for (const char* trace : {"hotline_l2", "vectoradd_160"})
    check_near("isca19/shared", trace, "--timing lt --check-protocol", " --set mcr.flit_exact=true");
}

TEST_CASE("Sampling does not change what an lt run does") {
  const Results often = run("isca19/private", "hotline_l1", "--timing lt --epoch 7");
  const Results seldom = run("isca19/private", "hotline_l1", "--timing lt --epoch 100000");
  CHECK(often["digest"] == seldom["digest"]);
}
