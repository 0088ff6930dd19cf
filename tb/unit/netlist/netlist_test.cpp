#include "platforms/engine/netlist/netlist.h"

#include <string>
#include <vector>

#include "models/tlm/port_base.h"
#include "platforms/engine/netlist/platform.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "tb/support/toy_modules.h"

namespace strata::tb {

// 4 sources with 2 sockets each through 2 routers of 4 x 3 to 6 sinks; both routers ask one controller.
inline const char* const good_netlist = R"(platform: toy
clocks: {core: 1400 MHz, noc: 1400 MHz}
address_map: {channels: 4, slices_per_channel: 2}
instances:
  src: {module: toy_source, count: 4}
  rtr: {module: toy_router, count: 2, inputs: src.outputs * 2, outputs: 3}
  snk: {module: toy_sink, count: rtr.count * rtr.outputs}
  ctl: {module: toy_control}
bind:
  - src[i].out[o] -> rtr[i / 2].in[i % 2 * src.outputs + o]
  - rtr[r].out[k] -> snk[r * rtr.outputs + k].in
  - rtr[r].control -> ctl.ask
)";

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

inline Faults faults_of(const std::string& path, const std::vector<std::string>& overrides = {}) {
  try {
    platforms::Netlist::load(path, overrides, toy_modules());
  } catch (const ConfigError& error) {
    return error.faults();
  }
  return {};
}

inline std::vector<std::string> texts(const Faults& faults, const TempFolder& folder) {
  std::vector<std::string> found;
  for (const Fault& fault : faults) {
    std::string text = to_text(fault);
    if (text.rfind(folder.path() + "/", 0) == 0) text = text.substr(folder.path().size() + 1);
    found.push_back(text);
  }
  return found;
}

/// Loads the toy netlist with one replacement and expects exactly one fault.
inline std::string only_fault(const std::string& from, const std::string& to,
                              const std::vector<std::string>& overrides = {}) {
  TempFolder folder;
  const std::string text = from.empty() ? std::string(good_netlist) : replaced(good_netlist, from, to);
  const std::vector<std::string> found = texts(faults_of(folder.write("t.yaml", text), overrides), folder);
  for (const std::string& fault : found) UNSCOPED_INFO(fault);
  REQUIRE(found.size() == 1);
  return found[0];
}

}  // namespace strata::tb

using namespace strata::tb;

using strata::ConfigError;
using strata::platforms::effective_configuration;
using strata::platforms::ElaborateOptions;
using strata::platforms::Netlist;
using strata::platforms::Platform;
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

// What is wrong with a netlist, and how it is said.

TEST_CASE("All faults of a netlist are reported at once, in the order of the file") {
  TempFolder folder;
  const std::string path = folder.write("bad.yaml", R"(platform: bad
clocks: {core: 1400, noc: 1 GHz}
adress_map: {}
instances:
  src: {module: toy_sauce, count: 4}
  rtr: {module: toy_router, inputs: 0, latencies: 3}
  snk: {module: toy_sink, count: 2}
bind:
  - src[i].out -> rtr[0].in[i]
  - rtr.out[k] -> snk[k].inn
)");
  const std::vector<std::string> found = texts(faults_of(path), folder);
  const std::vector<std::string> expected = {
      "bad.yaml:2:16: clocks.core: '1400' is not a frequency; allowed: 1 kHz to 100 GHz, with a unit (Hz, "
      "kHz, MHz, GHz)",
      "bad.yaml:3:1: 'adress_map': no such key (did you mean 'address_map'?)",
      "bad.yaml:5:17: src.module: no module 'toy_sauce' (did you mean 'toy_source'?)",
      "bad.yaml:6:37: rtr.inputs: '0' is out of range; allowed: 1 to 128 (sockets) (nearest: 1)",
      "bad.yaml:6:40: rtr.latencies: no such key (did you mean 'latency'?)",
      "bad.yaml:10:26: bind 'rtr.out[k] -> snk[k].inn': snk (toy_sink) has no socket 'inn' (did you mean "
      "'in'?)",
  };
  CHECK(found == expected);
}

