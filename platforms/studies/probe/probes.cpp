#include "platforms/studies/probe/probes.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>

#include "models/common/faults.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/report/headroom_machine.h"
#include "platforms/report/resource_loads.h"
#include "platforms/studies/probe/probe_report.h"
#include "platforms/studies/probe/probe_run.h"

namespace strata::platforms {
namespace {

constexpr Address data = 0x7f0000000000, copied = data + (Address{1} << 36);
constexpr std::uint64_t line = 128;  // 32 lanes of 4 B
constexpr std::uint8_t first_register = 8;

/// Properties of the machine that the probes need.
struct Machine {
  explicit Machine(const ResolvedNetlist& netlist) {
    double narrowest = 0;
    for (const ResolvedGroup& group : netlist.groups) {
      const ParamValues values(*group.base.params);
      if (group.kind->role == Role::sm) {
        sm.emplace(values);
        sms += group.count() * static_cast<int>(values.number("sms", 1));
      } else if (group.kind->role == Role::l1) {
        l1_port = port_cycles(group);
      } else if (group.kind->role == Role::llc) {
        slices += group.count();
        llc_bytes +=
            static_cast<std::uint64_t>(values.number("size", 0)) * static_cast<std::uint64_t>(group.count());
      } else if (const double channel = values.number("channel_bytes", 0);
                 group.kind->role == Role::router && channel > 0) {
        const double flits = std::ceil((values.number("header_bytes", 0) + line) / channel);
        const double rate = static_cast<double>(line) / flits * cycles_in_core_cycle(netlist, group.clock);
        narrowest = narrowest == 0 ? rate : std::min(narrowest, rate);
      }
    }
    if (sms == 0) throw ConfigError("the platform has no SMs: nothing can execute the probes");
    if (slices == 0) throw ConfigError("the platform has no slice of an LLC");
    dram_peak = headroom_machine(netlist).params.bandwidth.memory;
    if (narrowest != 0) llc_peak = narrowest * std::min(sms, slices);
  }
  /// Cycles that an access occupies the port of an L1. Empty: it declares no port.
  static std::optional<double> port_cycles(const ResolvedGroup& group) {
    if (group.kind->resources == nullptr) return std::nullopt;
    for (const Resource& resource : group.kind->resources(*group.base.params))
      if (resource.name == "port" && !resource.uses.empty()) return resource.uses.front().weight;
    return std::nullopt;
  }
  /// A parameter of the SMs.
  double of_sm(const std::string& name) const {
    if (!sm->has(name))
      throw ConfigError("the SMs have no parameter '" + name + "', from which probes follow");
    return sm->number(name, 0);
  }
  /// `wanted`, or the maximum of an SM.
  int warps_of_sm(int wanted) const {
    return std::max(
        1, std::min({wanted, static_cast<int>(of_sm("warps")), static_cast<int>(of_sm("threads")) / 32}));
  }
  int cta_warps() const { return warps_of_sm(8); }
  /// CTAs that fill half of every SM.
  int ctas() const { return sms * std::max(1, static_cast<int>(of_sm("warps")) / 2 / cta_warps()); }
  std::uint64_t warps() const { return static_cast<std::uint64_t>(ctas() * cta_warps()); }
  /// Lines per warp for a total of so many bytes.
  std::uint64_t lines_of(std::uint64_t bytes) const {
    return std::max<std::uint64_t>(4, bytes / (warps() * line));
  }

