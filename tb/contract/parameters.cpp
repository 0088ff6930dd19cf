#include "tb/contract/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tb/machines/draw_parts.h"
#include "tb/support/child.h"

namespace strata::contract {
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

/// Of what the documentation allows, all that can be set in the machine around the module.
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
