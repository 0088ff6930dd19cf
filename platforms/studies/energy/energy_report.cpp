#include "platforms/studies/energy/energy_report.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>

#include "models/common/faults.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/report/json_text.h"
#include "platforms/report/results_reader.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/energy/machine_figures.h"

namespace strata::platforms {
namespace {

using power::Interval;

constexpr double pico = 1e-12, nano = 1e-9, milli = 1e-3;

/// Adds up the energy of one instance from its counters.
class InstanceEnergy {
 public:
  InstanceEnergy(const MachineModel& machine, const MachineModel::Group& group,
                 const CountedInstance& instance, double seconds, std::vector<PartEnergy>& parts)
      : machine_(machine), group_(group), instance_(instance), seconds_(seconds), parts_(parts) {}

  void add() {
    if (group_.router) router();
    if (group_.sram) cache();
    if (group_.dram) dram();
    if (group_.role == Role::sm && !group_.own_figures && group_.params.has("sms")) sm();
    if (group_.own_figures) own_figures();
  }

  /// Why its figures are too low: RTL without an event port does not report its hits. Empty: they are
  /// complete.
  std::string lacks() const {
    const char* const hits = group_.role == Role::llc ? "read_hits" : "hits";
    if (!group_.sram || instance_.counters.count(hits) != 0) return "";
    return group_.name + " (" + group_.module + "): does not count '" + hits +
           "', its data are counted too low";
  }

 private:
  double count(const std::string& name) const {
    const auto found = instance_.counters.find(name);
    return found == instance_.counters.end() ? 0.0 : static_cast<double>(found->second);
  }
  PartEnergy& part(const std::string& name) {
    PartEnergy made;
    made.instance = instance_.name;
    made.module = group_.module;
    made.part = name;
    made.group = group_of(group_.role);
    parts_.push_back(made);
    return parts_.back();
  }
  Interval dynamic(const Interval& each, double times, double unit) const {
    return each * machine_.energy_scale * (times * unit);
  }
  Interval leaking(const Interval& milliwatts, double seconds) const {
    return milliwatts * machine_.leakage_scale * (seconds * milli);
  }

  void router() {
    const double cycles = count("cycles");
    const double on = std::max(0.0, cycles - count("gated_cycles"));
    const double powered = cycles == 0 ? seconds_ : seconds_ * on / cycles;
    for (const bool reply : {false, true}) {
      const power::RouterPower& p = reply ? group_.router->reply : group_.router->request;
      const std::string name = reply ? "reply" : "request";
      const double past = count(name + "_gated_flits");  // flits through the bypass
      const double in = std::max(0.0, count(name + "_flits_in") - past);
      const double out = std::max(0.0, count(name + "_flits_out") - past);
      PartEnergy& buffers = part(name + " buffers");
      buffers.dynamic = dynamic(p.write, in, pico) + dynamic(p.read, out, pico);
      buffers.leakage = leaking(p.leakage_buffer, powered);
      PartEnergy& crossbar = part(name + " crossbar");
      crossbar.dynamic = dynamic(p.traverse, out, pico);
      crossbar.leakage = leaking(p.leakage_crossbar, powered);
      PartEnergy& allocator = part(name + " allocator");
      allocator.dynamic = dynamic(p.arbitrate_vcs + p.arbitrate_inputs, out, pico);
      allocator.leakage = leaking(p.leakage_allocator, powered);
      PartEnergy& clock = part(name + " clock tree");
      clock.clock = dynamic(p.clock, on, pico);
      clock.leakage = leaking(p.leakage_clock, powered);
    }
    wires(group_.in, "links in", count("request_flits_in") + count("reply_flits_out"),
          group_.params.number("inputs", 0));
    wires(group_.out, "links out", count("request_flits_out") + count("reply_flits_in"),
          group_.params.number("outputs", 0));
  }

  void wires(const std::optional<MachineModel::Wires>& side, const char* name, double flits, double ports) {
    if (!side || !side->charged) return;
    PartEnergy& links = part(name);
    links.dynamic = dynamic(side->link.flit, flits, pico);
    links.leakage = leaking(side->link.leakage, seconds_) * (2 * ports);  // both directions
  }

