// What is wrong with a netlist, and how it is said.
#include "platforms/engine/netlist/netlist.h"
#include "tb/unit/netlist/toy_netlist.h"

using namespace strata::tb;

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