TEST_CASE("Parameter faults name place, value, what is allowed and the nearest legal value") {
  const std::string source = "{module: toy_source, count: 4}";
  const auto with = [&](const std::string& param) {
    return only_fault(source, "{module: toy_source, count: 4, " + param + "}");
  };
  CHECK(with("wayz: 4") == "t.yaml:5:39: src.wayz: no such key (did you mean 'ways'?)");
  CHECK(with("zzzzzz: 4") ==
        "t.yaml:5:39: src.zzzzzz: no such key; allowed: outputs, size, ways, rate, random, order, label, "
        "module, "
        "count, clock, timing, ledger_place, link_mm");
  CHECK(with("ways: 12") ==
        "t.yaml:5:45: src.ways: '12' is not a power of two; allowed: 1 to 16, a power of two (ways) "
        "(nearest: 8)");
  CHECK(with("ways: 32") ==
        "t.yaml:5:45: src.ways: '32' is out of range; allowed: 1 to 16, a power of two (ways) (nearest: 16)");
  CHECK(with("ways: -1") ==
        "t.yaml:5:45: src.ways: '-1' is out of range; allowed: 1 to 16, a power of two (ways) (nearest: 1)");
  CHECK(with("ways: 4.5").find("'4.5' is not a whole number") != std::string::npos);
  CHECK(with("ways: four").find("'four' is neither a whole number nor an expression") != std::string::npos);
  CHECK(with("ways: 8 KiB").find("'8 KiB' has the wrong unit; give it in ways") != std::string::npos);
  CHECK(with("ways: 99999999999999999999").find("is not a whole number") != std::string::npos);
  CHECK(with("size: 48 MHz")
            .find("src.size: '48 MHz' has the wrong unit; allowed: 128 B to 1 MiB; units: B, KiB") !=
        std::string::npos);
  CHECK(with("size: 2 MiB").find("is out of range; allowed: 128 B to 1 MiB (bytes) (nearest: 1 MiB)") !=
        std::string::npos);
  CHECK(with("size: big").find("'big' is not a size") != std::string::npos);
  CHECK(with("size: 129").find("t.yaml:5:45: src.size: must be a multiple of ways") != std::string::npos);
  CHECK(with("rate: 1.5").find("'1.5' is out of range; allowed: 0 to 1 (requests per cycle) (nearest: 1)") !=
        std::string::npos);
  CHECK(with("rate: nan").find("is not a number") != std::string::npos);
  CHECK(with("random: yes").find("'yes' is no switch; allowed: true or false") != std::string::npos);
  CHECK(with("order: older")
            .find("'older' is no choice; allowed: round_robin, oldest (did you mean 'oldest'?)") !=
        std::string::npos);
  CHECK(with("timing: lt").find("src.timing: 'lt' - toy_source has no lt version; allowed: at") !=
        std::string::npos);
  CHECK(with("timing: fast").find("src.timing: 'fast'; allowed: at") != std::string::npos);
  CHECK(
      with("timing: rtl").find("src.timing: 'rtl' - RTL cannot take the place of toy_source; allowed: at") !=
      std::string::npos);
  CHECK(with("clock: cor").find("src.clock: no clock 'cor' (did you mean 'core'?)") != std::string::npos);
  CHECK(with("ways: [4]").find("t.yaml:5:45: src.ways: expected a single value, found a list") !=
        std::string::npos);
  CHECK(with("ways:").find("src.ways: expected a single value, found nothing") != std::string::npos);
  CHECK(with("ways: 4, ways: 8") == "t.yaml:5:48: src: key 'ways' appears twice");
  CHECK(with("ways: snk.counts")
            .find("refers to snk.counts, but snk has no parameter 'counts' (did you mean 'count'?)") !=
        std::string::npos);
  CHECK(with("ways: src.ways").find("that refers back to itself") != std::string::npos);
  CHECK(with("ways: 4 / (src.count - 4)").find("divides by zero or overflows") != std::string::npos);
  CHECK(with("ways: src.count * 9").find("(36) is out of range") != std::string::npos);
}

