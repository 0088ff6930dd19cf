#include "tb/machines/draw.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"
#include "traces/synthetic/synthetic_params.h"
#include "traces/workloads/workload.h"

namespace strata::tb {

std::vector<std::string> arguments_of(const Machine& machine) {
  std::vector<std::string> words = {"run", machine.platform};
  for (const Part& part : machine.parts) words.insert(words.end(), part.begin(), part.end());
  return words;
}

std::string command_line(const Machine& machine) {
  std::string text = "strata";
  for (const std::string& word : arguments_of(machine)) {
    const bool plain = word.find_first_of(" \t'\"\\$*?;&|<>()[]~#") == std::string::npos && !word.empty();
    text += plain ? " " + word : " '" + word + "'";
  }
  return text;
}

namespace {

namespace fs = std::filesystem;

/// Sorted entries of a folder that `name_of` gives a name.
template <class NameOf>
std::vector<std::string> entries(const fs::path& folder, NameOf name_of) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (std::string name = name_of(entry); !name.empty()) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Catalog read_catalog(const std::string& samples) {
  Catalog catalog;
  catalog.platforms = platforms::platform_names();
  catalog.variants = platforms::variant_names();
  catalog.timing_sets = entries(platforms::data_folders("timing_sets", "").front(), [](const auto& entry) {
    return entry.path().extension() == ".yaml" ? entry.path().stem().string() : "";
  });
  catalog.samples = entries(samples, [](const auto& entry) {
    return fs::exists(entry.path() / "kernelslist.g") ? entry.path().string() : "";
  });
  catalog.workloads = traces::workload_names();
  return catalog;
}

namespace {

void set(Part& part, const std::string& key, std::int64_t value) {
  part.insert(part.end(), {"--set", key + "=" + std::to_string(value)});
}

}  // namespace

Part draw_shape(const platforms::ResolvedNetlist& netlist, Random& random) {
  const bool traffic = group_of_kind(netlist, "traffic_generator") != nullptr;
  const std::int64_t clusters = random.between(1, 4), sms = random.between(1, 4),
                     channels = random.between(1, 4);
  // A bypassed router leads every cluster to a slice of its own.
  const std::int64_t slices = random.chance(0.8) ? clusters : random.between(1, 4);
  std::int64_t controllers = 1;
  Part part;
  for (const platforms::ResolvedGroup& group : netlist.groups)
    if (group.kind->name == "memory_controller" && group_of_kind(netlist, "llc_control") != nullptr &&
        group.count() > netlist.address_map.channels) {
      controllers = random.between(1, 4);
      set(part, group.name + ".controllers_per_channel", controllers);
    }
  if (const platforms::ResolvedGroup* control = group_of_kind(netlist, "llc_control"))
    set(part, control->name + ".degree", std::gcd(clusters, slices));
  set(part, traffic ? "gen.count" : "sm.count", clusters);
  set(part, traffic ? "gen.ports" : "sm.sms", sms);
  set(part, "llc.count", channels * slices);
  set(part, "mc.count", channels * controllers);
  set(part, "address_map.slices_per_channel", slices);
  return part;
}

namespace {

using platforms::ResolvedNetlist;

/// The parameters that say how much is executed are small; of the others some are drawn.
std::string any_spec(Random& random) {
  traces::SyntheticParams params;
  std::string spec;
  std::string items;
  for (const DrawnValue& value : draw_values(params, random)) {
    const std::string& name = value.name;
    std::string text = value.text;
    if (name == "pattern") {
      spec = text;
      continue;
    }
    if (name == "kernels")
      text = std::to_string(random.chance(0.7) ? 1 : 2 + random.below(2));
    else if (name == "ctas" || name == "warps")
      text = std::to_string(random.log_between(1, 10));
    else if (name == "loads")
      text = std::to_string(random.log_between(1, 16));
    else if (name == "alu")
      text = std::to_string(random.log_between(0, 12));
    else if (!random.chance(0.25))
      continue;
    if (name == "base") text = std::to_string(random.log_between(1, 1 << 30) * 128);
    items += (items.empty() ? ":" : ",") + name + "=" + text;
  }
  return spec + items;
}

/// Mostly one that is not refused.
std::string synthetic_spec(Random& random) {
  for (int tries = 0; tries < 10; ++tries) {
    const std::string spec = any_spec(random);
    try {
      traces::parse_synthetic(spec);
      return "synthetic:" + spec;
    } catch (const ConfigError&) {
      if (random.chance(0.02)) return "synthetic:" + spec;
    }
  }
  return "synthetic:random:ctas=4,warps=4,loads=8";
}

/// A cycle of the slowest clock lasts a thousand of the fastest and more: the fast side idles, refreshes
/// and drains through each of them, so that only little work ends in time.
bool clocks_are_far_apart(const ResolvedNetlist& netlist) {
  const auto [slowest, fastest] =
      std::minmax_element(netlist.clocks.begin(), netlist.clocks.end(),
                          [](const auto& a, const auto& b) { return a.frequency.count < b.frequency.count; });
  return slowest != netlist.clocks.end() && fastest->frequency.count > 1000 * slowest->frequency.count;
}

/// A limit of the work that a run executes.
class Budget {
 public:
  explicit Budget(const ResolvedNetlist& netlist) : most_(clocks_are_far_apart(netlist) ? 2'000 : 200'000) {}
  std::string draw(Random& random) const { return std::to_string(random.log_between(100, most_)); }

