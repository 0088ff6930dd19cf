#include "models/common/own_figures_if.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/studies/energy/area_report.h"
#include "platforms/studies/energy/energy_report.h"
#include "platforms/studies/energy/machine_figures.h"
#include "platforms/studies/energy/machine_model.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

namespace {

struct TheirParams final : ParamSet, OwnFiguresParams {
  OwnFigures figures;
  void for_each_param(ParamVisitor&) override {}
  OwnFigures own_figures() const override { return figures; }
};

const OwnFigures theirs = {{"accepted", 4, 5, 6, "pJ", "their data sheet", "measured"},
                           {"static", 2, 2, 2, "mW", "their data sheet", "quoted"},
                           {"area", 0.5, 0.5, 0.5, "mm2", "their layout", "measured"}};

/// isca19/shared, whose memory controllers say what they cost.
ResolvedNetlist machine_with(const OwnFigures& figures) {
  ResolvedNetlist netlist = Netlist::load(find_platform("isca19/shared")).resolve();
  for (ResolvedGroup& group : netlist.groups)
    if (group.name == "mc") {
      auto params = std::make_shared<TheirParams>();
      params->figures = figures;
      group.base.params = params;
    }
  return netlist;
}

MachineModel model_of(const OwnFigures& figures, const power::Constants& table = load_constants()) {
  return MachineModel(machine_with(figures), table, {});
}

}  // namespace

TEST_CASE("A module's own figures are counted: joules for each count, watts all the time, room") {
  const MachineModel machine = model_of(theirs);
  CHECK(machine.uncounted == std::vector<std::string>{"cta (cta_dispatcher): no figures"});
  const std::vector<CountedInstance> one = {{"mc[0]", "memory_controller", {{"accepted", 7}}}};
  const power::Interval joules = energy_of(machine, one, 1400, 1400'000'000.0).total();  // 1 us
  CHECK(joules.low == Approx(7 * 4e-12 + 2e-9));
  CHECK(joules.nominal == Approx(7 * 5e-12 + 2e-9));
  CHECK(joules.high == Approx(7 * 6e-12 + 2e-9));
  double mm2 = 0;
  for (const PartArea& part : area_of(machine))
    if (part.name == "mc") mm2 += part.area.nominal;
  CHECK(mm2 == Approx(8 * 0.5));
}

TEST_CASE("A file of constants goes before what a module says of itself") {
  power::Constants table = load_constants();
  table.set("module.memory_controller.accepted", {power::exactly(9), "pJ", "a user", "measured", {}});
  CHECK(model_of(theirs, table).constants.value("module.memory_controller.accepted").nominal == 9);
  CHECK(model_of(theirs, table).constants.value("module.memory_controller.static").nominal == 2);
}

TEST_CASE("A figure without unit or source, in another unit, or of a counter that is not there is refused") {
  const auto refused = [](const OwnFigure& figure, const char* why) {
    INFO(why);
    CHECK_THROWS_WITH(model_of({figure}), tb::has_text(why));
    CHECK_THROWS_WITH(model_of({figure}), tb::has_text("the declaration of memory_controller"));
  };
  refused({"accepted", 4, 5, 6, "", "a", "b"}, "its figure of 'accepted' has no unit");
  refused({"accepted", 4, 5, 6, "pJ", "", "b"}, "its figure of 'accepted' has no `source`");
  refused({"accepted", 4, 5, 6, "nJ", "a", "b"}, "is in nJ; the model takes it in pJ");
  refused({"accepted", 6, 5, 4, "pJ", "a", "b"}, "values out of order");
  refused({"area", -1, -1, -1, "mm2", "a", "b"}, "is negative");
  refused({"acepted", 4, 5, 6, "pJ", "a", "b"},
          "memory_controller has no counter 'acepted' (did you mean 'accepted'?)");
  power::Constants table = load_constants();  // the same of a file's rows
  table.set("module.llc_slice.read_hit",
            {power::exactly(9), "pJ", "a user", "measured", {"mine.yaml", 3, 1}});
  CHECK_THROWS_WITH(model_of({}, table), tb::has_text("mine.yaml:3:1: constant module.llc_slice.read_hit"));
}

namespace {

std::map<std::string, power::Interval> figures_of(const std::string& platform, double nanometres = 22) {
  static const power::Constants constants = load_constants();
  const ResolvedNetlist netlist = Netlist::load(find_platform(platform)).resolve();
  power::Technology technology;
  technology.nanometres = nanometres;
  return machine_figures(netlist, MachineModel(netlist, constants, technology));
}

double difference(const std::string& figure, double nanometres = 22) {
  return figures_of("tsc16/tsc", nanometres).at(figure).nominal -
         figures_of("tsc16/baseline", nanometres).at(figure).nominal;
}

}  // namespace

