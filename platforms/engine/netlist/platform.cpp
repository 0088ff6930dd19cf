#include "platforms/engine/netlist/platform.h"

#include <algorithm>
#include <map>
#include <new>

#include "models/tlm/external_module.h"
#include "models/tlm/ports.h"
#include "models/tlm/protocol_checker.h"
#include "platforms/engine/netlist/binding.h"

namespace strata::platforms {
namespace {

/// A SystemC report with the name of the part under construction. SystemC reports a lack of memory as an
/// uncaught exception: throws std::bad_alloc then.
ConfigError reworded(const std::string& what, const sc_core::sc_report& report) {
  std::string text = what + ": SystemC refuses: " + report.get_msg_type();
  if (report.get_msg() != nullptr && *report.get_msg() != '\0') text += ": " + std::string(report.get_msg());
  if (text.find("std::bad_alloc") != std::string::npos) throw std::bad_alloc();
  if (report.get_id() >= 0) text += " (E" + std::to_string(report.get_id()) + ")";
  return ConfigError(text);
}

}  // namespace

struct Platform::Parts {
  std::vector<std::unique_ptr<ClockDomain>> domains;
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
  std::vector<std::unique_ptr<sc_core::sc_module>> ends;  // ends of open sockets
};

Platform::Platform(const Netlist& netlist, const ElaborateOptions& options)
    : netlist_(netlist.resolve()),
      title_(netlist_.title),
      map_(make_address_map(netlist_.address_map)),
      parts_(std::make_unique<Parts>()) {
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION)
    throw ConfigError("platform '" + title_ +
                      "': a process can build one platform only, before its simulation starts");
  make_clocks();
  if (netlist_.run.carries_data) core_->carry_data();
  make_blocks(options);
  make_connections(options);
  close_open_sockets();
  order_places();
}

Platform::~Platform() = default;

void Platform::make_clocks() {
  // The ledger counts core cycles: the core domain comes first, the others refer to it.
  std::vector<const ResolvedClock*> order;
  for (const ResolvedClock& clock : netlist_.clocks) order.push_back(&clock);
  std::stable_partition(order.begin(), order.end(), [](const ResolvedClock* c) { return c->name == "core"; });
  for (const ResolvedClock* clock : order) {
    const auto same = std::find_if(clocks_.begin(), clocks_.end(), [&](const ClockDomain* domain) {
      return domain->frequency().count == clock->frequency.count;
    });
    ClockDomain* domain = same != clocks_.end() ? *same : nullptr;
    if (domain == nullptr) {
      const std::string name = "clock_" + clock->name;
      try {
        parts_->domains.push_back(std::make_unique<ClockDomain>(name.c_str(), clock->frequency, core_));
      } catch (const sc_core::sc_report& report) {
        throw reworded("clock " + clock->name, report);
      }
      domain = parts_->domains.back().get();
      clocks_.push_back(domain);
      if (core_ == nullptr) core_ = domain;
    }
    named_clocks_.push_back({clock->name, domain});
  }
}

void Platform::make_blocks(const ElaborateOptions& options) {
  for (const ResolvedGroup& group : netlist_.groups) {
    first_of_group_.push_back(instances_.size());
    const auto clock = std::find_if(named_clocks_.begin(), named_clocks_.end(),
                                    [&](const PlatformClock& c) { return c.name == group.clock; });
    std::shared_ptr<void> shared;
    for (int i = 0; i < group.count(); ++i) {
      PlatformInstance instance{group.name, i, group.kind, nullptr};
      const ResolvedMember& member = group.members[static_cast<std::size_t>(i)];
      const BuildContext context{*clock->domain,        *map_,       i,       group.count(),
                                 options.seed,          group.place, &shared, member.check_model,
                                 netlist_.run.fast_path};
      const std::string name = instance.full_name();
      try {
        parts_->blocks.push_back(
            member.rtl != nullptr
                ? group.kind->rtl->make(name.c_str(), *member.params, context, member.rtl->make())
                : group.kind->make(name.c_str(), *member.params, context));
      } catch (const sc_core::sc_report& report) {
        throw reworded(name, report);
      }
      instance.block = parts_->blocks.back().get();
      if (!group.place.empty()) instance.block->set_place(group.place);
      instances_.push_back(std::move(instance));
    }
  }
}

PortBase& Platform::port(const ResolvedEnd& end) const {
  const std::size_t at =
      first_of_group_[static_cast<std::size_t>(end.group)] + static_cast<std::size_t>(end.index);
  const PortSpec& spec = netlist_.port(end);
  for (PortBase* port : instances_[at].block->ports())
    if (port->index() == end.socket && port->group() == spec.name && port->role() == spec.role) return *port;
  throw ConfigError("module " + std::string(instances_[at].kind->name) + " did not make the socket " +
                    netlist_.text(end) + " that its description promises");
}