TEST_CASE("Binding faults name the ends and the loop values") {
  const std::string line = "src[i].out[o] -> rtr[i / 2].in[i % 2 * src.outputs + o]";
  const auto with = [&](const std::string& other) { return only_fault(line, other); };
  CHECK(with("src[i].out[o] -> rtr[i].in[o]")
            .find("t.yaml:10:26: bind 'src[i].out[o] -> rtr[i].in[o]': count mismatch: index 'i' runs over "
                  "the 4 of src, "
                  "but there are 2 of rtr") != std::string::npos);
  CHECK(with("src[i].out[o] -> rtr[i / 2].in[i * 2 + o]")
            .find("index out of range: rtr[1].in[i * 2 + o] becomes 4 (for i = 2, o = 0); rtr[1].in has 4 "
                  "sockets (0 to 3)") != std::string::npos);
  CHECK(with("src[i].out[o] -> rtr[i / 2].in[o - 1]").find("becomes -1 (for i = 0, o = 0)") !=
        std::string::npos);
  CHECK(with("src[i].out[o] -> rtr[i / 2].in[i / (o - 1)]")
            .find("divides by zero or overflows (for i = 0, o = 1)") != std::string::npos);
  CHECK(with("src[i].out -> rtr[i / 2].in[i % 2]")
            .find("src.out has 2 sockets: say which with an index, e.g. "
                  "src.out[i]") != std::string::npos);
  CHECK(with("src.out[o] -> rtr[0].in[o]").find("src has 4 instances: say which with an index") !=
        std::string::npos);
  CHECK(with("src[i].out[o] -> rtr[k / 2].in[i % 2 * 2 + o]")
            .find("the range of index 'k' cannot be determined") != std::string::npos);
  CHECK(with("src[i].out[o] -> rtr[i/2].in[0]")
            .find("index 'o' stands on the left only; one socket would be bound 2 "
                  "times") != std::string::npos);
  CHECK(with("src[snk/2].out[o] -> rtr[i/2].in[o + 0]")
            .find("'snk' is an instance, no number; snk.count is one") != std::string::npos);
  CHECK(with("src[i].out[o] -> rtr[i/2].in[o] for k in 0..3").find("unused index 'k'") != std::string::npos);
  CHECK(with("src[i].out[o] -> rtr[i/2].in[o] for i in 3..0").find("index 'i' runs over nothing: 3..0") !=
        std::string::npos);
  CHECK(with("rtr[i / 2].in[i % 2 * 2 + o] -> src[i].out[o]")
            .find("wrong direction: src.out is an initiator and rtr.in a target; write src[i].out[o] -> "
                  "rtr[i / 2].in[") != std::string::npos);
  CHECK(with("src[i].out[o] => rtr[i / 2].in[o]")
            .find("t.yaml:10:19: bind 'src[i].out[o] => rtr[i / 2].in[o]': "
                  "expected '->', found '='") != std::string::npos);
  CHECK(with("src[i].out[o] -> rtr[i / 2].in[o").find("expected ']', found the end") != std::string::npos);
  CHECK(with("src[i].out[o] -> rtr[].in[o]").find("expected a number, an index name or '(', found ']'") !=
        std::string::npos);
  CHECK(with("srk[i].out[o] -> rtr[i].in[o]").find("no instance 'srk' (did you mean 'src'?)") !=
        std::string::npos);
  CHECK(with("src[i].out[o] -> rtr[i / srk.count].in[o + 0]")
            .find("refers to srk.count, but there is no instance 'srk' "
                  "(did you mean 'src'?)") != std::string::npos);
  CHECK(only_fault("ctl.ask", "ctl.other")
            .find("t.yaml:12:5: bind 'rtr[r].control -> ctl.other': protocol mismatch: "
                  "rtr.control speaks 'toy', ctl.other 'gossip'") == 0);
  CHECK(only_fault("rtr[r].control -> ctl.ask", "ctl.ask -> rtr[r].control").find("wrong direction") !=
        std::string::npos);
  CHECK(only_fault("-> ctl.ask\n", "-> ctl.ask\n  - rtr[r].control -> snk[r].in\n")
            .find("wrong direction: a connection") != std::string::npos);
}

TEST_CASE("Unbound and doubly bound sockets are faults with both places") {
  CHECK(only_fault("  - rtr[r].out[k] -> snk[r * rtr.outputs + k].in\n",
                   "  - rtr[r].out[k] -> snk[r * rtr.outputs + k].in\n  - rtr[r].out[0] -> snk[r].spill\n")
            .find("wrong direction") != std::string::npos);
  CHECK(only_fault("  - rtr[r].control", "  - snk[r].spill -> snk[r].in for r in 1..1\n  - rtr[r].control") ==
        "t.yaml:12:5: bind 'snk[r].spill -> snk[r].in for r in 1..1': double binding: snk[1].in[0] is "
        "already bound by 'rtr[r].out[k] -> snk[r * rtr.outputs + k].in' in line 11");
  CHECK(only_fault("  - rtr[r].control -> ctl.ask\n", "") ==
        "t.yaml:8:3: unbound socket: ctl[0].ask[0] is bound to nothing");
  TempFolder folder;
  const std::string fewer = replaced(good_netlist, "+ k].in", "+ k].in for k in 0..1");
  CHECK(texts(faults_of(folder.write("t.yaml", fewer)), folder) ==
        std::vector<std::string>{
            "t.yaml:6:3: unbound socket: rtr[0].out[2] is bound to nothing (2 of the 6 sockets of rtr.out)",
            "t.yaml:7:3: unbound socket: snk[2].in[0] is bound to nothing (2 of the 6 sockets of snk.in)"});
}

