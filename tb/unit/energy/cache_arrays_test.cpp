#include "platforms/studies/energy/area_report.h"
#include "platforms/studies/energy/constants_files.h"
#include "platforms/studies/energy/machine_model.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

namespace {

ResolvedNetlist load(const char* platform, const std::vector<std::string>& settings = {}) {
  return Netlist::load(find_platform(platform), settings).resolve();
}

power::SramPower sram_of(const char* platform, const char* name, const std::vector<std::string>& settings) {
  const power::Constants table = load_constants();
  const MachineModel machine(load(platform, settings), table, {});
  for (const MachineModel::Group& group : machine.groups)
    if (group.name == name) return *group.sram;
  FAIL("no caches " << name);
  return {};
}

}  // namespace

// CACTI 7.0.3, 22 nm, sequential, ED^2, 256 bits, a port to read beside one for both: 0.036165 mm2 for 16 KiB
// of 4 ways, 0.067141 for 32 KiB. 40 x 0.067141 / (80 x 0.036165) = 0.928; DC-L1 paper, section VIII: 8 %
// less.
TEST_CASE("The caches of the DC-L1 paper are built of arrays of 256 bits with a port more to read") {
  const power::SramPower l1 = sram_of("hpca21/private_l1", "l1", {});
  const power::SramPower node = sram_of("hpca21/clustered_nodes", "node", {});
  CHECK(l1.area.nominal == Approx(0.036165).epsilon(0.01));
  CHECK(node.area.nominal == Approx(0.067141).epsilon(0.01));
  CHECK(40 * node.area.nominal / (80 * l1.area.nominal) == Approx(0.928).margin(0.01));
}

TEST_CASE("A line takes as many beats as its arrays are narrower, tags are looked up once") {
  power::SramShape shape;
  shape.bytes = 48 * 1024;
  shape.ways = 6;
  shape.line = 128;
  shape.out_bits = 256;
  shape.tags = power::TagAccess::sequential;
  const power::SramPower narrow = power::SramModel(load_constants())(shape);
  const power::SramPower stated = sram_of("isca19/shared", "l1", {"l1.array_bits=256"});
  CHECK(stated.area.nominal == narrow.area.nominal);
  CHECK(stated.leakage.nominal == narrow.leakage.nominal);
  CHECK(stated.read.nominal ==  // 1024 bits in four beats
        Approx(narrow.tags.nominal + 4 * (narrow.read.nominal - narrow.tags.nominal)));
  CHECK(stated.write.nominal ==
        Approx(narrow.tags.nominal + 4 * (narrow.write.nominal - narrow.tags.nominal)));
}

TEST_CASE("Without a word on arrays an L1 is what the constants say, and an LLC reads a line with one port") {
  const power::SramPower l1 = sram_of("isca19/shared", "l1", {});
  CHECK(sram_of("isca19/shared", "l1", {"l1.array_bits=1024", "l1.array_ports=1"}).area.nominal ==
        l1.area.nominal);
  CHECK(sram_of("isca19/shared", "l1", {"l1.array_ports=2"}).area.nominal > 1.5 * l1.area.nominal);
  const power::SramPower llc = sram_of("isca19/shared", "llc", {});
  CHECK(sram_of("isca19/shared", "llc", {"llc.array_bits=1024", "llc.array_ports=1"}).read.nominal ==
        llc.read.nominal);
  CHECK(sram_of("isca19/shared", "llc", {"llc.array_bits=256"}).area.nominal != llc.area.nominal);
}

TEST_CASE("Arrays are stated of caches alone, within bounds, and a run writes them down") {
  const auto refused = [](const std::string& setting, const std::string& why) {
    CHECK_THROWS_WITH(load("isca19/shared", {setting}), tb::has_text(why));
  };
  refused("l1.array_bits=100", "l1.array_bits: '100' is not a power of two");
  refused("l1.array_bits=8192", "l1.array_bits: '8192' is out of range");
  refused("l1.array_bits=16", "(nearest: 32)");
  refused("llc.array_ports=3",
          "llc.array_ports: '3' is out of range; allowed: 0, or 1 to 2 (ports) (nearest: 2)");
  refused("smr.array_bits=256", "smr.array_bits: no such key");
  CHECK_THAT(effective_configuration(load("isca19/shared", {"l1.array_bits=512"})),
             tb::has_text("array_bits: 512\n    array_ports: 0\n"));
  CHECK(effective_configuration(load("isca19/shared")).find("array_") == std::string::npos);
}
