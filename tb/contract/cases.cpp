#include "tb/contract/cases.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "platforms/engine/netlist/netlist.h"
#include "tb/machines/draw.h"
#include "tb/support/child.h"

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

namespace {

using platforms::Netlist;

/// A parameter with values that its documentation rules out, and with those that it allows just so.
struct Probe {
  std::string name;
  std::vector<std::string> wrong, allowed;
  std::string slip, meant;  ///< a word with a slip, and the choice that it is near to
};

class Prober final : public ParamVisitor {
 public:
  std::vector<Probe> probes;

  void integer(const ParamInfo& info, int&, Range range) override { whole(info, range); }
  void bytes(const ParamInfo& info, Bytes&, Range range) override { whole(info, range); }
  void real(const ParamInfo& info, double&, double min, double max) override {
    const double step = std::max(1.0, std::fabs(max) * 0.01);
    add(info, {text(min - step), text(max + step), "nan", "a lot", "1 parsec"}, {text(min), text(max)});
  }
  void flag(const ParamInfo& info, bool&) override {
    add(info, {"perhaps", "2", "TRUE!"}, {"false", "true"});
  }
  void text(const ParamInfo& info, std::string&) override { add(info, {}, {"no-such-thing"}); }
  void choice_index(const ParamInfo& info, int&, const std::vector<std::string>& names) override {
    add(info, {"no-such-choice", "0"}, names);
    probes.back().meant = names.front();
    probes.back().slip = names.front() + names.front().back();
  }

