#include <iostream>

#include "models/io/draft.h"
#include "models/io/file_guard.h"
#include "platforms/cli/arguments.h"
#include "platforms/engine/netlist/drawing.h"
#include "platforms/engine/netlist/netlist.h"

namespace strata::cli {

int run_netlist(const std::vector<std::string>& arguments) {
  Arguments a(
      "netlist PLATFORM [--with FILE]... [--set KEY=VALUE]... [--svg FILE] [--dot FILE] [--expand] [--check] "
      "[--dump]",
      "Checks a platform and prints it as a table; draws it with Graphviz. PLATFORM is a file or the "
      "name of\n"
      "a shipped platform.",
      "  strata netlist isca19/shared --svg shared.svg\n  strata netlist mine.yaml --check\n");
  a.options().add_options()("with", po::value<std::vector<std::string>>(),
                            "a netlist file whose keys override the platform's; may be repeated")(
      "set", po::value<std::vector<std::string>>(), "set a key, as in the file: llc.ways=8")(
      "svg", po::value<std::string>(), "draw it into this file")("dot", po::value<std::string>(),
                                                                 "write Graphviz text into this file")(
      "expand", "draw every instance as a separate box")("check",
                                                         "only check: print nothing when all is well")(
      "dump", "print the whole effective configuration as YAML");
  add_plugin_option(a);
  if (!a.read(arguments, 1, 1)) return 0;
  const auto paths =
      require_platforms(a.words().front(),
                        a.has("with") ? a.get<std::vector<std::string>>("with") : std::vector<std::string>{});
  const platforms::Netlist read = platforms::Netlist::load(paths, settings(a));
  const platforms::ResolvedNetlist netlist = read.resolve();
  FileGuard files;
  files.reads(paths);
  files.reads(platforms::files_of(read));
  for (const char* option : {"dot", "svg"})
    if (a.has(option)) files.writes(std::string("--") + option, a.get<std::string>(option));
  const platforms::DrawingOptions drawing{a.has("expand")};
  if (a.has("dot")) write_file(a.get<std::string>("dot"), platforms::to_dot(netlist, drawing));
  if (a.has("svg")) platforms::write_svg(netlist, a.get<std::string>("svg"), drawing);
  if (a.has("dump"))
    std::cout << platforms::effective_configuration(netlist);
  else if (!a.has("check") && !a.has("dot") && !a.has("svg"))
    std::cout << platforms::to_table(netlist);
  return 0;
}

}  // namespace strata::cli