  std::optional<ParamValues> sm;
  std::optional<double> l1_port;
  int sms = 0, slices = 0;
  std::uint64_t llc_bytes = 0;
  double dram_peak = 0;
  std::optional<double> llc_peak;
};

std::uint8_t numbered(std::uint64_t n) {
  return static_cast<std::uint8_t>(first_register + n % 64);
}

ProbeKernel chase(std::vector<Address> addresses, std::uint64_t loads, bool past_l1) {
  ProbeKernel kernel;
  kernel.work = loads;
  kernel.write = [=](std::uint64_t, std::vector<WarpInstruction>& out) {
    for (std::uint64_t i = 0; i < loads; ++i) {
      out.push_back(chase_access(addresses[i % addresses.size()]));
      out.back().bypass_l1 = past_l1;
    }
  };
  return kernel;
}

/// One SM: all warps load the same few lines, with four loads in flight.
ProbeKernel l1_loads(const Machine& machine, std::uint64_t loads) {
  ProbeKernel kernel;
  kernel.warps = machine.warps_of_sm(32);
  kernel.work = loads * static_cast<std::uint64_t>(kernel.warps) * line;
  kernel.write = [=](std::uint64_t, std::vector<WarpInstruction>& out) {
    for (std::uint64_t i = 0; i < loads; ++i)
      out.push_back(line_access(OpClass::load, data + i % 4 * line, numbered(i % 4)));
  };
  return kernel;
}

/// All SMs: each warp has its own lines and loads them `passes` times, bypassing its L1.
ProbeKernel llc_loads(const Machine& machine, std::uint64_t passes) {
  const std::uint64_t warps = machine.warps(), lines = machine.lines_of(machine.llc_bytes / 4);
  ProbeKernel kernel;
  kernel.ctas = machine.ctas();
  kernel.warps = machine.cta_warps();
  kernel.work = passes * lines * warps * line;
  kernel.write = [=](std::uint64_t warp, std::vector<WarpInstruction>& out) {
    for (std::uint64_t i = 0; i < passes * lines; ++i) {
      out.push_back(line_access(OpClass::load, data + (i % lines * warps + warp) * line, numbered(i % 4)));
      out.back().bypass_l1 = true;
    }
  };
  return kernel;
}

enum class Stream { reads, copies, half_stores };

/// All SMs: neighbouring warps touch neighbouring lines, each once. Copies: one store for each load, which it
/// waits for. Half stores: every other access is a store, and none waits.
ProbeKernel stream(const Machine& machine, Stream kind, std::uint64_t bytes) {
  const std::uint64_t warps = machine.warps();
  const std::uint64_t lines = machine.lines_of(kind == Stream::reads ? bytes : bytes / 2);
  ProbeKernel kernel;
  kernel.ctas = machine.ctas();
  kernel.warps = machine.cta_warps();
  kernel.work = lines * warps * line * (kind == Stream::reads ? 1 : 2);
  kernel.write = [=](std::uint64_t warp, std::vector<WarpInstruction>& out) {
    for (std::uint64_t group = 0; group < lines; group += 4) {
      const std::uint64_t end = std::min(group + 4, lines);
      for (std::uint64_t i = group; i < end; ++i) {
        out.push_back(line_access(OpClass::load, data + (i * warps + warp) * line, numbered(i % 4)));
        if (kind == Stream::half_stores)
          out.push_back(line_access(OpClass::store, copied + (i * warps + warp) * line, no_register));
      }
      for (std::uint64_t i = group; kind == Stream::copies && i < end; ++i)
        out.push_back(line_access(OpClass::store, copied + (i * warps + warp) * line, numbered(i % 4)));
    }
  };
  return kernel;
}

/// One SM, 16 warps: independent instructions that repeat `pattern`.
ProbeKernel issue(const Machine& machine, const std::vector<WarpInstruction>& pattern, std::uint64_t count) {
  ProbeKernel kernel;
  kernel.warps = machine.warps_of_sm(16);
  kernel.work = static_cast<std::uint64_t>(kernel.warps) * count;
  kernel.shared_bytes = machine.of_sm("shared_memory") < 4096 ? 0 : 4096;
  kernel.write = [=](std::uint64_t, std::vector<WarpInstruction>& out) {
    for (std::uint64_t i = 0; i < count; ++i) {
      out.push_back(pattern[i % pattern.size()]);
      if (out.back().destination != no_register) out.back().destination = numbered(i);
    }
  };
  return kernel;
}

class Probes {
 public:
  explicit Probes(const ResolvedNetlist& netlist) : machine_(netlist), places_(probe_places(netlist)) {
    latencies();
    bandwidths();
    issue_rates();
  }
  std::vector<Probe> take() { return std::move(probes_); }

 private:
  void latency(const std::string& name, const std::string& sentence, const std::vector<Address>& addresses,
               std::uint64_t few, std::uint64_t many, bool past_l1) {
    if (many > few)
      probes_.push_back({name,
                         "core cycles",
                         sentence,
                         Probe::Measure::cycles_per_work,
                         {},
                         {},
                         chase(addresses, few, past_l1),
                         chase(addresses, many, past_l1)});
  }
  void latencies() {
    if (machine_.l1_port)
      latency("latency.l1", "load to use, one warp, the line is in the L1", {data}, 64, 256, false);
    latency("latency.llc", "load to use, bypassing the L1; the line is in the LLC", {data}, 64, 256, true);
    latency("latency.dram_open", "load to use, the row is open", places_.same_row,
            std::min<std::size_t>(4, places_.same_row.size()), places_.same_row.size(), false);
    latency("latency.dram_closed", "load to use, the bank is closed", places_.banks,
            std::min<std::size_t>(4, places_.banks.size()), places_.banks.size(), false);
  }

