#include "platforms/engine/timing_sets.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "models/dram_channel/dram_channel_params.h"
#include "models/memory_controller/memory_controller_params.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

namespace {

const std::vector<std::string> shipped{"platforms/machines/timing_sets"};

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

// A copy of gddr5 with one piece of text replaced.
std::string fault_of(const std::string& name, const std::string& from, const std::string& to) {
  std::string text = text_of("platforms/machines/timing_sets/gddr5.yaml");
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  std::string directory = (std::filesystem::temp_directory_path() / "strata-timing-XXXXXX").string();
  REQUIRE(mkdtemp(directory.data()) != nullptr);
  const std::string path = directory + "/" + name;
  std::ofstream(path) << text;
  std::string fault;
  try {
    load_timing_set_file(path);
  } catch (const ConfigError& error) {
    fault = error.what();
  }
  std::remove(path.c_str());
  std::remove(directory.c_str());
  return fault.find(path) == 0 ? fault.substr(path.size()) : fault;
}

}  // namespace

TEST_CASE("every timing set that Strata ships loads and is possible") {
  for (const std::string name :
       {"gddr5", "gddr5_isca19", "gddr6", "hbm2", "hbm2e", "hbm3", "hbm_bl2", "hbm_bl4", "hbm_selrep20"}) {
    const TimingSet set = load_timing_set(name, shipped);
    INFO(name);
    CHECK(set.name == name);
    CHECK(set.validate().empty());
    CHECK(set.banks() == 16);
    CHECK(set.nRC >= set.nRAS);
  }
  const TimingSet hbm = load_timing_set("hbm_bl4", shipped);
  CHECK(hbm.command_bus == CommandBus::dual);
  CHECK(hbm.clock.count == 586000000);
  CHECK(hbm.nRRDS == 4);
  CHECK(hbm.bytes_per_CAS == 64);
  CHECK(hbm.row_bytes == 2 * KiB);
}

// Peak bandwidth of a channel: bytes of a CAS every nBL cycles.
TEST_CASE("timing sets of standards have the bandwidth of their data rate") {
  const auto megabytes_per_second = [](const std::string& name) {
    const TimingSet set = load_timing_set(name, shipped);
    CHECK(set.nCCDS == set.nBL);  // consecutive bursts fill the bus
    return set.clock.count / 1000000 * static_cast<std::uint64_t>(set.bytes_per_CAS / set.nBL);
  };
  CHECK(megabytes_per_second("hbm2") == 64 / 8 * 2000);    // 64 pins at 2 Gb/s
  CHECK(megabytes_per_second("hbm2e") == 64 / 8 * 3200);   // 64 pins at 3.2 Gb/s
  CHECK(megabytes_per_second("hbm3") == 32 / 8 * 6400);    // 32 pins at 6.4 Gb/s
  CHECK(megabytes_per_second("gddr6") == 16 / 8 * 14000);  // 16 pins at 14 Gb/s
}

TEST_CASE("refresh times are optional, and 0 when a set gives none") {
  const TimingSet none = load_timing_set("hbm_bl4", shipped);
  CHECK(none.nREFI == 0);
  CHECK(none.nRFC == 0);
  CHECK(none.nRFCpb == 0);
  MemoryControllerParams params;
  params.timing_set = "hbm_bl4";
  params.refresh = RefreshPolicy::per_bank;
  REQUIRE(resolve_timing_set(params, shipped).empty());
  REQUIRE(params.validate().size() == 1);
  CHECK(params.validate()[0].message == "needs nREFI and nRFCpb, which timing set hbm_bl4 does not give");
  params.timing_set = "hbm3";
  REQUIRE(resolve_timing_set(params, shipped).empty());
  CHECK(params.validate().empty());
  params.timing.nREFI = params.timing.nRFCpb * 16;
  CHECK(params.validate()[0].message == "leaves no time beside the refreshes");
}

TEST_CASE("the built-in default is the file gddr5_isca19") {
  TimingSet file = load_timing_set("gddr5_isca19", shipped);
  TimingSet built_in;
  struct Values final : ParamVisitor {
    std::vector<std::uint64_t> all;
    void integer(const ParamInfo&, int& field, Range) override {
      all.push_back(static_cast<std::uint64_t>(field));
    }
    void bytes(const ParamInfo&, Bytes& field, Range) override { all.push_back(field); }
    void real(const ParamInfo&, double&, double, double) override {}
    void flag(const ParamInfo&, bool&) override {}
    void text(const ParamInfo&, std::string&) override {}
    void choice_index(const ParamInfo&, int& index, const std::vector<std::string>&) override {
      all.push_back(static_cast<std::uint64_t>(index));
    }
  };
  Values a;
  Values b;
  file.for_each_param(a);
  built_in.for_each_param(b);
  CHECK(a.all.size() == 27);
  CHECK(a.all == b.all);
  CHECK(file.clock.count == built_in.clock.count);
}

TEST_CASE("the parameters of a block get the set they name") {
  MemoryControllerParams controller;
  controller.timing_set = "hbm_bl2";
  CHECK_FALSE(controller.validate().empty());
  CHECK(resolve_timing_set(controller, shipped).empty());
  CHECK(controller.timing.bytes_per_CAS == 32);
  CHECK(controller.validate().empty());
  DramChannelParams channel;
  channel.timing_set = "hbm_b4";
  const Faults faults = resolve_timing_set(channel, shipped);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].where.file == "timing_set");
  CHECK(faults[0].message.find("did you mean 'hbm_bl4'?") != std::string::npos);
}

TEST_CASE("a bad timing set is refused with file, line and column") {
  CHECK(fault_of("a.yaml", "nFAW:", "nFAX:").find("unknown timing key 'nFAX' (did you mean 'nFAW'?)") !=
        std::string::npos);
  CHECK(fault_of("a.yaml", "nFAW:", "nFAX:").find("timing key 'nFAW' is missing") != std::string::npos);
  CHECK(fault_of("a.yaml", "[28,", "[-3,") ==
        ":12:19: 'nRAS' must be a whole number from 1 to 4096, not '-3'");
  CHECK(fault_of("a.yaml", "[28, \"ISCA19 Table 1: tRAS\"]", "28") ==
        ":12:19: 'nRAS' must read [value, \"where the value comes from\"]");
  CHECK(fault_of("a.yaml", "[single,", "[duel,").find("(did you mean 'dual'?)") != std::string::npos);
  CHECK(fault_of("a.yaml", "[924 MHz,", "[fast,").find("'clock' must be a frequency") != std::string::npos);
  CHECK(fault_of("a.yaml", "[40,", "[20,").find("nRC must be at least nRAS") != std::string::npos);
  CHECK_THROWS_AS(load_timing_set("ddr9", shipped), ConfigError);
  CHECK_THROWS_AS(load_timing_set_file("/nonexistent.yaml"), ConfigError);
}
