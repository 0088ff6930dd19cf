#include "platforms/report/resource_loads.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace strata::platforms {
namespace {

double count_of(const InstanceStats& table, std::string_view counter) {
  if (const CounterRow* row = table.counter(counter)) return static_cast<double>(row->value);
  const RatioRow* ratio = table.ratio(counter);
  return ratio == nullptr ? 0 : static_cast<double>(ratio->numerator);
}

double uses_of(const InstanceStats& table, const Resource& resource) {
  double sum = 0;
  for (const Resource::Use& use : resource.uses) sum += use.weight * count_of(table, use.counter);
  return sum;
}

bool has(const std::vector<Cause>& causes, Cause cause) {
  return std::find(causes.begin(), causes.end(), cause) != causes.end();
}

/// Packets that the group of a single socket has counted in one direction; empty: it has several sockets, or
/// does not count.
std::optional<double> packets(const PortSpec& port, const InstanceStats& table, bool replies) {
  const auto& names = replies ? port.hop.replies : port.hop.requests;
  if (port.count != 1 || names.empty()) return std::nullopt;
  double sum = 0;
  for (const std::string_view name : names)
    sum += name.front() == '-' ? -count_of(table, name.substr(1)) : count_of(table, name);
  return sum;
}

std::string place_of_group(const ResolvedGroup& group) {
  return group.place.empty() ? std::string(place_of(group.kind->role)) : group.place;
}

class Loads {
 public:
  explicit Loads(const RunCounts& run) : run_(run), stops_(run.places.stops()) {
    std::size_t first = 0;
    for (const ResolvedGroup& group : run.netlist.groups) {
      first_.push_back(first);
      first += static_cast<std::size_t>(group.count());
    }
  }

  /// Packets in front of the links of a stage and on them. Ledgers charge their wait to the place of the
  /// stage and to that of the sender, one stop before it (for replies: after it). Stages of one place share
  /// the wait: the stage with the most links gets it.
  void add_queues(std::vector<ResourceLoad>& loads) const {
    for (ResourceLoad& load : loads) {
      if (!load.is_queued() || run_.cycles == 0) continue;
      const std::size_t sender = load.resource.replies ? load.stop + 1 : load.stop - 1;
      double cycles = 0, links = 0;
      for (const Place row : run_.places.on_the_way()) {
        const std::size_t stop = stop_of(split_place(run_.places.name(row)).place);
        if ((stop != load.stop && stop != sender) || !has(load.resource.waits, run_.places.cause(row)))
          continue;
        for (const LedgerTotals::Sums& group : run_.ledger.groups)
          cycles += static_cast<double>(group.cycles[row]);
      }
      for (const ResourceLoad& other : loads)
        if (other.stop == load.stop && other.is_queued() && other.resource.replies == load.resource.replies)
          links = std::max(links, static_cast<double>(other.of_instances.size()) * other.resource.parts);
      if (!load.resource.replies) cycles *= 1 - stalled_behind(load.stop, loads);
      load.queue = cycles / static_cast<double>(run_.cycles) / links;
    }
  }

  void add_group(std::size_t number, std::vector<ResourceLoad>& loads) const {
    const ResolvedGroup& group = run_.netlist.groups[number];
    if (group.kind->resources == nullptr) return;
    const std::map<const ParamSet*, Resources> of_params = resources_of(group);
    Resources all;  // over all members: their parameters may give them different resources
    for (const ResolvedMember& member : group.members)
      for (const Resource& one : of_params.at(member.params.get()))
        if (find_resource(all, one.name) == nullptr) all.push_back(one);
    for (const Resource& one : all) {
      ResourceLoad load;
      load.group = group.name;
      load.place = place_of_group(group);
      load.role = group.kind->role;
      load.resource = one;
      load.words = message_of(number, one);
      load.stop = stop_of(load.place);
      measure(number, of_params, load);
      loads.push_back(std::move(load));
    }
  }

 private:
  std::size_t stop_of(const std::string& place) const {
    const auto at =
        std::find_if(stops_.begin(), stops_.end(), [&](const auto& s) { return s.place == place; });
    return static_cast<std::size_t>(at - stops_.begin());
  }

  /// Routers are named by the blocks bound to them: SMs and L1s, or LLC slices; between both they are just
  /// routers.
  std::string message_of(std::size_t number, const Resource& resource) const {
    std::string words(resource.sentence);
    const std::size_t at = words.find("router");
    if (run_.netlist.groups[number].kind->role != Role::router || at == std::string::npos) return words;
    bool sms = false, slices = false;
    for (const ResolvedConnection& connection : run_.netlist.connections)
      for (const auto& [own, other] :
           {std::pair{&connection.from, &connection.to}, std::pair{&connection.to, &connection.from}}) {
        if (!connection.tlm || own->group != static_cast<int>(number)) continue;
        const Role role = run_.netlist.groups[static_cast<std::size_t>(other->group)].kind->role;
        sms = sms || role == Role::sm || role == Role::l1 || role == Role::generator;
        slices = slices || role == Role::llc;
      }
    return sms == slices ? words : words.insert(at, sms ? "SM-side " : "LLC-side ");
  }

