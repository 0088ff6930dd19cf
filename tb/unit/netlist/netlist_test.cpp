#include "platforms/engine/netlist/netlist.h"

#include "models/tlm/port_base.h"
#include "platforms/engine/netlist/platform.h"
#include "tb/support/catch.h"
#include "tb/support/toy_modules.h"
#include "tb/unit/netlist/toy_netlist.h"

using namespace strata::tb;

using strata::platforms::effective_configuration;
using strata::platforms::Netlist;
using strata::platforms::ResolvedConnection;
using strata::platforms::ResolvedNetlist;

namespace {

std::vector<std::string> connections(const ResolvedNetlist& netlist) {
  std::vector<std::string> lines;
  for (const ResolvedConnection& c : netlist.connections)
    lines.push_back(netlist.text(c.from) + " -> " + netlist.text(c.to));
  return lines;
}

}  // namespace

TEST_CASE("`every` sets parameters of all instances of a module, wherever its file stands") {
  TempFolder folder;
  const std::string platform = folder.write("t.yaml", good_netlist);
  const std::string change = folder.write("change.yaml", "every: {toy_router: {latency: 7}}\n");
  const std::string back = folder.write("back.yaml", "instances: {rtr: {latency: 3}}\n");
  const auto latency = [](const ResolvedNetlist& netlist) {
    const std::string text = effective_configuration(netlist);
    const std::size_t at = text.find("latency: ");
    return at == std::string::npos ? std::string() : text.substr(at + 9, 1);
  };
  CHECK(latency(Netlist::load({platform, change}, {}, toy_modules()).resolve()) == "7");
  CHECK(latency(Netlist::load({platform, change, back}, {}, toy_modules()).resolve()) == "3");
  CHECK(only_fault("bind:", "every: {toy_routr: {latency: 7}}\nbind:") ==
        "t.yaml:9:9: every: no instance is a 'toy_routr' (did you mean 'toy_router'?)");
}

TEST_CASE("A netlist resolves counts, parameters and connections") {
  TempFolder folder;
  const ResolvedNetlist netlist =
      Netlist::load(folder.write("t.yaml", good_netlist), {}, toy_modules()).resolve();
  CHECK(netlist.title == "toy");
  REQUIRE(netlist.groups.size() == 4);
  CHECK(netlist.groups[1].members[0].ports->at(0).count == 4);  // inputs: 2 sockets x 2
  CHECK(netlist.groups[2].count() == 6);                        // 2 routers x 3 outputs
  const std::vector<std::string> lines = connections(netlist);
  REQUIRE(lines.size() == 8 + 6 + 2);
  CHECK(lines[0] == "src[0].out[0] -> rtr[0].in[0]");
  CHECK(lines[7] == "src[3].out[1] -> rtr[1].in[3]");
  CHECK(lines[12] == "rtr[1].out[1] -> snk[4].in[0]");
  CHECK(lines[15] == "rtr[1].control[0] -> ctl[0].ask[0]");
}

