#include "platforms/page/machine_load.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/l1/l1_params.h"
#include "models/memory_controller/memory_controller_params.h"

namespace strata::platforms {
namespace {

std::string name_of(const ResolvedGroup& group, int index) {
  return group.name + "[" + std::to_string(index) + "]";
}

const ParamSet& params_of(const ResolvedGroup& group, int index) {
  return *group.members[static_cast<std::size_t>(index)].params;
}

std::optional<double> share(std::optional<double> part, double whole) {
  if (!part || whole <= 0) return std::nullopt;
  return std::clamp(*part / whole, 0.0, 1.0);
}

/// Accesses that the port takes, each for as long as it does.
std::optional<double> port_load(const ResolvedGroup& group, int index, const InstanceCounters& counters) {
  const auto* params = dynamic_cast<const L1Params*>(&params_of(group, index));
  const double cycles = params == nullptr ? 1 : params->port_cycles;
  auto taken = counters.counter(name_of(group, index), "requests");
  if (taken) *taken *= cycles;
  return share(taken, counters.cycles());
}

/// Mean share of the queues that is filled: by Little's law, what all requests waited over the cycles.
std::optional<double> queue_load(const ResolvedGroup& group, int index, const InstanceCounters& counters,
                                 double ratio) {
  const auto* params = dynamic_cast<const MemoryControllerParams*>(&params_of(group, index));
  const auto reads = counters.counter(name_of(group, index), "read_wait");
  const auto writes = counters.counter(name_of(group, index), "write_wait");
  if (params == nullptr || !reads || !writes) return std::nullopt;
  const int room = params->shared_queue > 0 ? params->shared_queue : params->read_queue + params->write_queue;
  return share(*reads + *writes, counters.cycles() * ratio * room);
}

std::optional<double> link_load(const std::string& name, const InstanceCounters& counters) {
  const auto requests = counters.ratio(name, "request_utilization");
  const auto replies = counters.ratio(name, "reply_utilization");
  if (!requests || !replies) return std::nullopt;
  return std::max(*requests, *replies);
}

}  // namespace

InstanceCounters::InstanceCounters(const nlohmann::ordered_json& stats) : instances_(stats.at("instances")) {
  const auto& cycles = stats.at("summary").value("cycles", nlohmann::ordered_json());
  if (cycles.is_number()) cycles_ = cycles.get<double>();
}

std::optional<double> InstanceCounters::value(const std::string& instance, const char* kind,
                                              std::string_view name) const {
  const auto block = instances_.find(instance);
  if (block == instances_.end() || !block->contains(kind)) return std::nullopt;
  const auto& values = block->at(kind);
  const auto found = values.find(std::string(name));
  if (found == values.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::optional<double> InstanceCounters::counter(const std::string& instance, std::string_view name) const {
  return value(instance, "counters", name);
}

std::optional<double> InstanceCounters::ratio(const std::string& instance, std::string_view name) const {
  return value(instance, "ratios", name);
}

const char* load_words(Role role) {
  switch (role) {
    case Role::sm:
      return "issue slots used";
    case Role::l1:
      return "cycles in which the port takes an access";
    case Role::router:
      return "cycles in which the mean output moves a flit, of the busier direction";
    case Role::llc:
      return "cycles in which the tags take a request";
    case Role::memory:
      return "queue entries filled";
    case Role::channel:
      return "cycles in which the data bus moves data";
    default:
      return nullptr;
  }
}

std::optional<double> load_of(const ResolvedGroup& group, int index, const InstanceCounters& counters,
                              double ratio) {
  const std::string name = name_of(group, index);
  switch (group.kind->role) {
    case Role::sm:
      return counters.ratio(name, "issue_utilization");
    case Role::l1:
      return port_load(group, index, counters);
    case Role::router:
      return link_load(name, counters);
    case Role::llc:
      return share(counters.counter(name, "accesses"), counters.cycles() * ratio);
    case Role::memory:
      return queue_load(group, index, counters, ratio);
    case Role::channel:
      return counters.ratio(name, "utilization");
    default:
      return std::nullopt;
  }
}

double clock_ratio(const ResolvedNetlist& netlist, const ResolvedGroup& group) {
  const auto hertz = [&](const std::string& name) {
    for (const ResolvedClock& clock : netlist.clocks)
      if (clock.name == name) return static_cast<double>(clock.frequency.count);
    return 1.0;
  };
  return hertz(group.clock) / hertz("core");
}

}  // namespace strata::platforms
