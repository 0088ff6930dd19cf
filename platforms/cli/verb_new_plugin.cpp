#include <algorithm>
#include <iostream>

#include "platforms/cli/arguments.h"
#include "platforms/cli/new_plugin/new_plugin.h"

namespace strata::cli {
namespace {

using platforms::NewPluginKind;

std::string padded(std::string_view text, std::size_t width) {
  std::string cell(text);
  cell.resize(std::max(width, cell.size()) + 2, ' ');
  return cell;
}

void list_kinds() {
  const auto row = [](std::string_view kind, std::string_view functions, std::string_view interface,
                      std::string_view summary) {
    std::cout << padded(kind, 16) << padded(functions, 23) << padded(interface, 42) << summary << "\n";
  };
  row("kind", "functions", "interface", "what it decides or is");
  for (const NewPluginKind& kind : platforms::new_plugin_kinds())
    row(kind.name, kind.functions, kind.interface, kind.summary);
}

}  // namespace

int run_new_plugin(const std::vector<std::string>& arguments) {
  Arguments a(
      "new-plugin [KIND NAME [DIRECTORY]]",
      "Writes a plug-in that builds and passes its test: NAME.cpp, CMakeLists.txt and NAME.yaml, a netlist\n"
      "file that uses it. DIRECTORY: NAME by default. Without KIND: the kinds, the functions that each\n"
      "must write, and its interface.",
      "  strata new-plugin\n"
      "  strata new-plugin dram_scheduler batches\n"
      "  strata new-plugin replacement fifo plugins/fifo\n");
  if (!a.read(arguments, 0, 3)) return 0;
  const std::vector<std::string>& words = a.words();
  if (words.empty()) {
    list_kinds();
    return 0;
  }
  const NewPluginKind& kind = platforms::new_plugin_kind(words[0]);
  if (words.size() < 2)
    throw ConfigError("new-plugin: expected a name behind " + words[0] + "; see strata new-plugin --help");
  const std::string& name = words[1];
  const std::string folder = words.size() > 2 ? words[2] : name;
  for (const std::string& file : platforms::write_plugin(kind, name, folder)) std::cout << file << "\n";
  std::cout << "\nbuild, test and use it:\n"
            << "  cmake -S " << folder << " -B " << folder << "/build && cmake --build " << folder
            << "/build && cmake --build " << folder << "/build --target test\n"
            << "  strata run " << kind.platform << " --with " << folder << "/" << name << ".yaml --trace "
            << (kind.trace.substr(0, 10) == "my_plugin:" ? name + ":64" : std::string(kind.trace)) << "\n";
  if (!kind.set.empty())
    std::cout << "anywhere: --plugin " << folder << "/build/" << name << ".so --set " << kind.set << "="
              << name << "\n";
  std::cout << "its contract: " << kind.interface << "\n";
  return 0;
}

}  // namespace strata::cli