  void bandwidth(const std::string& name, const std::string& sentence, Probe::Measure measure,
                 std::optional<double> peak, const std::string& limit, ProbeKernel small, ProbeKernel large) {
    probes_.push_back(
        {name, "bytes per core cycle", sentence, measure, peak, limit, std::move(small), std::move(large)});
  }
  void bandwidths() {
    using Measure = Probe::Measure;
    if (machine_.l1_port)
      bandwidth("bandwidth.l1", "one SM: 32 warps load four lines that are in the L1",
                Measure::work_per_cycle, static_cast<double>(line) / *machine_.l1_port,
                "a line of 32 lanes each time its port is free", l1_loads(machine_, 64),
                l1_loads(machine_, 192));
    bandwidth("bandwidth.llc", "all SMs load lines in the LLC, bypassing their L1s", Measure::work_per_cycle,
              machine_.llc_peak, "the ports of the slices or of the SMs, headers counted",
              llc_loads(machine_, 2), llc_loads(machine_, 6));
    const std::string buses = "the data buses of all channels";
    const std::uint64_t few = std::min<std::uint64_t>(machine_.llc_bytes, 4 * MiB);
    bandwidth("bandwidth.dram_reads", "all SMs load each line once", Measure::dram_per_cycle,
              machine_.dram_peak, buses, stream(machine_, Stream::reads, few),
              stream(machine_, Stream::reads, 2 * few));
    // Lines are written back only on eviction: the LLC must be full.
    const std::uint64_t full = 2 * machine_.llc_bytes;
    bandwidth("bandwidth.dram_copies", "all SMs load each line once and store to another",
              Measure::dram_per_cycle, machine_.dram_peak, buses, stream(machine_, Stream::copies, full),
              stream(machine_, Stream::copies, full + full / 2));
    bandwidth("bandwidth.dram_half_stores", "loads and stores of lines in turn, none waits for another",
              Measure::dram_per_cycle, machine_.dram_peak, buses, stream(machine_, Stream::half_stores, full),
              stream(machine_, Stream::half_stores, full + full / 2));
  }

  void issue_rate(const std::string& name, const std::string& sentence,
                  const std::vector<WarpInstruction>& pattern, double peak, const std::string& limit,
                  std::uint64_t count = 200) {
    probes_.push_back({"issue." + name, "warp instructions per core cycle", sentence + ", 16 warps on one SM",
                       Probe::Measure::work_per_cycle, peak, limit, issue(machine_, pattern, count),
                       issue(machine_, pattern, 3 * count)});
  }
  void issue_rates() {
    const double slots = machine_.of_sm("schedulers");
    const double arithmetic_slots = slots / machine_.of_sm("alu_interval");
    const auto rate = [&](const std::string& unit) {
      return machine_.of_sm(unit + "_units") / machine_.of_sm(unit + "_interval");
    };
    const auto limited = [&](double units, double issue_slots) {
      return std::min(issue_slots, slots * units);
    };
    const std::string units = "the units of its class, or issue slots";
    struct Class {
      const char* name;
      const char* sentence;
      Unit unit;
    };
    const Class classes[] = {
        {"int", "integer", Unit::integer},       {"sp", "single precision", Unit::sp},
        {"dp", "double precision", Unit::dp},    {"tensor", "products of matrices", Unit::tensor},
        {"sfu", "special functions", Unit::sfu}, {"branch", "control flow", Unit::branch}};
    for (const Class& one : classes) {
      const bool other = one.unit == Unit::branch || one.unit == Unit::sfu;
      issue_rate(one.name, one.sentence, {arithmetic(one.unit, first_register)},
                 limited(rate(one.name), other ? slots : arithmetic_slots), units);
    }
    issue_rate("sp_int", "single precision and integer in turn",
               {arithmetic(Unit::sp, first_register), arithmetic(Unit::integer, first_register)},
               limited(2 * std::min(rate("sp"), rate("int")), arithmetic_slots), units);
    issue_rate("shared", "loads of shared memory without conflict", {shared_access(4)}, 1,
               "shared memory's port");
    issue_rate("shared_conflict", "loads of shared memory, 32 lanes in one bank", {shared_access(128)},
               1.0 / 32, "shared memory's port", 20);
  }

  Machine machine_;
  ProbePlaces places_;
  std::vector<Probe> probes_;
};

double value_of(const Probe& probe, const ProbeRun& small, const ProbeRun& large) {
  const auto cycles = static_cast<double>(large.cycles) - static_cast<double>(small.cycles);
  const auto work = static_cast<double>(probe.large.work - probe.small.work);
  const auto moved = static_cast<double>(large.dram_bytes) - static_cast<double>(small.dram_bytes);
  if (cycles <= 0) return 0;
  if (probe.measure == Probe::Measure::cycles_per_work) return cycles / work;
  return (probe.measure == Probe::Measure::dram_per_cycle ? moved : work) / cycles;
}

}  // namespace

std::vector<Probe> probes_of(const ResolvedNetlist& netlist) {
  return Probes(netlist).take();
}

std::vector<ProbeFigure> run_probes(const Netlist& netlist, const std::vector<Probe>& probes, int jobs,
                                    const std::function<void(const std::string&)>& started) {
  std::deque<std::unique_ptr<ProbeProcess>> running;
  std::vector<ProbeRun> runs;
  for (std::size_t i = 0; i < 2 * probes.size(); ++i) {
    if (running.size() == static_cast<std::size_t>(jobs)) {
      runs.push_back(running.front()->result());
      running.pop_front();
    }
    const Probe& probe = probes[i / 2];
    if (i % 2 == 0) started(probe.name);
    running.push_back(std::make_unique<ProbeProcess>(netlist, i % 2 == 0 ? probe.small : probe.large));
  }
  for (const auto& process : running) runs.push_back(process->result());
  std::vector<ProbeFigure> figures;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const ProbeRun& large = runs[2 * i + 1];
    figures.push_back({probes[i], value_of(probes[i], runs[2 * i], large), large.place, large.share});
  }
  return figures;
}

}  // namespace strata::platforms
