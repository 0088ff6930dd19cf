#include "tb/contract/cases.h"

#include "platforms/engine/netlist/netlist.h"
#include "tb/contract/parameters.h"
#include "tb/machines/values.h"

namespace strata::contract {
namespace {

using tb::Random;

// Two kernels, so that caches are flushed between them, of everything that an SM sends.
const char* const kernels =
    "synthetic:random:kernels=2,ctas=6,warps=4,loads=24,stores=0.2,atomics=0.1,hits=0.3,footprint=256KiB";
const char* const few_kernels =
    "synthetic:random:kernels=2,ctas=2,warps=2,loads=8,stores=0.2,atomics=0.1,footprint=32KiB";
const char* const long_kernel = "synthetic:random:ctas=16,warps=8,loads=100,stores=0.2,atomics=0.1,alu=0";
const Settings traffic = {
    {"accesses", "400"}, {"load", "0.3"}, {"loads", "0.7"}, {"read_only", "0.3"}, {"footprint", "256 KiB"}};
const Settings little_traffic = {
    {"accesses", "40"}, {"load", "0.5"}, {"loads", "0.7"}, {"footprint", "32 KiB"}};
const Settings much_traffic = {
    {"accesses", "20000"}, {"load", "0.5"}, {"loads", "0.7"}, {"footprint", "1 MiB"}};

std::string number(std::int64_t value) {
  return std::to_string(value);
}
std::string share(Random& random) {
  return "0." + number(random.between(0, 9));
}

std::string drawn_trace(Random& random) {
  static const std::vector<std::string> patterns = {"streaming", "strided", "random", "hot_set", "chase"};
  static const std::vector<std::string> sizes = {"4KiB", "32KiB", "256KiB", "2MiB"};
  std::string spec = "synthetic:" + random.one_of(patterns) + ":kernels=" + number(random.between(1, 3)) +
                     ",ctas=" + number(random.between(1, 8)) + ",warps=" + number(random.between(1, 8)) +
                     ",loads=" + number(random.between(1, 24)) + ",alu=" + number(random.between(0, 2)) +
                     ",in_flight=" + number(random.between(1, 8)) + ",hits=" + share(random) +
                     ",seed=" + number(random.between(1, 999)) + ",footprint=" + random.one_of(sizes);
  if (random.chance(0.2)) return spec + ",read_only=true";
  spec += ",atomics=0." + number(random.between(0, 3));
  return spec + (random.chance(0.1) ? ",stores=0.7" : ",stores=0." + number(random.between(0, 6)));
}

Settings drawn_drive(Random& random) {
  static const std::vector<std::string> patterns = {"uniform", "hot", "stride"};
  static const std::vector<std::string> sizes = {"16 KiB", "64 KiB", "512 KiB", "4 MiB"};
  return {{"accesses", number(random.between(1, 300))},
          {"load", "0." + number(random.between(1, 99))},
          {"loads", share(random)},
          {"read_only", share(random)},
          {"outstanding", number(random.between(1, 64))},
          {"pattern", random.one_of(patterns)},
          {"footprint", random.one_of(sizes)},
          {"seed", number(random.between(0, 999))}};
}

/// A few parameters of one instance of the machine, each one if the machine then is not refused.
void draw_parameters(const ModuleKind& kind, Case& what, const ModuleTable& modules, ParamSet& params,
                     const std::string& instance, int count, Random& random) {
  for (int tries = 0; tries < 3 * count && count > 0; ++tries) {
    const tb::DrawnValue value = random.one_of(tb::draw_values(params, random));
    if (value.text.empty()) continue;
    Case more = what;
    try {
      Faults refusal;
      if (instance.empty() && !set_where_it_fits(kind, more, value.name, value.text, modules, refusal))
        continue;
      if (!instance.empty()) more.machine.push_back({instance + "." + value.name, value.text});
      if (!netlist_of(kind, more, modules).check().empty()) continue;
    } catch (const std::runtime_error&) {
      continue;
    }
    what = std::move(more);
    --count;
  }
}

}  // namespace

std::vector<Case> plain_cases(const ModuleKind& kind) {
  std::vector<Case> cases;
  for (const Shape& shape : shapes_for(kind)) cases.push_back({"plain", shape, {}, {}, kernels, traffic});
  return cases;
}

std::vector<Case> stopped_cases(const ModuleKind& kind) {
  std::vector<Case> cases;
  for (const Shape& shape : shapes_for(kind)) {
    cases.push_back({"stopped", shape, {}, {}, long_kernel, much_traffic});
    cases.back().stop_early = true;
  }
  return cases;
}

Case small_case(const Case& plain) {
  Case small = plain;
  small.trace = few_kernels;
  small.drive = little_traffic;
  return small;
}

Case drawn_case(const ModuleKind& kind, const ModuleTable& modules, std::uint64_t seed,
                std::uint64_t number) {
  Random random(seed, number);
  Case what{"drawn " + std::to_string(number), random.one_of(shapes_for(kind)), {}, {}, {}, {}};
  what.trace = drawn_trace(random);
  what.drive = drawn_drive(random);
  what.seed = 1 + random.below(1000);
  what.may_be_refused = true;
  draw_parameters(kind, what, modules, *kind.new_params(), "", static_cast<int>(random.between(1, 4)),
                  random);
  if (random.chance(0.5)) return what;
  const auto netlist = netlist_of(kind, what, modules).resolve();
  const platforms::ResolvedGroup& other = random.one_of(netlist.groups);
  if (other.kind != &kind)
    draw_parameters(kind, what, modules, *other.base.params, other.name,
                    static_cast<int>(random.between(1, 2)), random);
  return what;
}

}  // namespace strata::contract