  static const Resource* find_resource(const Resources& all, std::string_view name) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    return at == all.end() ? nullptr : &*at;
  }

  /// Members without overrides share their parameters.
  static std::map<const ParamSet*, Resources> resources_of(const ResolvedGroup& group) {
    std::map<const ParamSet*, Resources> resources;
    for (const ResolvedMember& member : group.members)
      if (resources.count(member.params.get()) == 0)
        resources.emplace(member.params.get(), group.kind->resources(*member.params));
    return resources;
  }

  void measure(std::size_t number, const std::map<const ParamSet*, Resources>& of_params,
               ResourceLoad& load) const {
    const ResolvedGroup& group = run_.netlist.groups[number];
    const double clocks = cycles_in_core_cycle(run_.netlist, group.clock);
    const double time = static_cast<double>(run_.cycles) * clocks;
    std::vector<double> shares;
    std::vector<std::string> names;
    for (int i = 0; i < group.count(); ++i) {
      const ResolvedMember& member = group.members[static_cast<std::size_t>(i)];
      const Resource* const found = find_resource(of_params.at(member.params.get()), load.resource.name);
      if (found == nullptr) {
        load.of_instances.push_back(0);
        load.most_of_instances.push_back(0);
        continue;
      }
      const Resource& resource = *found;
      load.peak += resource.kind == Resource::Kind::rate ? resource.peak * clocks : resource.peak;
      const InstanceStats& table = run_.tables[first_[number] + static_cast<std::size_t>(i)];
      load.flits += resource.uses.empty() ? 0 : count_of(table, resource.uses[0].counter);
      load.packets += resource.uses.size() < 2 ? 0 : count_of(table, resource.uses[1].counter);
      for (const Resource::Use& use : resource.uses)
        load.known =
            load.known && (table.counter(use.counter) != nullptr || table.ratio(use.counter) != nullptr);
      if (time <= 0 || resource.peak <= 0 || resource.held != Resource::Held::counted) continue;
      const std::string name = group.name + "[" + std::to_string(i) + "]";
      const std::vector<double> own = parts(number, i, resource, time);
      shares.insert(shares.end(), own.begin(), own.end());
      names.insert(names.end(), own.size(), name);
      load.of_instances.push_back(std::accumulate(own.begin(), own.end(), 0.0) /
                                  static_cast<double>(own.size()));
      load.most_of_instances.push_back(*std::max_element(own.begin(), own.end()));
    }
    if (load.resource.held != Resource::Held::counted && run_.cycles > 0 && load.peak > 0)
      shares = {std::min(1.0, held_beyond(load) / static_cast<double>(run_.cycles) / load.peak)};
    load.shares = imbalance_of(shares);
    if (shares.size() > 1 && names.size() == shares.size()) load.busiest = names[load.shares.busiest];
  }

  /// Shares of one instance: the mean of its parts, or for each link the counts of the modules at the other
  /// ends.
  std::vector<double> parts(std::size_t number, int index, const Resource& resource, double time) const {
    const InstanceStats& table = run_.tables[first_[number] + static_cast<std::size_t>(index)];
    const double uses = uses_of(table, resource);
    double mean = uses / (resource.peak * time);
    // Waiting time is counted when it ends, and may include time before the cycles in question.
    if (resource.kind == Resource::Kind::room) mean = std::min(mean, 1.0);
    if (resource.parts == 1) return {mean};
    std::vector<double> known;
    if (!resource.sockets.empty()) known = neighbours(static_cast<int>(number), index, resource);
    const double all = std::accumulate(known.begin(), known.end(), 0.0);
    if (all > 0 && static_cast<int>(known.size()) == resource.parts) {
      for (double& share : known) share *= mean * resource.parts / all;
      return known;
    }
    const double counted = resource.uses.empty() ? 0 : count_of(table, resource.uses.front().counter);
    const double most = resource.busiest.empty() || counted == 0
                            ? mean
                            : count_of(table, resource.busiest) / counted * resource.parts * mean;
    // The busiest part as counted, the others equal, so that their mean matches the count.
    std::vector<double> shares(static_cast<std::size_t>(resource.parts),
                               (mean * resource.parts - most) / (resource.parts - 1));
    shares.front() = most;
    return shares;
  }

