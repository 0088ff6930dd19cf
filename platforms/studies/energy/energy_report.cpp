#include "platforms/studies/energy/energy_report.h"

#include <algorithm>

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

}  // namespace strata::platforms
