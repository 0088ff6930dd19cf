#include "platforms/energy/machine_figures.h"

#include "platforms/energy/area_report.h"
#include "platforms/energy/constants_files.h"
#include "platforms/netlist/data_folders.h"
#include "platforms/netlist/netlist.h"
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
  // 40 nodes with 16 lines of 128 B each, 0.0028 mm2: a share of 32 KiB as large as that of their bits, 2 /
  // 32
  CHECK(figures.at("area.queues").nominal == Approx(40 * 0.0028).epsilon(0.02));
  CHECK(figures.at("area.queues").nominal / figures.at("area.l1s").nominal == Approx(0.0625).margin(0.01));
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

// docs/l1-tag-split.md: 4736 bits more than a plain cache with a rank of two bits a line. That of ours has 5
// bits for a set of 4 ways instead of 8: 32 x 3 bits fewer or more.
TEST_CASE("Tags of a tag-split L1 are as many bits more as its table says") {
  CHECK(8192 * difference("tags.storage") == Approx(4736).margin(32 * 3 + 64));
  CHECK(difference("tags.area") > 0);
  CHECK(difference("tags.area", 45) / difference("tags.area") == Approx(3.5));  // technology.area_45nm
  CHECK(difference("tags.leakage", 45) / difference("tags.leakage") == Approx(8.2));
  CHECK(difference("tags.energy", 45) / difference("tags.energy") == Approx(3.4));
}