  std::vector<double> neighbours(int group, int index, const Resource& resource) const {
    std::vector<double> counts;
    for (const ResolvedConnection& connection : run_.netlist.connections) {
      for (const auto& [own, other] :
           {std::pair{&connection.from, &connection.to}, std::pair{&connection.to, &connection.from}}) {
        if (!connection.tlm || own->group != group || own->index != index) continue;
        if (run_.netlist.port(*own).name != resource.sockets) continue;
        const std::size_t at =
            first_[static_cast<std::size_t>(other->group)] + static_cast<std::size_t>(other->index);
        const auto count = packets(run_.netlist.port(*other), run_.tables[at], resource.replies);
        if (!count) return {};
        counts.push_back(*count);
      }
    }
    return counts;
  }

  /// Core cycles that accesses spent beyond the module on their path, loads alone or all.
  double held_beyond(const ResourceLoad& load) const {
    double cycles = 0;
    for (const Place row : run_.places.on_the_way()) {
      const std::size_t stop = stop_of(split_place(run_.places.name(row)).place);
      if (stop <= load.stop || stop == stops_.size()) continue;
      for (int g = 0; g < LedgerTotals::group_count; ++g)
        if (g == LedgerTotals::loads || load.resource.held == Resource::Held::accesses)
          cycles += static_cast<double>(run_.ledger.groups[static_cast<std::size_t>(g)].cycles[row]);
    }
    return cycles;
  }

  /// Share of time for which heads of queues behind a place were stalled: requests that wait in front of them
  /// do not wait for links.
  static double stalled_behind(std::size_t stop, const std::vector<ResourceLoad>& loads) {
    const ResourceLoad* nearest = nullptr;
    for (const ResourceLoad& load : loads)
      if (load.resource.name == "head" && load.stop > stop &&
          (nearest == nullptr || load.stop < nearest->stop))
        nearest = &load;
    return nearest == nullptr ? 0 : nearest->shares.mean;
  }

  const RunCounts& run_;
  const std::vector<LedgerPlaces::Stop> stops_;
  std::vector<std::size_t> first_;  // first table of each group
};

}  // namespace

Imbalance imbalance_of(const std::vector<double>& values) {
  Imbalance all;
  if (values.empty()) return all;
  const auto most = std::max_element(values.begin(), values.end());
  const double count = static_cast<double>(values.size()),
               sum = std::accumulate(values.begin(), values.end(), 0.0);
  all.mean = sum / count;
  all.most = *most;
  all.busiest = static_cast<std::size_t>(most - values.begin());
  if (sum <= 0) return all;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  double weighted = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) weighted += static_cast<double>(i + 1) * sorted[i];
  all.gini = 2 * weighted / (count * sum) - (count + 1) / count;
  return all;
}

bool ResourceLoad::is_queued() const {
  return has(resource.waits, Cause::request_queue) || has(resource.waits, Cause::reply_queue);
}

std::vector<double> ResourceLoad::busy_of_instances() const {
  const bool mean = role == Role::sm || role == Role::l1;
  std::vector<double> all = mean ? of_instances : most_of_instances;
  const double factor = share() > 0 ? busy() / share() : 1;
  for (double& one : all) one = std::min(1.0, one * factor);
  return all;
}

std::vector<ResourceLoad> resource_loads(const RunCounts& run) {
  std::vector<ResourceLoad> loads;
  const Loads measure(run);
  for (std::size_t g = 0; g < run.netlist.groups.size(); ++g) measure.add_group(g, loads);
  measure.add_queues(loads);
  return loads;
}

std::optional<ResourcePeak> peak_of(const ResolvedNetlist& netlist, Role role, std::string_view name) {
  std::optional<ResourcePeak> peak;
  for (const ResolvedGroup& group : netlist.groups) {
    if (group.kind->role != role || group.kind->resources == nullptr) continue;
    for (const ResolvedMember& member : group.members)
      for (const Resource& resource : group.kind->resources(*member.params)) {
        if (resource.name != name) continue;
        if (!peak) peak.emplace();
        const double uses = resource.peak * cycles_in_core_cycle(netlist, group.clock);
        peak->uses += uses;
        peak->bytes += uses * resource.bytes;
        if (!resource.uses.empty()) peak->counts += uses / resource.uses.front().weight;
      }
  }
  return peak;
}

double cycles_in_core_cycle(const ResolvedNetlist& netlist, const std::string& clock) {
  const auto hertz = [&](const std::string& name) {
    for (const ResolvedClock& one : netlist.clocks)
      if (one.name == name) return static_cast<double>(one.frequency.count);
    return 1.0;
  };
  return hertz(clock) / hertz("core");
}

}  // namespace strata::platforms
