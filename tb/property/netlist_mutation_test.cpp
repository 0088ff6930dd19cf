#include <random>

#include "platforms/engine/netlist/netlist.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "tb/support/toy_modules.h"

using strata::ConfigError;
using strata::platforms::Netlist;
using strata::tb::TempFolder;
using strata::tb::toy_modules;

namespace {

const std::string seed_text = R"(platform: toy
clocks: {core: 1400 MHz, noc: 1400 MHz}
address_map: {channels: 4, slices_per_channel: 2}
instances:
  src: {module: toy_source, count: 4, size: 48 KiB, ways: 8, rate: 0.5, random: true, order: oldest}
  rtr: {module: toy_router, count: 2, inputs: src.outputs * 2, outputs: 3}
  snk: {module: toy_sink, count: rtr.count * rtr.outputs}
  src[1..2]: {ways: 4}
  ctl: {module: toy_control}
bind:
  - src[i].out[o] -> rtr[i / 2].in[i % 2 * src.outputs + o]
  - rtr[r].out[k] -> snk[r * rtr.outputs + k].in for r in 0..1
  - rtr[r].control -> ctl.ask
run: {seed: 3}
)";

/// Replaces, removes, doubles or swaps a piece of the text; pieces come from the language, so that most
/// mutants get past the YAML parser.
std::string mutated(std::string text, std::mt19937_64& random) {
  static const std::vector<std::string> pieces = {
      "[", "]", "{", "}", ":", "->", "..",  "-1", "9999999999", "i", "o",  "for", "in", "\t",    "\n",
      "~", "/", "%", "0", "*", "->", "src", ".",  "\"",         "#", "&a", "*a",  "- ", "count", "rtr"};
  const int edits = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < edits; ++i) {
    const std::size_t at = random() % (text.size() + 1);
    const std::size_t length = std::min<std::size_t>(random() % 6, text.size() - at);
    switch (random() % 4) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, pieces[random() % pieces.size()]);
        break;
      case 2:
        text.replace(at, length, pieces[random() % pieces.size()]);
        break;
      default:
        text.insert(random() % (text.size() + 1), text.substr(at, 40));
        break;
    }
  }
  return text;
}

}  // namespace

TEST_CASE("A mutated netlist is either loaded or refused with positions, never anything else") {
  const std::uint64_t seed = 20261121;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  TempFolder folder;
  int loaded = 0, refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = mutated(seed_text, random);
    INFO(text);
    const std::string path = folder.write("m.yaml", text);
    try {
      Netlist::load(path, {}, toy_modules());
      ++loaded;
    } catch (const ConfigError& error) {
      ++refused;
      REQUIRE(!error.faults().empty());
      for (const strata::Fault& fault : error.faults()) REQUIRE(!fault.message.empty());
    }
  }
  CHECK(loaded > 50);  // comments, titles and equal values do no harm
  CHECK(refused > 1000);
}