 private:
  std::int64_t most_;
};

struct Program {
  Part part;
  bool long_running = false;
};

Program draw_program(const Catalog& catalog, Random& random) {
  const double what = random.unit();
  if (what < 0.6) return {{"--trace", synthetic_spec(random)}, false};
  // Even tiny ones launch up to hundreds of grids: with slow clocks or long pauses that never ends.
  if (what < 0.9) return {{"--workload", random.one_of(catalog.workloads) + "@tiny"}, true};
  return {{"--trace", random.one_of(catalog.samples)}, true};
}

std::vector<Part> options_of_workloads(Random& random) {
  static const std::vector<std::string> policies = {"none", "nc", "analysis", "oracle"};
  std::vector<Part> parts;
  if (random.chance(0.2)) parts.push_back({"--loads-in-flight", std::to_string(random.between(0, 64))});
  if (random.chance(0.2)) parts.push_back({"--read-only", random.one_of(policies)});
  return parts;
}

std::int64_t sms_of_a_cluster(const ResolvedNetlist& netlist) {
  const platforms::ResolvedGroup* clusters = group_of_kind(netlist, "sm_cluster");
  if (clusters == nullptr) return 0;
  for (const PortSpec& port : *clusters->base.ports)
    if (port.name == "l1") return port.count;
  return 0;
}

/// Several side by side: as many as a cluster has SMs, at most three.
std::int64_t programs_side_by_side(std::int64_t sms, Random& random) {
  return sms < 2 || !random.chance(0.2) ? 1 : random.between(2, std::min<std::int64_t>(sms, 3));
}

/// How two programs share the SMs, and when the second one is measured.
std::vector<Part> options_of_two(std::int64_t sms, bool cut, const Budget& budget, Random& random) {
  std::vector<Part> parts;
  if (const std::int64_t first = random.between(1, sms - 1); random.chance(0.4))
    parts.push_back({"--share", std::to_string(first) + ":" + std::to_string(sms - first)});
  if (cut && random.chance(0.5))
    parts.push_back({"--max-instructions", budget.draw(random) + ":" + budget.draw(random)});
  else if (cut)
    parts.push_back({"--max-instructions", budget.draw(random)});
  return parts;
}

void append(std::vector<Part>& parts, std::vector<Part> more) {
  for (Part& part : more) parts.push_back(std::move(part));
}

}  // namespace

std::vector<Part> draw_programs(const ResolvedNetlist& netlist, const Catalog& catalog, Random& random) {
  if (const platforms::ResolvedGroup* traffic = group_of_kind(netlist, "traffic_generator"))
    return {{"--set", traffic->name + ".accesses=" + std::to_string(random.log_between(1, 200))}};
  std::vector<Part> parts;
  const std::int64_t sms = sms_of_a_cluster(netlist), count = programs_side_by_side(sms, random);
  const Budget budget(netlist);
  bool cut = random.chance(0.15) || clocks_are_far_apart(netlist);
  bool workload = false;
  for (std::int64_t i = 0; i < count; ++i) {
    const Program program = draw_program(catalog, random);
    cut = cut || program.long_running;
    workload = workload || program.part.front() == "--workload";
    parts.push_back(program.part);
  }
  if (count == 2)
    append(parts, options_of_two(sms, cut, budget, random));
  else if (cut)
    parts.push_back({"--max-instructions", budget.draw(random)});
  // A program repeats until the slowest beside it has ended: a hundred million instructions beside a
  // chase through slow memory. Only short ones do.
  if (count > 1 && (cut || random.chance(0.4))) parts.push_back({"--no-repeat"});
  if (workload) append(parts, options_of_workloads(random));
  if (random.chance(0.05)) parts.push_back({"--observe", random.chance(0.5) ? "sharing" : "replication"});
  return parts;
}

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