  // Every lookup and every fill reads the tags. Hits and evictions read data; fills and stores write data.
  void cache() {
    const power::SramPower& p = *group_.sram;
    const bool llc = group_.role == Role::llc;
    const double lookups = count(llc ? "accesses" : "requests") + count("prefetches");
    const double fills = count("fills");
    const double reads =
        llc ? count("read_hits") + count("atomic_hits") + count("dirty_evictions") + count("flush_writes")
            : count("hits") + count("local_write_backs");
    const double writes = fills + count("write_hits") + count("local_stores") +
                          (llc ? count("atomic_hits") + count("write_allocations") : 0.0);
    PartEnergy& tags = part("tags");
    tags.dynamic = dynamic(p.tags, lookups + fills, nano);
    PartEnergy& data = part("data");
    data.dynamic = dynamic(p.read - p.tags, reads, nano) + dynamic(p.write - p.tags, writes, nano);
    data.leakage = leaking(p.leakage, seconds_);
  }

  void dram() {
    const power::DramPower& p = *group_.dram;
    const double open = count("any_open_cycles") / static_cast<double>(group_.clock.count);
    const double per_bank = count("bank_refreshes") / group_.dram_banks;
    part("rows").dynamic = p.activate * (count("activates") * pico);
    part("data").dynamic =
        p.read_byte * (count("bytes_read") * pico) + p.write_byte * (count("bytes_written") * pico);
    part("refresh").dynamic = p.refresh * ((count("refreshes") + per_bank) * pico);
    part("standby").leakage =
        p.standby_open * (open * milli) + p.standby_closed * (std::max(0.0, seconds_ - open) * milli);
  }

  void sm() {
    const power::Constants& c = machine_.constants;
    const double addresses = count("load_instructions") + count("read_only_load_instructions") +
                             count("store_instructions") + count("atomic_instructions");
    const double shared = count("shared_load_instructions") + count("shared_store_instructions");
    part("operands").dynamic = c.value("sm.thread") * (count("thread_instructions") * pico);
    part("operations").dynamic = c.value("sm.alu") * (count("alu_instructions") * pico) +
                                 c.value("sm.sfu") * (count("sfu_instructions") * pico) +
                                 c.value("sm.address") * (addresses * pico);
    part("shared memory").dynamic = c.value("sm.shared") * (shared * pico);
    const double all = seconds_ * group_.params.number("sms", 1);
    const double active = std::min(all, count("active_cycles") / static_cast<double>(group_.clock.count));
    part("static").leakage = c.value("sm.active") * active + c.value("sm.idle") * (all - active);
  }

  // `module.NAME.COUNTER` in pJ per event, `module.NAME.static` in mW.
  void own_figures() {
    const std::string prefix = "module." + group_.module + ".";
    for (const auto& [name, row] : machine_.constants.rows()) {
      if (name.compare(0, prefix.size(), prefix) != 0) continue;
      const std::string what = name.substr(prefix.size());
      if (what == "static")
        part("static").leakage = row.value * (seconds_ * milli);
      else if (what != "area")
        part(what).dynamic = row.value * (count(what) * pico);
    }
  }