TEST_CASE("Every figure of a machine is there, and areas are those of its parts") {
  const auto figures = figures_of("hpca21/private_nodes");
  for (const std::string& name : machine_figure_names()) {
    INFO(name);
    CHECK(figures.at(name).low > 0);
    CHECK(figures.at(name).high >= figures.at(name).low);
  }
  // 40 nodes with 16 lines of 128 B each, 0.0028 mm2: 2 of 32 KiB, beside 0.067141 mm2 of CACTI
  CHECK(figures.at("area.queues").nominal == Approx(40 * 0.0028).epsilon(0.02));
  CHECK(figures.at("area.queues").nominal / figures.at("area.l1s").nominal ==
        Approx(0.0028 / 0.067141).margin(0.002));
  CHECK(figures_of("hpca21/private_l1").at("area.queues").nominal == 0);
}

TEST_CASE("Leakage of a network is that of its routers and links") {
  const power::Constants constants = load_constants();
  const ResolvedNetlist netlist = Netlist::load(find_platform("hpca21/private_l1")).resolve();
  const MachineModel machine(netlist, constants, {});
  const MachineModel::Group& n2 = *machine.group("n2");
  // One crossbar of 80 x 32, both ways; 80 links in and 32 out, there and back.
  const double milliwatts = n2.router->request.leakage().nominal + n2.router->reply.leakage().nominal +
                            2 * 80 * n2.in->link.leakage.nominal + 2 * 32 * n2.out->link.leakage.nominal;
  CHECK(machine_figures(netlist, machine).at("static.noc").nominal == Approx(1e-3 * milliwatts));
}

// Rows of tb/data/power/dsent_fmax_22nm.csv: 8 x 4 reaches 3390 MHz, 10 x 8 the least of this machine: 2825.
TEST_CASE("The clock of a network is that of its slowest router") {
  CHECK(figures_of("hpca21/clustered_nodes").at("clock.noc").nominal == Approx(2825.3).epsilon(0.08));
  CHECK(figures_of("hpca21/shared_nodes").at("clock.noc").nominal < 700);  // 80 x 40
}

// docs/blocks/l1-tag-split.md: 4736 bits more than a plain cache with a rank of two bits a line. Strata's
// has 5 bits for a set of 4 ways instead of 8: 32 x 3 bits fewer or more.
TEST_CASE("Tags of a tag-split L1 are as many bits more as its table says") {
  CHECK(8192 * difference("tags.storage") == Approx(4736).margin(32 * 3 + 64));
  CHECK(difference("tags.area") > 0);
  CHECK(difference("tags.area", 45) / difference("tags.area") == Approx(3.5));  // technology.area_45nm
  CHECK(difference("tags.leakage", 45) / difference("tags.leakage") == Approx(8.2));
  CHECK(difference("tags.energy", 45) / difference("tags.energy") == Approx(3.4));
}

// What stands in the area of an L1 is the same difference: its sets lie in rows.
TEST_CASE("Tags beyond a plain cache's take what the tags of both do, less one another") {
  const power::Constants constants = load_constants();
  const MachineModel machine(Netlist::load(find_platform("tsc16/tsc")).resolve(), constants, {});
  double added = 0;
  for (const PartArea& part : area_of(machine))
    if (part.part == "tags beyond a plain cache's") added = part.area.nominal / machine.group("l1")->count;
  CHECK(added == Approx(difference("tags.area")).epsilon(0.05));
}

// DC-L1 paper, Figures 6 and 12, against 80 x 32. Sh40 has 71 % more buffers, 75 % more crossbars and 66 %
// more allocators: no mix of them leaks 57 % more, but with short links in NoC#1.
TEST_CASE("With the links that the DC-L1 paper states, static power changes as it says") {
  const auto change = [](const char* platform) {
    return 100 * (figures_of(platform).at("static.noc").nominal /
                      figures_of("hpca21/private_l1").at("static.noc").nominal -
                  1);
  };
  CHECK(change("hpca21/private_nodes") == Approx(-4).margin(3));
  CHECK(change("hpca21/shared_nodes") == Approx(57).margin(3));
  CHECK(change("hpca21/clustered_nodes") == Approx(-16).margin(3));
}

// Rows of tb/data/power/cacti_22nm.csv: 2 x 16 against 32 KiB with 4 ways and 1024 bits at once, and with 256
// bits and a port to read.
TEST_CASE("What two small L1s take against a large one is a matter of their ports") {
  const auto change = [](const char* value) {
    power::Constants constants = load_constants();
    for (const char* name : {"l1.beats", "l1.read_ports"}) {
      power::Constant row = constants.rows().at(name);
      row.value = power::exactly(std::string(value) == "high" ? row.value.high : row.value.nominal);
      constants.set(name, row);
    }
    const auto area = [&constants](const char* platform, const std::string& caches) {
      const ResolvedNetlist netlist =
          Netlist::load(find_platform(platform), {caches + ".array_bits=0", caches + ".array_ports=0"})
              .resolve();
      return machine_figures(netlist, MachineModel(netlist, constants, {})).at("area.l1s").nominal;
    };
    return 100 * (area("hpca21/private_nodes", "node") / area("hpca21/private_l1", "l1") - 1);
  };
  CHECK(change("nominal") == Approx(-36).margin(2));
  CHECK(change("high") == Approx(-7).margin(2));
}

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
