#include "tb/contract/declarations.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "platforms/engine/netlist/catalog.h"
#include "platforms/engine/netlist/drawing.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/report/explain.h"
#include "platforms/report/laws.h"
#include "platforms/report/summary.h"

namespace strata::contract {
namespace {

using namespace platforms;

bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
  });
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class Declarations {
 public:
  Declarations(const ModuleKind& kind, const ModuleTable& modules)
      : kind_(kind), modules_(modules), stats_(read_stats(std::string(kind.name), kind, *kind.new_stats())) {}

  Findings check(const Case& plain, const std::string& docs) {
    names();
    sockets();
    resources();
    for (const std::string& law : stats_.laws) check_one(law);
    for (const Fault& fault : check_summary_mapping({&kind_})) blame(fault.message);
    shown(plain);
    if (!docs.empty()) page(docs);
    return std::move(findings_);
  }

 private:
  void blame(const std::string& text) { findings_.push_back({"declarations", text}); }

  void name(const char* what, const std::string& name, const std::string& sentence, bool unit_is_there) {
    const std::string where = std::string(what) + " '" + name + "'";
    if (!is_name(name)) blame(where + ": names are of a-z, 0-9 and _");
    if (!taken_.insert(name).second && std::string(what) != "parameter") blame(where + " is there twice");
    if (sentence.empty()) blame(where + " has no sentence");
    if (!unit_is_there) blame(where + " has no unit");
    explained(std::string(kind_.name) + "." + name, sentence);
  }
  void explained(const std::string& name, const std::string& expected) {
    try {
      if (!has(explain(name, modules_, {}), expected))
        blame("strata explain " + name + " does not say its sentence");
    } catch (const ConfigError& error) {
      blame("strata explain " + name + ": " + error.what());
    }
  }
  void names() {
    if (!is_name(std::string(kind_.name))) blame("the module's name is not of a-z, 0-9 and _");
    if (kind_.summary.empty()) blame("the module has no summary");
    explained(std::string(kind_.name), std::string(kind_.summary));
    const auto params = kind_.new_params();
    for (const ParamRow& row : list_params(*params)) name("parameter", row.name, row.sentence, true);
    taken_.clear();
    for (const CounterRow& row : stats_.counters) name("counter", row.name, row.sentence, !row.unit.empty());
    for (const HistogramRow& row : stats_.histograms)
      name("histogram", row.name, row.sentence, !row.unit.empty());
    for (const RatioRow& row : stats_.ratios) name("ratio", row.name, row.sentence, true);
  }
  void sockets() {
    for (const PortSpec& port : ports_with(kind_, {})) {
      const std::string where = "socket '" + port.name + "'";
      if (port.sentence.empty()) blame(where + " has no sentence");
      for (const auto* names : {&port.hop.requests, &port.hop.replies})
        for (std::string_view counter : *names) {
          if (counter.front() == '-') counter.remove_prefix(1);
          if (stats_.counter(counter) == nullptr)
            blame(where + " counts its hop by '" + std::string(counter) +
                  "', which the module does not have");
        }
      if (port.protocol == "tlm" && !port.optional && port.hop.requests.empty())
        blame(where + " does not say which counter is that of its requests (PortSpec::hop)");
    }
  }
  void resources() {
    if (kind_.resources == nullptr) return;
    const auto params = kind_.new_params();
    const std::vector<ParamRow> rows = list_params(*params);
    const std::vector<PortSpec> ports = ports_with(kind_, {});
    std::set<std::string_view> names;
    for (const Resource& resource : kind_.resources(*params)) {
      const std::string where = "resource '" + std::string(resource.name) + "'";
      if (!is_name(std::string(resource.name))) blame(where + ": names are of a-z, 0-9 and _");
      if (!names.insert(resource.name).second) blame(where + " is there twice");
      if (resource.sentence.empty()) blame(where + " has no sentence");
      std::vector<std::string_view> counters;
      for (const Resource::Use& use : resource.uses) counters.push_back(use.counter);
      if (!resource.busiest.empty()) counters.push_back(resource.busiest);
      for (const std::string_view counter : counters)
        if (stats_.counter(counter) == nullptr)
          blame(where + " is used by '" + std::string(counter) + "', which the module does not count");
      if (!resource.reliefs.empty() &&
          std::none_of(resource.reliefs.begin(), resource.reliefs.end(), [&](const Resource::Relief& relief) {
            return relief.param == "clock" || std::any_of(rows.begin(), rows.end(), [&](const ParamRow& row) {
                     return row.name == relief.param;
                   });
          }))
        blame(where + " is relieved by no parameter that the module has");
      if (!resource.sockets.empty() && std::none_of(ports.begin(), ports.end(), [&](const PortSpec& port) {
            return port.name == resource.sockets;
          }))
        blame(where + " is of the sockets '" + std::string(resource.sockets) + "', which are not there");
    }
  }
  void check_one(const std::string& law) {
    const std::string problem = check_law(law, [&](std::string_view name) -> std::optional<std::uint64_t> {
      const CounterRow* row = stats_.counter(name);
      if (row == nullptr) return std::nullopt;
      return row->value;
    });
    if (!problem.empty()) blame("before anything has happened: " + problem);
  }
  void shown(const Case& plain) {
    if (!has(list_modules(modules_), kind_.name)) blame("strata modules does not list it");
    if (!has(describe_module(kind_), kind_.summary)) blame("strata modules NAME does not show it");
    try {
      const ResolvedNetlist netlist = netlist_of(kind_, plain, modules_).resolve();
      if (!has(to_dot(netlist), kind_.name)) blame("a drawing does not show it");
      if (!has(to_table(netlist), kind_.name)) blame("strata netlist does not show it");
    } catch (const ConfigError& error) {
      blame(std::string("the machine around it is refused: ") + error.what());
    }
    if (kind_.storage == nullptr) return;
    for (const StorageField& field : kind_.storage(*kind_.new_params()))
      if (field.entries == 0 || field.bits == 0)
        blame("its storage '" + std::string(field.name) + "' is empty");
  }
  void page(const std::string& folder) {
    const std::string mark = "<!-- generated: modules " + std::string(kind_.name) + " -->";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".md") continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      if (has(text, mark)) return;
    }
    blame("no page of " + folder + " shows its table: write " + mark + " and <!-- end generated -->");
  }

  const ModuleKind& kind_;
  const ModuleTable& modules_;
  const InstanceStats stats_;
  std::set<std::string> taken_;
  Findings findings_;
};

}  // namespace

Findings check_declarations(const ModuleKind& kind, const Case& plain, const ModuleTable& modules,
                            const std::string& docs) {
  return Declarations(kind, modules).check(plain, docs);
}

}  // namespace strata::contract