  const MachineModel& machine_;
  const MachineModel::Group& group_;
  const CountedInstance& instance_;
  double seconds_;
  std::vector<PartEnergy>& parts_;
};

double sum_of(const MachineModel& machine, const std::vector<CountedInstance>& instances,
              const char* counter) {
  double sum = 0;
  for (const CountedInstance& instance : instances) {
    const MachineModel::Group* group = machine.group(instance.name);
    const auto found = instance.counters.find(counter);
    if (group != nullptr && group->role == Role::sm && found != instance.counters.end())
      sum += static_cast<double>(found->second);
  }
  return sum;
}

}  // namespace

Interval EnergyReport::total() const {
  Interval sum;
  for (const PartEnergy& part : parts) sum += part.total();
  return sum;
}

Interval EnergyReport::of(EnergyGroup group) const {
  Interval sum;
  for (const PartEnergy& part : parts)
    if (part.group == group) sum += part.total();
  return sum;
}

EnergyReport energy_of(const MachineModel& machine, const std::vector<CountedInstance>& instances,
                       double cycles, double core_hertz) {
  EnergyReport report;
  report.seconds = cycles / core_hertz;
  report.uncounted = machine.uncounted;
  std::vector<std::string>& uncounted = report.uncounted;
  for (const CountedInstance& instance : instances) {
    const MachineModel::Group* group = machine.group(instance.name);
    if (group == nullptr) continue;
    InstanceEnergy energy(machine, *group, instance, report.seconds, report.parts);
    energy.add();
    const std::string lacks = energy.lacks();
    if (!lacks.empty() && std::find(uncounted.begin(), uncounted.end(), lacks) == uncounted.end())
      uncounted.push_back(lacks);
  }
  report.thread_instructions = sum_of(machine, instances, "thread_instructions");
  report.ipc = cycles == 0 ? 0 : report.thread_instructions / cycles;
  report.bytes = 32 * sum_of(machine, instances, "sectors");
  report.notes = machine.notes;
  return report;
}

namespace {

std::vector<CountedInstance> counted(const nlohmann::ordered_json& stats) {
  std::vector<CountedInstance> instances;
  for (const auto& [name, block] : stats["instances"].items()) {
    CountedInstance instance{name, block["module"].get<std::string>(), {}};
    if (block.contains("counters"))
      for (const auto& [counter, value] : block["counters"].items())
        if (value.is_number_unsigned()) instance.counters[counter] = value.get<std::uint64_t>();
    instances.push_back(std::move(instance));
  }
  return instances;
}

double core_hertz(const ResolvedNetlist& netlist) {
  for (const ResolvedClock& clock : netlist.clocks)
    if (clock.name == "core") return static_cast<double>(clock.frequency.count);
  return static_cast<double>(netlist.clocks.front().frequency.count);
}

}  // namespace

// The config.yaml beside the counters describes the machine that produced them.
EnergyReport energy_of_results(const std::string& directory, const power::Constants& constants,
                               const power::Technology& technology,
                               std::map<std::string, power::Interval>* figures) {
  const nlohmann::ordered_json stats = read_results(directory);
  const ResolvedNetlist netlist = Netlist::load(directory + "/config.yaml").resolve();
  const MachineModel machine(netlist, constants, technology);
  EnergyReport report =
      energy_of(machine, counted(stats), required_figure(stats, directory, "cycles"), core_hertz(netlist));
  report.title = directory;
  if (figures != nullptr) *figures = machine_figures(netlist, machine);
  return report;
}

namespace {

using power::Interval;
using Json = nlohmann::ordered_json;

struct Split {
  Interval dynamic, leakage, clock;
  Interval total() const { return dynamic + leakage + clock; }
};

Split split_of(const EnergyReport& report, const EnergyGroup* only) {
  Split split;
  for (const PartEnergy& part : report.parts) {
    if (only != nullptr && part.group != *only) continue;
    split.dynamic += part.dynamic;
    split.leakage += part.leakage;
    split.clock += part.clock;
  }
  return split;
}

double per(double value, double divisor) {
  return divisor == 0 ? 0 : value / divisor;
}

std::string millijoules(double joules) {
  return rounded(1e3 * joules);
}

void add_row(TextTable& table, const std::string& name, const Split& split, const EnergyReport& report) {
  const Interval total = split.total();
  table.add({name, millijoules(split.dynamic.nominal), millijoules(split.leakage.nominal),
             millijoules(split.clock.nominal), millijoules(total.nominal),
             millijoules(total.low) + " - " + millijoules(total.high),
             rounded(per(total.nominal, report.seconds)),
             percent(per(total.nominal, report.total().nominal))});
}

Json interval(const Interval& value) {
  return Json::array({value.low, value.nominal, value.high});
}

Json json_of(const EnergyReport& report) {
  Json json;
  json["result"] = report.title;
  json["seconds"] = report.seconds;
  json["joules"] = interval(report.total());
  json["watts"] = per(report.total().nominal, report.seconds);
  json["pj_per_thread_instruction"] = per(1e12 * report.total().nominal, report.thread_instructions);
  json["pj_per_byte"] = per(1e12 * report.total().nominal, report.bytes);
  json["joule_seconds"] = report.total().nominal * report.seconds;
  json["ipc"] = report.ipc;
  for (const EnergyGroupRow& row : energy_groups)
    json["groups"][std::string(row.name)] = interval(report.of(row.value));
  json["parts"] = Json::array();
  for (const PartEnergy& part : report.parts)
    json["parts"].push_back({{"instance", part.instance},
                             {"module", part.module},
                             {"part", part.part},
                             {"group", to_text(part.group)},
                             {"dynamic", interval(part.dynamic)},
                             {"leakage", interval(part.leakage)},
                             {"clock", interval(part.clock)}});
  json["not_counted"] = report.uncounted;
  json["notes"] = report.notes;
  return json;
}

}  // namespace

std::string energy_text(const EnergyReport& report) {
  TextTable table;
  table.add({report.title, "dynamic mJ", "leakage mJ", "clock mJ", "total mJ", "low - high", "W", "share"});
  for (const EnergyGroupRow& one : energy_groups) {
    const Split split = split_of(report, &one.value);
    if (split.total().nominal > 0) add_row(table, one.label, split, report);
  }
  add_row(table, "total", split_of(report, nullptr), report);
  const double joules = report.total().nominal;
  std::string text = table.text("") + "\n" + rounded(per(1e12 * joules, report.thread_instructions)) +
                     " pJ for a thread instruction, " + rounded(per(1e12 * joules, report.bytes)) +
                     " pJ per byte requested by the SMs; " + "energy x delay " +
                     rounded(1e9 * joules * report.seconds) + " nJ s, " +
                     rounded(per(report.ipc, per(joules, report.seconds))) + " IPC/W\n";
  for (const std::string& name : report.uncounted) text += "not counted: " + name + "\n";
  for (const std::string& note : report.notes) text += "beyond: " + note + "\n";
  return text;
}

std::string energy_comparison(const std::vector<EnergyReport>& reports) {
  TextTable table;
  std::vector<std::string> head{"energy"};
  for (const EnergyReport& report : reports) head.push_back(report.title);
  table.add(head);
  const auto row = [&](const std::string& name, const std::function<double(const EnergyReport&)>& value) {
    std::vector<std::string> cells{name};
    const double first = value(reports.front());
    for (const EnergyReport& report : reports)
      cells.push_back(rounded(value(report)) + (&report == &reports.front() || first == 0
                                                    ? ""
                                                    : " (" + std::string(value(report) < first ? "" : "+") +
                                                          percent(value(report) / first - 1) + ")"));
    table.add(cells);
  };
  const auto any = [&reports](EnergyGroup group) {
    return std::any_of(reports.begin(), reports.end(),
                       [group](const EnergyReport& r) { return r.of(group).nominal > 0; });
  };
  for (const EnergyGroupRow& one : energy_groups)
    if (any(one.value))
      row(std::string(one.label) + ", mJ",
          [&one](const EnergyReport& r) { return 1e3 * r.of(one.value).nominal; });
  row("total, mJ", [](const EnergyReport& r) { return 1e3 * r.total().nominal; });
  row("power, W", [](const EnergyReport& r) { return per(r.total().nominal, r.seconds); });
  row("pJ for a thread instruction",
      [](const EnergyReport& r) { return per(1e12 * r.total().nominal, r.thread_instructions); });
  row("energy x delay, nJ s", [](const EnergyReport& r) { return 1e9 * r.total().nominal * r.seconds; });
  row("IPC/W", [](const EnergyReport& r) { return per(r.ipc, per(r.total().nominal, r.seconds)); });
  return table.text("");
}

std::string energy_summary(const EnergyReport& report) {
  std::string text;
  for (const EnergyGroupRow& one : energy_groups) {
    const Interval joules = report.of(one.value);
    if (joules.nominal <= 0) continue;
    std::string name = std::string("energy ") + one.label;
    name.resize(16, ' ');
    text += name + millijoules(joules.nominal) + " mJ (" + millijoules(joules.low) + " - " +
            millijoules(joules.high) + "), " + rounded(per(joules.nominal, report.seconds)) + " W, " +
            percent(per(joules.nominal, report.total().nominal)) + "\n";
  }
  return text;
}

std::string energy_json(const std::vector<EnergyReport>& reports) {
  Json json = Json::array();
  for (const EnergyReport& report : reports) json.push_back(json_of(report));
  return json_text(json) + "\n";
}

std::string energy_csv(const std::vector<EnergyReport>& reports) {
  std::string text = "result,instance,module,part,group,kind,joule_low,joule,joule_high\n";
  const auto row = [&text](const EnergyReport& report, const PartEnergy& part, const char* kind,
                           const Interval& joules) {
    char numbers[80];
    std::snprintf(numbers, sizeof numbers, ",%.9g,%.9g,%.9g\n", joules.low, joules.nominal, joules.high);
    text += report.title + "," + part.instance + "," + part.module + "," + part.part + "," +
            to_text(part.group) + "," + kind + numbers;
  };
  for (const EnergyReport& report : reports)
    for (const PartEnergy& part : report.parts) {
      row(report, part, "dynamic", part.dynamic);
      row(report, part, "leakage", part.leakage);
      row(report, part, "clock", part.clock);
    }
  return text;
}

}  // namespace strata::platforms