 private:
  static std::string text(double value) {
    char buffer[32];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  }
  void whole(const ParamInfo& info, const Range& range) {
    std::vector<std::string> wrong = {std::to_string(range.min - 1), "1.5.1", "many", "3 parsecs"};
    if (range.max < std::numeric_limits<std::int64_t>::max()) wrong.push_back(std::to_string(range.max + 1));
    if (range.power_of_two && range.min <= 3 && range.max >= 3) wrong.emplace_back("3");
    if (range.power_of_two && range.max > 3) wrong.push_back(std::to_string(range.max - 1));
    std::vector<std::string> allowed = {std::to_string(range.min), std::to_string(range.max)};
    if (range.or_zero) allowed.emplace_back("0");
    add(info, wrong, allowed);
  }
  void add(const ParamInfo& info, std::vector<std::string> wrong, std::vector<std::string> allowed) {
    probes.push_back({std::string(info.name), std::move(wrong), std::move(allowed), {}, {}});
  }
};

/// What the checks of the netlist find; nothing when they take it.
Faults faults_of(const ModuleKind& kind, const Case& what, const ModuleTable& modules) {
  try {
    return netlist_of(kind, what, modules).check();
  } catch (const ConfigError& error) {
    return error.faults();
  }
}

std::string all_of(const Faults& faults) {
  std::string text;
  for (const Fault& fault : faults) text += (text.empty() ? "" : "; ") + fault.message;
  return text.empty() ? "nothing" : text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Examiner {
 public:
  Examiner(const ModuleKind& kind, const Case& plain, const ModuleTable& modules, const tb::Say& say)
      : kind_(kind), plain_(plain), modules_(modules), say_(say), instance_(to_text(kind.role)) {}

  void examine(const Probe& probe) const {
    for (const std::string& value : probe.wrong) refused(probe.name, value, {probe.name, value, "allowed"});
    if (!probe.slip.empty())
      refused(probe.name, probe.slip, {probe.name, probe.slip, "'" + probe.meant + "'"});
    refused(probe.name + probe.name.back(), "1", {probe.name + probe.name.back(), "did you mean '"});
  }

 private:
  /// Exactly one fault, which has all these words.
  void refused(const std::string& name, const std::string& value,
               const std::vector<std::string>& words) const {
    const std::string setting = instance_ + "." + name + "=" + value;
    say_(setting);
    Case what = plain_;
    what.subject.push_back({name, value});
    const Faults faults = faults_of(kind_, what, modules_);
    const std::string said = all_of(faults);
    if (faults.empty()) return blame(setting + " lies outside its documentation, but it is taken");
    if (faults.size() != 1)
      return blame(setting + " should give one fault, not " + std::to_string(faults.size()) + ": " + said);
    for (const std::string& word : words)
      if (!has(said, word)) return blame(setting + ": the fault does not say \"" + word + "\": " + said);
  }
  void blame(const std::string& text) const { say_(to_line({"parameters", text})); }

  const ModuleKind& kind_;
  const Case& plain_;
  const ModuleTable& modules_;
  const tb::Say& say_;
  const std::string instance_;
};

/// All documented values that can be set in the machine around the module.
std::vector<Case> allowed_of(const ModuleKind& kind, const Case& plain, const ModuleTable& modules,
                             const std::vector<Probe>& probes, const tb::Say& say) {
  std::vector<Case> allowed;
  for (const Probe& probe : probes)
    for (const std::string& value : probe.allowed) {
      Case what = plain;
      what.name = probe.name + " = " + value;
      what.may_be_refused = true;
      Faults refusal;
      say(what.name);
      try {
        if (set_where_it_fits(kind, what, probe.name, value, modules, refusal)) {
          allowed.push_back(std::move(what));
          continue;
        }
        const std::string said = all_of(refusal);
        if (refusal.size() != 1 || !(has(said, probe.name) || has(said, value)))
          say(to_line({"parameters", what.name +
                                         " is in the documented range, and is refused without one fault that "
                                         "names it: " +
                                         said}));
      } catch (const TooLarge&) {
        continue;
      } catch (const CannotSurround&) {
        continue;
      }
    }
  return allowed;
}

}  // namespace

bool set_where_it_fits(const ModuleKind& kind, Case& what, const std::string& name, const std::string& value,
                       const ModuleTable& modules, Faults& refusal) {
  Case alone = what;
  alone.subject.push_back({name, value});
  refusal = faults_of(kind, alone, modules);
  if (refusal.empty()) {
    what = std::move(alone);
    return true;
  }
  Case everywhere = alone;
  try {
    const auto netlist = netlist_of(kind, what, modules).resolve();
    for (const std::string& setting : tb::settings_of({tb::set_everywhere(netlist, name, value)})) {
      const std::size_t equals = setting.find('=');
      everywhere.machine.push_back({setting.substr(0, equals), setting.substr(equals + 1)});
    }
  } catch (const ConfigError&) {
    return false;
  }
  if (name == "line") everywhere.machine.push_back({"address_map.line", value});
  if (!faults_of(kind, everywhere, modules).empty()) return false;
  what = std::move(everywhere);
  return true;
}

// In another process: a module may do anything to a value, and the last line says to which.
ParameterReport try_parameters(const ModuleKind& kind, const Case& plain, const ModuleTable& modules) {
  Prober prober;
  kind.new_params()->for_each_param(prober);
  const std::vector<Probe>& probes = prober.probes;
  const tb::WorkEnding ending = tb::in_child([&](const tb::Say& say) {
    const Examiner examiner(kind, plain, modules, say);
    for (const Probe& probe : probes) examiner.examine(probe);
    allowed_of(kind, plain, modules, probes, say);
  });
  ParameterReport report;
  std::string last;
  RunResult found;
  for (const std::string& line : ending.said) {
    const std::size_t before = found.findings.size();
    read_line(line, found);
    if (found.findings.size() != before) continue;
    ++report.values;
    last = line;
  }
  report.findings = std::move(found.findings);
  if (ending.broke.empty())
    report.allowed = allowed_of(kind, plain, modules, probes, [](const std::string&) {});
  else
    report.findings.push_back({"parameters", last + ": the program " + ending.broke});
  return report;
}

}  // namespace strata::contract
