#include "platforms/studies/energy/area_report.h"

#include <nlohmann/json.hpp>

#include "models/common/llc_choices_if.h"
#include "models/l1/l1_private.h"
#include "platforms/report/json_text.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/energy/machine_model.h"

namespace strata::platforms {
namespace {

using power::Interval;

constexpr double mm2_of_um2 = 1e-6;

class AreaSum {
 public:
  AreaSum(const MachineModel& machine, std::vector<PartArea>& parts) : machine_(machine), parts_(parts) {}

  void add(const MachineModel::Group& group) {
    group_ = &group;
    if (group.router)
      for (const bool reply : {false, true})
        router(reply ? group.router->reply : group.router->request, reply ? "reply " : "request ");
    wires(group.in, "repeaters of links in", group.params.number("inputs", 0));
    wires(group.out, "repeaters of links out", group.params.number("outputs", 0));
    if (group.sram) part("data and tags", group.sram->area);
    if (group.queues) part("queues", group.queues->area);
    for (const auto& [name, array] : group.added) part(name, array.area);
    const std::string own = "module." + group.module + ".area";
    if (machine_.constants.has(own)) part("its own figure", machine_.constants.value(own));
  }

 private:
  void part(const std::string& name, const Interval& mm2) {
    parts_.push_back({group_->name, group_->module, name, group_of(group_->role), group_->count,
                      mm2 * machine_.area_scale * static_cast<double>(group_->count)});
  }
  void router(const power::RouterPower& p, const std::string& network) {
    part(network + "buffers", p.area_buffer * mm2_of_um2);
    part(network + "crossbar", p.area_crossbar * mm2_of_um2);
    part(network + "allocator", p.area_allocator * mm2_of_um2);
    part(network + "clock tree", p.area_clock * mm2_of_um2);
  }
  void wires(const std::optional<MachineModel::Wires>& side, const char* name, double ports) {
    if (side && side->charged)
      part(name, side->link.area_repeaters * (2 * ports * mm2_of_um2));  // both directions
  }

  const MachineModel& machine_;
  std::vector<PartArea>& parts_;
  const MachineModel::Group* group_ = nullptr;
};

}  // namespace

std::vector<PartArea> area_of(const MachineModel& machine) {
  std::vector<PartArea> parts;
  AreaSum sum(machine, parts);
  for (const MachineModel::Group& group : machine.groups) sum.add(group);
  return parts;
}

std::string area_text(const MachineModel& machine) {
  TextTable table;
  table.add({"block", "instances", "part", "mm2", "low - high"});
  Interval total;
  const auto span = [](const Interval& area) { return rounded(area.low) + " - " + rounded(area.high); };
  for (const PartArea& part : area_of(machine)) {
    table.add(
        {part.name, std::to_string(part.count), part.part, rounded(part.area.nominal), span(part.area)});
    total += part.area;
  }
  table.add({"total", "", "", rounded(total.nominal), span(total)});
  std::string text = table.text("");
  if (!machine.plan.empty()) text += "\nlinks\n";
  TextTable links;
  for (const LinkGroup& link : machine.plan)
    links.add({machine.groups[static_cast<std::size_t>(link.from)].name + " - " +
                   machine.groups[static_cast<std::size_t>(link.to)].name,
               std::to_string(link.links) + " of " + rounded(link.length_mm, 3) + " mm",
               link.stated
                   ? "as the netlist says"
                   : "in " + std::to_string(link.regions) + (link.regions == 1 ? " region" : " regions")});
  text += links.text();
  for (const std::string& name : machine.uncounted) text += "not counted: " + name + "\n";
  for (const std::string& note : machine.notes) text += "beyond: " + note + "\n";
  return text;
}

std::string area_json(const MachineModel& machine) {
  nlohmann::ordered_json json;
  Interval total;
  json["parts"] = nlohmann::ordered_json::array();
  for (const PartArea& part : area_of(machine)) {
    json["parts"].push_back({{"block", part.name},
                             {"module", part.module},
                             {"part", part.part},
                             {"group", to_text(part.group)},
                             {"instances", part.count},
                             {"mm2", {part.area.low, part.area.nominal, part.area.high}}});
    total += part.area;
  }
  json["mm2"] = {total.low, total.nominal, total.high};
  json["links"] = nlohmann::ordered_json::array();
  for (const LinkGroup& link : machine.plan)
    json["links"].push_back({{"from", machine.groups[static_cast<std::size_t>(link.from)].name},
                             {"to", machine.groups[static_cast<std::size_t>(link.to)].name},
                             {"links", link.links},
                             {"regions", link.regions},
                             {"stated", link.stated},
                             {"mm", link.length_mm}});
  json["not_counted"] = machine.uncounted;
  json["notes"] = machine.notes;
  return json_text(json) + "\n";
}

namespace {

/// Storage of the predictors, counted at the first LLC with the parameters of its slices.
StorageFields predictors(const ResolvedNetlist& netlist, const LlcChoicesParams& control) {
  for (const ResolvedGroup& group : netlist.groups) {
    if (group.kind->role != Role::llc) continue;
    if (const auto slice = cache_shape(ParamValues(*group.base.params), netlist.address_map.line.count))
      return control.predictors(*make_address_map(netlist.address_map), slice->sets, slice->ways);
  }
  return {};
}

StorageFields tags_beyond_plain(const ResolvedGroup& group) {
  ParamValues params(*group.base.params);
  L1PrivateParams plain;
  plain.size = Bytes(static_cast<std::uint64_t>(params.number("size", 0)));
  plain.ways = static_cast<int>(params.number("ways", 0));
  plain.line =
      Bytes(static_cast<std::uint64_t>(params.number("line", static_cast<double>(plain.line.count))));
  plain.address_bits = static_cast<int>(params.number("address_bits", plain.address_bits));
  if (plain.size.count == 0 || plain.ways == 0) return {};
  const std::uint64_t sets = plain.sets();
  const std::uint64_t own = tag_bits(group.kind->storage(*group.base.params));
  const std::uint64_t usual = tag_bits(L1Private::storage(plain));
  if (sets == 0 || own <= usual) return {};
  return {{"tags beyond a plain cache's", sets, (own - usual + sets - 1) / sets}};
}

}  // namespace

std::uint64_t tag_bits(const StorageFields& fields) {
  std::uint64_t bits = 0;
  for (const StorageField& field : fields)
    if (field.name != "data" && field.name.rfind("MSHR", 0) != 0) bits += field.entries * field.bits;
  return bits;
}

StorageFields added_storage(const ResolvedNetlist& netlist, const ResolvedGroup& group) {
  if (const auto* control = dynamic_cast<const LlcChoicesParams*>(group.base.params.get()))
    return predictors(netlist, *control);
  if (group.kind->role == Role::l1 && group.kind->storage != nullptr) return tags_beyond_plain(group);
  return {};
}

}  // namespace strata::platforms
