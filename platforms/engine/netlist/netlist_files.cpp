#include "platforms/engine/netlist/netlist_files.h"

#include <set>

namespace strata::platforms {

std::vector<std::string> files_of(const Netlist& netlist) {
  std::set<std::string> files;
  const auto add = [&files](const std::vector<NetlistEntry>& entries) {
    for (const NetlistEntry& entry : entries) files.insert(entry.where.file);
  };
  for (const NetlistSection* section : {&netlist.clocks(), &netlist.address_map(), &netlist.run()})
    add(section->entries);
  for (const auto* sections : {&netlist.instances(), &netlist.overrides()})
    for (const NetlistSection& section : *sections) add(section.entries);
  add(netlist.bindings());
  for (const auto& plugin : netlist.plugins()) files.insert(plugin->path());
  return {files.begin(), files.end()};
}

}  // namespace strata::platforms
