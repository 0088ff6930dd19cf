#include "platforms/studies/energy/own_figures.h"

#include <algorithm>

#include "models/common/own_figures_if.h"
#include "models/common/text.h"
#include "platforms/report/stat_table.h"
#include "platforms/studies/energy/constants_files.h"

namespace strata::platforms {
namespace {

power::Constant constant_of(const OwnFigure& figure, const std::string& module) {
  const SourcePosition where{"the declaration of " + module, 0, 0};
  const auto refuse = [&](const std::string& what) {
    throw ConfigError(Faults{{where, "its figure of '" + figure.of + "' " + what}});
  };
  if (figure.unit.empty()) refuse("has no unit");
  if (figure.source.empty() || figure.obtained.empty()) refuse("has no `source` or no `obtained`");
  if (!(figure.low <= figure.nominal && figure.nominal <= figure.high))
    refuse("has values out of order: low, nominal, high grow away from 0");
  return {{figure.low, figure.nominal, figure.high}, figure.unit, figure.source, figure.obtained, where};
}

/// Checks that each row of the module names one of its counters, its static power or its area.
void check_names(const ModuleKind& kind, const power::Constants& table) {
  const std::string prefix = "module." + std::string(kind.name) + ".";
  std::vector<std::string> known{"static", "area"};
  if (kind.new_stats != nullptr)
    for (const CounterRow& row : read_stats("", kind, *kind.new_stats()).counters) known.push_back(row.name);
  for (auto row = table.rows().lower_bound(prefix);
       row != table.rows().end() && row->first.compare(0, prefix.size(), prefix) == 0; ++row) {
    const std::string of = row->first.substr(prefix.size());
    if (std::find(known.begin(), known.end(), of) != known.end()) continue;
    const std::string near = suggestion(of, known);
    throw ConfigError(Faults{
        {row->second.where, "constant " + row->first + ": " + std::string(kind.name) + " has no counter '" +
                                of + "'" + (near.empty() ? "; allowed: " + comma_list(known) : near)}});
  }
}

}  // namespace

power::Constants with_own_figures(const ResolvedNetlist& netlist, const power::Constants& table) {
  power::Constants all = table;
  for (const ResolvedGroup& group : netlist.groups) {
    const std::string module(group.kind->name);
    const auto* params = dynamic_cast<const OwnFiguresParams*>(group.base.params.get());
    if (params != nullptr)
      for (const OwnFigure& figure : params->own_figures()) {
        const std::string row = "module." + module + "." + figure.of;
        if (table.has(row)) continue;
        const power::Constant constant = constant_of(figure, module);
        check_constant(row, constant, table);
        all.set(row, constant);
      }
    check_names(*group.kind, all);
  }
  return all;
}

}  // namespace strata::platforms