TEST_CASE("Faults of --set name the option") {
  CHECK(only_fault("", "", {"src.wayz=8"}) ==
        "--set src.wayz=8: src.wayz: no such key (did you mean 'ways'?)");
  CHECK(only_fault("", "", {"srk.ways=8"}) == "--set srk.ways=8: no instance 'srk' (did you mean 'src'?)");
  CHECK(only_fault("", "", {"src[9].ways=8"})
            .find("src[9]: index out of range; src has 4 instances (0 to 3)") != std::string::npos);
  CHECK(only_fault("", "", {"src.ways"}).find("expected KEY=VALUE") != std::string::npos);
  CHECK(only_fault("", "", {"src=8"}).find("'src' names no parameter") != std::string::npos);
  CHECK(only_fault("", "", {"src[.ways=8"}).find("'src[.ways'") != std::string::npos);
  CHECK(only_fault("", "", {"clocks.core=fast"}).find("clocks.core: 'fast' is not a frequency") !=
        std::string::npos);
  CHECK(only_fault("", "", {"address_map.kind=pea"})
            .find("address_map.kind: 'pea' is no choice; allowed: bits, pae "
                  "(did you mean 'pae'?)") != std::string::npos);
  CHECK(only_fault("", "", {"run.sede=1"}).find("run.sede: no such key (did you mean 'seed'?)") !=
        std::string::npos);
  CHECK(only_fault("", "", {"src[1].count=1"}).find("src[1].count: no such key") != std::string::npos);
}

TEST_CASE("Files that are missing, are no YAML or extend each other in a circle are refused in words") {
  TempFolder folder;
  const auto fault = [&](const std::string& text) {
    const std::vector<std::string> found = texts(faults_of(folder.write("t.yaml", text)), folder);
    REQUIRE(!found.empty());
    return found[0];
  };
  CHECK(texts(faults_of(folder.path() + "/none.yaml"), folder).at(0).find("cannot read netlist '") == 0);
  CHECK(texts(faults_of(folder.path()), folder).at(0).find("is a directory") != std::string::npos);
  CHECK(fault("extends: none.yaml\n").find("t.yaml:1:10: cannot read netlist '") == 0);
  CHECK(fault("").find("is no netlist") != std::string::npos);
  CHECK(fault("- a\n- b\n").find("is no netlist") != std::string::npos);
  CHECK(fault("clocks:\n\tcore: 1 GHz\n").find("line 2 is indented with a tab") != std::string::npos);
  CHECK(fault("clocks: {core: 1 GHz\ninstances:\n").find("t.yaml:") == 0);
  CHECK(fault("clocks: {core: 1 GHz\n").find("a '{' is not closed") != std::string::npos);
  CHECK(fault("a: b: c\n").find("a ':' where no key can stand") != std::string::npos);
  CHECK(fault("clocks: 5\n").find("t.yaml:1:9: clocks: expected 'key: value' pairs, found '5'") == 0);
  CHECK(fault("bind: 5\n").find("bind: expected a list") != std::string::npos);
  CHECK(fault("clocks: {}\nclocks: {}\n").find("t.yaml:2:1: netlist: key 'clocks' appears twice") == 0);
  CHECK(fault("platform: a\n---\nplatform: b\n").find("one YAML document") != std::string::npos);
  CHECK(fault("instances: {clocks: {module: toy_sink}}\n").find("the name is reserved") != std::string::npos);
  CHECK(fault("instances: {snk: ~}\n").find("instance 'snk' has no keys") != std::string::npos);
  CHECK(fault("instances: {snk-1: {module: toy_sink}}\n").find("instance 'snk-1'") != std::string::npos);
  folder.write("other.yaml", "extends: t.yaml\n");
  const std::string circle = fault("extends: other.yaml\n");
  CHECK(circle.find("other.yaml:1:10: extends: the files extend each other in a circle") == 0);
}

TEST_CASE("Cross checks: the core clock, default clocks and what the address map can name") {
  CHECK(only_fault("{core: 1400 MHz, noc: 1400 MHz}", "{core: 1400 MHz}")
            .find("t.yaml:6:3: rtr runs on the clock 'noc', which 'clocks' does not define") == 0);
  TempFolder folder;
  const std::string no_core = replaced(good_netlist, "{core: 1400 MHz, noc: 1400 MHz}", "{noc: 1400 MHz}");
  bool found = false;
  for (const std::string& text : texts(faults_of(folder.write("t.yaml", no_core)), folder))
    found = found || text.find("'core' is missing") != std::string::npos;
  CHECK(found);
}