TEST_CASE("A netlist made in C++ equals the one read from YAML") {
  TempFolder folder;
  const ResolvedNetlist read =
      Netlist::load(folder.write("t.yaml", good_netlist), {}, toy_modules()).resolve();
  Netlist made("toy", toy_modules());
  made.add_clock("core", "1400 MHz").add_clock("noc", strata::Hertz{1'400'000'000});
  made.set_param("address_map.channels", 4).set_param("address_map.slices_per_channel", 2);
  made.add_instance("src", "toy_source", 4)
      .add_instance("rtr", "toy_router", 2)
      .add_instance("snk", "toy_sink", 6);
  made.add_instance("ctl", "toy_control").set_param("rtr.inputs", 4).set_param("rtr.outputs", 3);
  made.bind("src[i].out[o] -> rtr[i / 2].in[i % 2 * src.outputs + o]");
  made.bind("rtr[r].out[k] -> snk[r * rtr.outputs + k].in").bind("rtr[r].control -> ctl.ask");
  CHECK(made.check().empty());
  CHECK(effective_configuration(made.resolve()) == effective_configuration(read));
  CHECK(connections(made.resolve()) == connections(read));
}

TEST_CASE("The effective configuration loads to the same platform") {
  TempFolder folder;
  const std::vector<std::string> sets = {"src[1].size=64 KiB", "src[2..3].ways=8", "src.label=a \"b\": #c",
                                         "src.rate=0.1",       "src.order=oldest", "run.seed=7"};
  const ResolvedNetlist first =
      Netlist::load(folder.write("t.yaml", good_netlist), sets, toy_modules()).resolve();
  const std::string dump = effective_configuration(first);
  const ResolvedNetlist second = Netlist::load(folder.write("dump.yaml", dump), {}, toy_modules()).resolve();
  CHECK(effective_configuration(second) == dump);
  CHECK(connections(second) == connections(first));
  CHECK(second.run.seed == 7U);
  CHECK(dump.find("src[1]:\n    size: 64 KiB\n") != std::string::npos);
  CHECK(dump.find("src[3]:\n    ways: 8\n") != std::string::npos);
  CHECK(dump.find("rate: 0.1\n") != std::string::npos);
}

TEST_CASE("A file that extends another overrides key by key and replaces the bindings") {
  TempFolder folder;
  folder.write("base/t.yaml", good_netlist);
  const std::string derived = folder.write("derived.yaml", R"(platform: derived
extends: base/t.yaml
clocks: {noc: 700 MHz}
instances:
  rtr: {latency: 9}
  src[3]: {ways: 16}
  ctl: ~
bind:
  - src[i].out[o] -> rtr[i / 2].in[i % 2 * src.outputs + o]
  - rtr[r].out[k] -> snk[r * rtr.outputs + k].in
)");
  const ResolvedNetlist netlist = Netlist::load(derived, {"rtr[1].latency=10"}, toy_modules()).resolve();
  const std::string dump = effective_configuration(netlist);
  CHECK(netlist.title == "derived");
  CHECK(netlist.groups.size() == 3);
  CHECK(netlist.connections.size() == 14);
  CHECK(dump.find("core: 1400 MHz\n  noc: 700 MHz") != std::string::npos);
  CHECK(dump.find("latency: 9\n  rtr[1]:\n    latency: 10\n") != std::string::npos);
  CHECK(dump.find("src[3]:\n    ways: 16\n") != std::string::npos);
}

TEST_CASE("bind+ adds to the bindings of the extended file and a list of files is read in order") {
  TempFolder folder;
  folder.write("t.yaml", replaced(good_netlist, "  - rtr[r].control -> ctl.ask\n", ""));
  folder.write("more.yaml", "instances: {rtr: {latency: 7}, src: {ways: 2}}\n");
  const std::string derived = folder.write("derived.yaml",
                                           "extends: [t.yaml, more.yaml]\ninstances: {src: {ways: 1}}\n"
                                           "bind+:\n  - \"rtr[r].control -> ctl.ask\"\n");
  const ResolvedNetlist netlist = Netlist::load(derived, {}, toy_modules()).resolve();
  const std::string dump = effective_configuration(netlist);
  CHECK(netlist.connections.size() == 16);
  CHECK(dump.find("latency: 7\n") != std::string::npos);
  CHECK(dump.find("ways: 1\n") != std::string::npos);
}

TEST_CASE("Another module keeps the inherited parameters that it knows") {
  TempFolder folder;
  folder.write("t.yaml", replaced(good_netlist, "count: 4}", "count: 4, ways: 8}"));
  const std::string derived = folder.write(
      "derived.yaml", "extends: t.yaml\ninstances: {src: {module: toy_router, inputs: 1}}\nbind: []\n");
  const std::vector<std::string> found = texts(faults_of(derived), folder);
  for (const std::string& fault : found) CHECK(fault.find("ways") == std::string::npos);
  const std::string wrong = folder.write(
      "wrong.yaml", "extends: t.yaml\ninstances: {src: {module: toy_router, wayz: 1}}\nbind: []\n");
  CHECK(texts(faults_of(wrong), folder).at(0).find("src.wayz: no such key") != std::string::npos);
}

TEST_CASE("A unit that is right is accepted behind a whole number") {
  TempFolder folder;
  const std::string text = replaced(good_netlist, "outputs: 3}", "outputs: 3, latency: 12 cycles}");
  CHECK(faults_of(folder.write("t.yaml", text)).empty());
}

using strata::ConfigError;
using strata::platforms::ElaborateOptions;
using strata::platforms::Netlist;
using strata::platforms::Platform;
using strata::tb::toy_modules;

namespace {

Netlist toy() {
  Netlist netlist("toy", toy_modules());
  netlist.add_clock("noc", "1400 MHz").add_clock("core", "1400 MHz").add_clock("dram", "924 MHz");
  netlist.add_instance("src", "toy_source", 2)
      .add_instance("rtr", "toy_router")
      .add_instance("snk", "toy_sink", 3);
  netlist.add_instance("ctl", "toy_control").set_param("snk.clock", "dram");
  netlist.set_param("rtr.inputs", "src.count * src.outputs").set_param("rtr.outputs", "snk.count");
  netlist.bind("src[i].out[o] -> rtr.in[i * src.outputs + o]").bind("rtr.out[k] -> snk[k].in");
  netlist.bind("rtr.control -> ctl.ask");
  return netlist;
}

}  // namespace

TEST_CASE("A platform has its modules in netlist order, bound, on shared clock domains") {
  Platform platform(toy(), ElaborateOptions{});
  platform.finish_elaboration();
  REQUIRE(platform.instances().size() == 7);
  CHECK(platform.instances()[1].full_name() == "src[1]");
  CHECK(std::string(platform.instances()[1].block->name()) == "src[1]");
  CHECK(platform.of_kind("toy_sink").size() == 3);
  // noc and core run at the same frequency: one domain under two names; dram has its own.
  REQUIRE(platform.named_clocks().size() == 3);
  CHECK(platform.clocks().size() == 2);
  CHECK(&platform.core_clock() == platform.clocks()[0]);
  CHECK(&platform.of_kind("toy_router")[0].block->clock() == &platform.core_clock());
  CHECK(&platform.of_kind("toy_sink")[0].block->clock() == platform.clocks()[1]);
  CHECK(platform.address_map().channels() == 8);
  auto& control = dynamic_cast<strata::Block&>(*platform.of_kind("toy_router")[0].block);
  CHECK(control.ports().size() == 4 + 3 + 1);
  CHECK(platform.protocol_violations() == 0);
}

TEST_CASE("A platform with a faulty netlist is not built") {
  Netlist netlist = toy();
  netlist.bind("rtr.out[0] -> snk[0].in");
  CHECK_THROWS_AS(Platform(netlist, ElaborateOptions{}), ConfigError);
  CHECK(sc_core::sc_get_top_level_objects().empty());
}

TEST_CASE("A second platform in one process is refused in words") {
  Platform platform(toy(), ElaborateOptions{});
  platform.finish_elaboration();
  try {
    Platform second(toy(), ElaborateOptions{});
    FAIL("no fault");
  } catch (const ConfigError& error) {
    CHECK(std::string(error.what()).find("one platform only") != std::string::npos);
  }
}