// Binds two sockets, with a protocol checker between them if requested or if an observer watches the calls.
// Returns false if they do not fit.
bool Platform::bind_tlm(PortBase& from, PortBase& to, const ElaborateOptions& options) {
  // Two third-party modules are bound through a checker, which has plain sockets on both sides.
  const bool externals =
      dynamic_cast<ExternalPort*>(&from) != nullptr && dynamic_cast<ExternalPort*>(&to) != nullptr;
  CallWatchIf* const watch = options.watch ? options.watch(from, to) : nullptr;
  if (!options.check_protocol && !externals && watch == nullptr) return from.bind_to(to);
  const std::string name = "check_" + std::string(from.owner().basename()) + "_" + from.socket_name();
  parts_->checkers.push_back(std::make_unique<ProtocolChecker>(name.c_str()));
  if (watch != nullptr) parts_->checkers.back()->set_watch(watch, options.check_protocol || externals);
  return from.bind_to(to, *parts_->checkers.back());
}

void Platform::make_connections(const ElaborateOptions& options) {
  std::vector<ResolvedConnection> all = netlist_.connections;
  all.insert(all.end(), netlist_.implied.begin(), netlist_.implied.end());
  for (const ResolvedConnection& connection : all) {
    const std::string what = netlist_.text(connection.from) + " -> " + netlist_.text(connection.to);
    try {
      PortBase& from = port(connection.from);
      PortBase& to = port(connection.to);
      const bool fits = connection.tlm ? bind_tlm(from, to, options) : from.bind_to(to);
      if (!fits) throw ConfigError("binding " + what + ": the two sockets do not fit");
      PortBase::set_ends(from, to);
    } catch (const sc_core::sc_report& report) {
      throw reworded("binding " + what, report);
    }
  }
}

// SystemC requires every socket to be bound: close optional sockets that the netlist leaves open.
void Platform::close_open_sockets() {
  std::vector<const PortBase*> bound;
  for (const ResolvedConnection& connection : netlist_.connections)
    if (connection.tlm) bound.insert(bound.end(), {&port(connection.from), &port(connection.to)});
  std::sort(bound.begin(), bound.end());  // only looked up, never iterated
  for (const PlatformInstance& instance : instances_) {
    for (PortBase* open : instance.block->ports()) {
      if (std::binary_search(bound.begin(), bound.end(), open)) continue;
      const std::string name = "open_" + instance.full_name() + "_" + open->socket_name();
      const bool external = dynamic_cast<ExternalPort*>(open) != nullptr;
      if (dynamic_cast<InitiatorPort*>(open) != nullptr ||
          (external && open->role() == PortRole::initiator)) {
        auto end = std::make_unique<OpenTarget>(name.c_str());
        open->bind_out(end->socket);
        parts_->ends.push_back(std::move(end));
      } else if (dynamic_cast<TargetPort*>(open) != nullptr || external) {
        auto end = std::make_unique<OpenInitiator>(name.c_str());
        open->bind_in(end->socket);
        parts_->ends.push_back(std::move(end));
      }
    }
  }
}

// Order blocks along the path of requests: breadth first, from blocks that receive none.
void Platform::order_places() {
  std::map<const Block*, Role> left;  // only looked up, never iterated
  for (const PlatformInstance& instance : instances_) left.emplace(instance.block, instance.kind->role);
  std::vector<const Block*> reached;
  std::vector<LedgerPlaces::Stop> way;
  const auto reach = [&](const Block* block) {
    const auto found = left.find(block);
    if (found == left.end()) return;
    const auto same = [&](const LedgerPlaces::Stop& stop) { return stop.place == block->place(); };
    if (std::none_of(way.begin(), way.end(), same))
      way.push_back({block->place(), std::string(to_text(found->second))});
    left.erase(found);
    reached.push_back(block);
  };
  const auto is_target = [](const PortBase* port) { return port->role() == PortRole::target; };
  for (const PlatformInstance& instance : instances_)
    if (const auto& ports = instance.block->ports(); std::none_of(ports.begin(), ports.end(), is_target))
      reach(instance.block);
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const PortBase* port : reached[i]->ports())
      if (port->role() == PortRole::initiator) reach(port->other_end());
  core_->places().set_way(std::move(way));
}

void Platform::finish_elaboration() {
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  } catch (const sc_core::sc_report& report) {
    throw reworded("platform '" + title_ + "'", report);
  }
}

std::vector<PlatformInstance> Platform::of_kind(std::string_view kind) const {
  std::vector<PlatformInstance> found;
  for (const PlatformInstance& instance : instances_)
    if (instance.kind->name == kind) found.push_back(instance);
  return found;
}

std::vector<PlatformInstance> Platform::of_role(Role role) const {
  std::vector<PlatformInstance> found;
  for (const PlatformInstance& instance : instances_)
    if (instance.kind->role == role) found.push_back(instance);
  return found;
}

void Platform::check_protocol_finished() {
  for (const auto& checker : parts_->checkers) checker->check_finished();
}

std::uint64_t Platform::protocol_violations() const {
  std::uint64_t sum = 0;
  for (const auto& checker : parts_->checkers) sum += checker->violations();
  return sum;
}

std::uint64_t Platform::checked_transactions() const {
  std::uint64_t sum = 0;
  for (const auto& checker : parts_->checkers) sum += checker->transactions();
  return sum;
}

}  // namespace strata::platforms
