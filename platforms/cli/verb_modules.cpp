#include <iostream>

#include "platforms/cli/arguments.h"
#include "platforms/engine/netlist/catalog.h"

namespace strata::cli {

int run_modules(const std::vector<std::string>& arguments) {
  Arguments a("modules [NAME] [--plugin FILE]... [--markdown]",
              "Lists the modules that netlists can use, or the sockets, parameters and counters of one.",
              "  strata modules\n  strata modules llc_slice\n");
  add_plugin_option(a);
  a.options().add_options()("markdown", "print Markdown tables, as in the docs");
  if (!a.read(arguments, 0, 1)) return 0;
  const platforms::Netlist known = known_by(a);
  if (!a.words().empty()) {
    const ModuleKind& kind = platforms::require_module(a.words().front(), known.modules());
    std::cout << (a.has("markdown") ? platforms::describe_module_markdown(kind)
                                    : platforms::describe_module(kind));
    return 0;
  }
  if (!a.has("markdown")) {
    std::cout << platforms::list_modules(known.modules());
    return 0;
  }
  for (const ModuleKind* kind : known.modules())
    std::cout << platforms::describe_module_markdown(*kind) << "\n";
  return 0;
}

}  // namespace strata::cli
