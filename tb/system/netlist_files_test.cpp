// Every netlist that Strata comes with: loads without faults, survives its own dump, and elaborates.
#include <algorithm>
#include <filesystem>

#include "platforms/engine/netlist/catalog.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/drawing.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/engine/netlist/platform.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

using strata::ConfigError;
using strata::platforms::effective_configuration;
using strata::platforms::ElaborateOptions;
using strata::platforms::find_platform;
using strata::platforms::Netlist;
using strata::platforms::ParamValues;
using strata::platforms::Platform;
using strata::platforms::platform_names;
using strata::platforms::ResolvedConnection;
using strata::platforms::ResolvedGroup;
using strata::platforms::ResolvedNetlist;
using strata::tb::TempFolder;

namespace {

ResolvedNetlist resolved(const std::string& name, const std::vector<std::string>& sets = {}) {
  return Netlist::load(find_platform(name), sets).resolve();
}

int count_of(const ResolvedNetlist& netlist, const std::string& name) {
  for (const auto& group : netlist.groups)
    if (group.name == name) return group.count();
  return 0;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Messages of a netlist that extends isca19/shared with `text`, or of `sets` on it.
std::string faults_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  TempFolder folder;
  const std::string base = std::filesystem::absolute(find_platform("isca19/shared")).string();
  const std::string path = folder.write("tour.yaml", "extends: " + base + "\n" + text);
  try {
    Netlist::load(path, sets);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

void elaborate(const std::string& name, std::size_t instances) {
  Platform platform(Netlist::load(find_platform(name)), ElaborateOptions{});
  platform.finish_elaboration();
  CHECK(platform.instances().size() == instances);
  CHECK(platform.protocol_violations() == 0);
}

}  // namespace

TEST_CASE("Shipped netlists load, and their dumps give the same platform") {
  const std::vector<std::string> names = platform_names();
  for (const char* const one :
       {"tiny", "isca19/multi", "selrep20/selrep", "hpca21/clustered_nodes", "tsc16/tsc"})
    CHECK(std::find(names.begin(), names.end(), one) != names.end());
  for (const std::string& name : names) {
    INFO(name);
    const ResolvedNetlist first = resolved(name);
    TempFolder folder;
    const std::string dump = effective_configuration(first);
    const ResolvedNetlist second = Netlist::load(folder.write("config.yaml", dump)).resolve();
    CHECK(effective_configuration(second) == dump);
    REQUIRE(second.connections.size() == first.connections.size());
    for (std::size_t i = 0; i < first.connections.size(); ++i) {
      CHECK(second.text(second.connections[i].from) == first.text(first.connections[i].from));
      CHECK(second.text(second.connections[i].to) == first.text(first.connections[i].to));
    }
  }
}

TEST_CASE("The ISCA 2019 machine has the counts of Table 1") {
  const ResolvedNetlist shared = resolved("isca19/shared");
  CHECK(count_of(shared, "sm") == 8);
  CHECK(count_of(shared, "l1") == 80);
  CHECK(count_of(shared, "llc") == 64);
  CHECK(count_of(shared, "mc") == 8);
  CHECK(count_of(shared, "ch") == 8);
  CHECK(shared.address_map.channels == 8);
  CHECK(shared.address_map.slices_per_channel == 8);
  // SM-L1 80, L1-router 80, router-router 8 x 8, router-slice 64, slice-MC 64, MC-channel 8.
  int tlm = 0;
  for (const ResolvedConnection& connection : shared.connections) tlm += connection.tlm ? 1 : 0;
  CHECK(tlm == 80 + 80 + 64 + 64 + 64 + 8);
}

TEST_CASE("The ISCA 2019 machine scales by --set") {
  const ResolvedNetlist large = resolved("isca19/shared", {"sm.count=16", "llc.count=128"});
  CHECK(count_of(large, "l1") == 160);
  CHECK(count_of(large, "smr") == 16);
  CHECK(large.address_map.slices_per_channel == 16);
  for (const int by : {2, 4, 8}) {
    const std::string k = std::to_string(by);
    const ResolvedNetlist concentrated =
        resolved("isca19/concentrated_crossbar", {"con.inputs=" + k, "dis.outputs=" + k});
    CHECK(count_of(concentrated, "con") == 80 / by);
    CHECK(count_of(concentrated, "dis") == 64 / by);
  }
}

TEST_CASE("The SelRep 2020 machine has the counts of Table I") {
  const ResolvedNetlist shared = resolved("selrep20/shared");
  CHECK(count_of(shared, "sm") == 16);
  CHECK(count_of(shared, "l1") == 64);
  CHECK(count_of(shared, "llc") == 64);
  CHECK(count_of(shared, "mcr") == 4);
  CHECK(count_of(shared, "mc") == 32);
  CHECK(shared.address_map.channels == 4);
  CHECK(shared.address_map.slices_per_channel == 16);
}

TEST_CASE("The machines of HPCA 2021 have the networks of its designs") {
  const ResolvedNetlist clustered = resolved("hpca21/clustered_nodes");
  CHECK(count_of(clustered, "node") == 40);
  CHECK(count_of(clustered, "n1") == 10);  // 8 x 4
  CHECK(count_of(clustered, "n2") == 4);   // 10 x 8
  const ResolvedNetlist larger =
      resolved("hpca21/clustered_nodes",
               {"sm.count=120", "node.count=60", "llc.count=48", "mc.count=24"});  // Sh60+C10
  CHECK(count_of(larger, "n1") == 10);                                             // 12 x 6
  CHECK(count_of(larger, "n2") == 6);
  CHECK_THROWS(resolved("hpca21/clustered_nodes", {"node.count=42"}));  // does not divide by the clusters
  CHECK(count_of(resolved("hpca21/private_nodes", {"node.count=20"}), "n1") == 20);
  CHECK(count_of(resolved("hpca21/shared_nodes"), "n1") == 1);
}

// Partitions of 2 lines and 2 slices a channel: 8 slices are 4 channels, 8 lines.
TEST_CASE("Nodes of HPCA 2021 know among how many lines are shared out") {
  const auto homes = [](const std::string& platform, const std::vector<std::string>& sets) {
    for (const ResolvedGroup& group : resolved(platform, sets).groups)
      if (group.name == "node") {
        const ParamValues node(*group.members[0].params);
        return std::make_pair(node.number("homes", 0), node.number("home_run", 0));
      }
    return std::make_pair(0.0, 0.0);
  };
  const auto pair = [](double count, double run) { return std::make_pair(count, run); };
  CHECK(homes("hpca21/private_nodes", {}) == pair(1, 1));
  CHECK(homes("hpca21/shared_nodes", {}) == pair(40, 1));
  CHECK(homes("hpca21/single_l1", {}) == pair(80, 1));
  CHECK(homes("hpca21/clustered_nodes", {}) == pair(4, 8));
  CHECK(homes("hpca21/clustered_nodes", {"n1.count=5"}) == pair(8, 4));
  CHECK(homes("hpca21/clustered_nodes", {"n1.count=20"}) == pair(2, 16));
  CHECK(homes("hpca21/clustered_nodes", {"sm.count=120", "llc.count=48", "mc.count=24"}) == pair(6, 8));
}

TEST_CASE("Homes are one, or as many as the nodes among which a core's lines are shared out") {
  const auto refusal = [](const std::string& platform, const std::vector<std::string>& sets) {
    try {
      resolved(platform, sets);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const std::string homes : {"41", "7"})
    CHECK(refusal("hpca21/shared_nodes", {"node.homes=" + homes})
              .find("node.homes is " + homes +
                    ", but lines of a core are shared out among 40 nodes; allowed: 1 or 40") !=
          std::string::npos);
  CHECK(refusal("hpca21/clustered_nodes", {"node.homes=40"})
            .find("node.homes is 40, but lines of a core are shared out among 4 nodes; allowed: 1 or 4") !=
        std::string::npos);
  CHECK(refusal("hpca21/private_nodes", {"node.homes=2"})
            .find("node.homes is 2, but lines of a core are shared out among 1 node; allowed: 1") !=
        std::string::npos);
  CHECK(refusal("hpca21/shared_nodes", {"node.homes=1"}).empty());
  CHECK(refusal("hpca21/clustered_nodes", {"sm.count=40", "sm.sms=2", "node.homes=4"}).empty());
  CHECK(refusal("hpca21/traffic_shared", {"node.homes=40"}).empty());
}

TEST_CASE("Routers go with every platform") {
  const auto changed = [](const std::string& platform, const std::string& file) {
    return Netlist::load({find_platform(platform), find_platform(file)}, {}).resolve();
  };
  for (const std::string& platform : platform_names()) {
    INFO(platform);
    CHECK_NOTHROW(changed(platform, "routers/strict"));
    CHECK_NOTHROW(changed(platform, "routers/gpgpusim"));
  }
  for (const std::string platform :
       {"tiny", "isca19/shared", "isca19/full_crossbar", "isca19/traffic_private"}) {
    INFO(platform);
    const std::string written = effective_configuration(resolved(platform));
    CHECK(effective_configuration(changed(platform, "routers/strict")) == written);
    CHECK(effective_configuration(changed(platform, "routers/gpgpusim")) != written);
  }
}

TEST_CASE("Variants go with the platforms of their folder") {
  const std::vector<std::string> names = strata::platforms::variant_names();
  CHECK(names.size() >= 40);
  for (const std::string& name : names) {
    INFO(name);
    const std::string family = name.substr(0, name.find('/'));
    if (family == "routers") continue;
    std::vector<std::string> platforms = {family + "/shared", family + "/private"};
    if (has(name, "full_crossbar"))
      platforms = {family + "/full_crossbar", family + "/full_crossbar_private"};
    if (family == "tsc16") platforms = {"tsc16/baseline"};
    if (family == "tiny" || family == "qv100" || family == "gv100") platforms = {family};
    if (has(name, "concentration")) platforms = {family + "/concentrated_crossbar"};
    if (family == "hpca21") platforms = {"hpca21/private_nodes", "hpca21/clustered_nodes"};
    if (family == "qv100") platforms = {"qv100"};
    if (name == "selrep20/variants/sms_128") platforms = {"selrep20/shared", "selrep20/selrep"};  // no bypass
    for (const std::string& platform : platforms) {
      const auto changed = Netlist::load({find_platform(platform), find_platform(name)}, {}).resolve();
      CHECK(effective_configuration(changed) != effective_configuration(resolved(platform)));
    }
  }
}

TEST_CASE("DC-L1 nodes that do not divide: the counts are named beside the sockets") {
  const auto faults = [](const std::string& set) -> std::string {
    try {
      Netlist::load(find_platform("hpca21/clustered_nodes"), {set});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  const std::string clusters = faults("n1.count=7");
  CHECK(has(clusters, "n1.outputs: 'node.count / n1.count' is 40 / 7, which leaves 5"));
  CHECK(has(clusters, "unbound socket: node[35].sm[0] is bound to nothing"));
  CHECK(has(faults("llc.count=30"),
            "n2.outputs: 'llc.count * n1.count / node.count' is 300 / 40, which leaves 20"));
  CHECK(has(faults("sm.count=81"), "n1.inputs: 'sm.count * sm.sms / n1.count' is 81 / 10, which leaves 1"));
  const std::string slices = faults("mc.slices=3");
  CHECK(has(slices, "unbound socket: "));
  CHECK_FALSE(has(slices, "which leaves"));  // wrong, but every division is even
  CHECK(faults("sm.warps=32").empty());
}

TEST_CASE("cores without an L1 that lead to no node are named") {
  TempFolder folder;
  const std::string base = std::filesystem::absolute(find_platform("hpca21/shared_nodes")).string();
  const std::string path = folder.write("nodes.yaml", "extends: " + base + R"(
bind:
  - cta.cluster[c] -> sm[c].dispatch
  - n1.out[n]      -> node[n].sm
  - node[n].noc    -> n2.in[n]
  - n2.out[k]      -> llc[k].noc
  - llc[i].mem     -> mc[i / mc.slices].slice[i % mc.slices]
  - mc[m].channel  -> ch[m].controller
)");
  std::string message;
  try {
    Netlist::load(path, {});
  } catch (const ConfigError& error) {
    message = error.what();
  }
  CHECK(has(message, "unbound socket: sm[0].l1[0] is bound to nothing (80 of the 80 sockets of sm.l1)"));
}

TEST_CASE("Bad netlist tour: each fault in one clear message") {
  CHECK(has(faults_of("instances: {llc: {wayz: 8}}"),
            "tour.yaml:2:19: llc.wayz: no such key (did you mean 'ways'?)"));
  CHECK(
      has(faults_of("instances: {llc: {size: 96 MHz}}"), "llc.size: '96 MHz' has the wrong unit; allowed: "));
  CHECK(has(faults_of("instances: {llc: {module: llc_slyce}}"),
            "no module 'llc_slyce' (did you mean 'llc_slice'?)"));
  CHECK(has(faults_of("instances: {mcr: {outputs: 9}}"),
            "count mismatch: index 'k' runs over the 9 of mcr.out") ==
        false);  // k * 8 is no lone index: a range fault
  CHECK(has(faults_of("instances: {mcr: {outputs: 9}}"),
            "index out of range: llc[m * mc.slices + k] becomes 64 (for m "
            "= 7, k = 8); llc has 64 instances (0 to 63)"));
  CHECK(has(faults_of("instances: {mcr: {inputs: 9}}"),
            "count mismatch: index 'c' runs over the 8 of smr, but there "
            "are 9 of mcr.in"));
  CHECK(has(faults_of("instances: {ch: {count: 9}}"),
            "count mismatch: index 'm' runs over the 8 of mc, but there are "
            "9 of ch"));
  CHECK(has(faults_of("instances: {ch2: {module: dram_channel}}"),
            "unbound socket: ch2[0].controller[0] is bound to nothing"));
  CHECK(has(faults_of("bind+: ['mc[m].channel -> ch[m].controller']"),
            "double binding: mc[0].channel[0] is already bound by 'mc[m].channel -> ch[m].controller'"));
  CHECK(has(faults_of("bind+: ['ch[m].controller -> mc[m].channel']"),
            "wrong direction: mc.channel is an initiator and ch.controller "
            "a target; write mc[m].channel -> ch[m].controller"));
  CHECK(has(faults_of("", {"clocks.dram=924"}), "clocks.dram: '924' is not a frequency"));
  CHECK(has(faults_of("", {"address_map.channels=4"}),
            "there are 8 memory_controller instances, but "
            "address_map.channels = 4"));
  CHECK(has(faults_of("", {"mc.timing_set=gdr5_isca19"}), "did you mean 'gddr5_isca19'?"));
  CHECK(has(faults_of("address_map: {matrix: none.txt}"), "none.txt"));
  CHECK(has(faults_of("", {"sm.count=0"}), "sm.count: '0' is out of range; allowed: 1 to 65536"));
}

TEST_CASE("A matrix that is not invertible is refused with its place") {
  TempFolder folder;
  const std::string matrix = folder.write("singular.txt", "0\n0\n");
  const std::string text = faults_of("address_map: {kind: pae, matrix: " + matrix + "}");
  CHECK(has(text, "tour.yaml:2:"));
  CHECK(has(text, "singular.txt"));
}

TEST_CASE("Timings that do not fit are refused with what is allowed") {
  const std::string no_lt = faults_of("", {"cta.timing=lt"});
  CHECK(has(
      no_lt,
      "cta.timing: 'lt' - cta_dispatcher has no lt version; allowed: at; those that have one: sm_cluster, "
      "l1_private"));
  CHECK(has(faults_of("", {"llc.timing=fast"}), "llc.timing: 'fast'; allowed: at, lt, rtl"));
  CHECK(has(faults_of("", {"llc.timing=rtl"}), "llc.timing: 'rtl' - no plug-in brings RTL of llc_slice"));
  CHECK(has(faults_of("", {"llc[3].timing=rtl"}), "llc[3].timing: 'rtl' - no plug-in brings RTL"));
  CHECK(has(faults_of("", {"run.timing=fast"}), "run.timing: 'fast' is no timing; allowed: at or lt"));
}
TEST_CASE("The timing of a part stands in the configuration") {
  CHECK(has(effective_configuration(resolved("isca19/shared", {"mc.timing=lt", "ch.timing=lt"})),
            "module: memory_controller\n    count: 8\n    clock: dram\n    timing: lt\n"));
}
TEST_CASE("A mixed isca19/shared elaborates") {
  const Netlist netlist = Netlist::load(find_platform("isca19/shared"), {"mc.timing=lt", "ch.timing=lt"});
  Platform platform(netlist, ElaborateOptions{});
  platform.finish_elaboration();
  CHECK(platform.instances().size() == 185);
}
TEST_CASE("Every module can be described") {
  for (const strata::ModuleKind* kind : strata::platforms::built_in_modules()) {
    const std::string text = strata::platforms::describe_module(*kind);
    CHECK(has(text, std::string(kind->name) + ": "));
    CHECK(has(strata::platforms::describe_module_markdown(*kind), "Sockets"));
  }
  CHECK(strata::platforms::built_in_modules().size() >= 11);
}

TEST_CASE("tiny elaborates") {
  elaborate("tiny", 7);
}
// 1 dispatcher, 8 clusters, 80 L1s, 8 + 8 routers, 64 slices, 8 controllers, 8 channels.
TEST_CASE("isca19/shared elaborates") {
  elaborate("isca19/shared", 1 + 8 + 80 + 16 + 64 + 16);
}
TEST_CASE("isca19/traffic_shared elaborates") {
  elaborate("isca19/traffic_shared", 8 + 80 + 16 + 64 + 16);  // no dispatcher
}
TEST_CASE("isca19/private elaborates") {
  elaborate("isca19/private", 1 + 8 + 80 + 16 + 64 + 16 + 1);  // and the control of the LLC
}
// 16 clusters, 64 L1s, 16 + 4 routers, 64 slices, 4 crossbars to the channels of a stack, 32 controllers, 32
// channels, dispatcher and control.
TEST_CASE("selrep20/shared elaborates") {
  elaborate("selrep20/shared", 16 + 64 + 16 + 4 + 64 + 4 + 32 + 32 + 1 + 1);
}
TEST_CASE("selrep20/adaptive elaborates") {
  elaborate("selrep20/adaptive", 16 + 64 + 16 + 4 + 64 + 4 + 32 + 32 + 1 + 1);
}
TEST_CASE("isca19/shared_observed elaborates") {
  elaborate("isca19/shared_observed", 1 + 8 + 80 + 16 + 64 + 16 + 1);
}
TEST_CASE("isca19/multi elaborates") {
  elaborate("isca19/multi", 1 + 8 + 80 + 16 + 64 + 16 + 1);
}
TEST_CASE("isca19/full_crossbar_private elaborates") {
  elaborate("isca19/full_crossbar_private", 1 + 8 + 80 + 1 + 64 + 16 + 1);
}
TEST_CASE("isca19/full_crossbar elaborates") {
  elaborate("isca19/full_crossbar", 1 + 8 + 80 + 1 + 64 + 16);
}
TEST_CASE("isca19/concentrated_crossbar elaborates") {
  elaborate("isca19/concentrated_crossbar", 1 + 8 + 80 + 40 + 1 + 32 + 64 + 16);
}
