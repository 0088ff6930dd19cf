#include "platforms/studies/energy/machine_figures.h"

#include "platforms/studies/energy/area_report.h"
#include "platforms/studies/energy/constants_files.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

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

// docs/blocks/l1-tag-split.md: 4736 bits more than a plain cache with a rank of two bits a line. That of ours
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
