#include "tb/machines/draw.h"

#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"
#include "tb/machines/draw_parts.h"

namespace strata::tb {
namespace {

/// Share of the settings that the netlist's checks refuse and that stay nevertheless: for the messages.
constexpr double kept_refusals = 0.15;

std::string family(const std::string& name) {
  return name.substr(0, name.find('/'));
}

/// What the program makes of these files and settings; an empty netlist when it refuses them.
platforms::ResolvedNetlist resolve(const Machine& machine) {
  std::vector<std::string> files = {platforms::find_platform(machine.platform)};
  for (const Part& part : machine.parts)
    if (part.front() == "--with") files.push_back(platforms::find_platform(part.back()));
  try {
    return platforms::Netlist::load(files, settings_of(machine.parts)).resolve();
  } catch (const ConfigError&) {
    return {};
  }
}

std::vector<Part> draw_variants(const std::string& platform, const Catalog& catalog, Random& random) {
  std::vector<Part> parts;
  while (parts.size() < 3 && random.chance(0.25)) {
    const std::string& variant = random.one_of(catalog.variants);
    if (family(variant) != family(platform) && family(variant) != "routers") continue;
    Machine more{platform, parts};
    more.parts.push_back({"--with", variant});
    if (random.chance(kept_refusals) || !resolve(more).groups.empty()) parts = std::move(more.parts);
  }
  return parts;
}

void add(Machine& machine, std::vector<Part> parts) {
  for (Part& part : parts)
    if (!part.empty()) machine.parts.push_back(std::move(part));
}

std::vector<Part> draw_options(Random& random) {
  std::vector<Part> parts;
  if (random.chance(0.2)) parts.push_back({"--timing", random.chance(0.7) ? "lt" : "at"});
  if (random.chance(0.2)) parts.push_back({"--seed", std::to_string(random.below(1000))});
  if (random.chance(0.2)) parts.push_back({"--epoch", std::to_string(random.log_between(100, 100'000))});
  return parts;
}

}  // namespace

Machine draw_machine(std::uint64_t seed, std::uint64_t number, const Catalog& catalog) {
  Random random(seed, number);
  Machine machine;
  machine.platform = random.chance(0.2) ? "tiny" : random.one_of(catalog.platforms);
  add(machine, draw_variants(machine.platform, catalog, random));
  if (random.chance(0.75)) add(machine, {draw_shape(resolve(machine), random)});
  platforms::ResolvedNetlist netlist = resolve(machine);
  if (netlist.groups.empty()) return machine;
  const std::uint64_t settings = random.chance(0.1) ? 4 + random.below(4) : 1 + random.below(4);
  for (std::uint64_t i = 0; i < settings; ++i) {
    Machine more = machine;
    add(more, {draw_setting(netlist, catalog, random)});
    if (random.chance(kept_refusals) || !resolve(more).groups.empty()) machine = std::move(more);
  }
  if (platforms::ResolvedNetlist changed = resolve(machine); !changed.groups.empty())
    netlist = std::move(changed);
  add(machine, draw_programs(netlist, catalog, random));
  add(machine, draw_options(random));
  return machine;
}

}  // namespace strata::tb
