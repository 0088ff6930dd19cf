#include <iostream>

#include "platforms/cli/arguments.h"
#include "platforms/netlist/catalog.h"

namespace strata::cli {

int run_modules(const std::vector<std::string>& arguments) {
  Arguments a("modules [NAME] [--markdown]",
              "Lists the modules that netlists can use, or the sockets, parameters and counters of one.",
              "  strata modules\n  strata modules llc_slice\n");
  a.options().add_options()("markdown", "print Markdown tables, as in the docs");
  if (!a.read(arguments, 0, 1)) return 0;
  if (!a.words().empty()) {
    const ModuleKind& kind = platforms::require_module(a.words().front());
    std::cout << (a.has("markdown") ? platforms::describe_module_markdown(kind)
                                    : platforms::describe_module(kind));
    return 0;
  }
  if (!a.has("markdown")) {
    std::cout << platforms::list_modules();
    return 0;
  }
  for (const ModuleKind* kind : platforms::built_in_modules())
    std::cout << platforms::describe_module_markdown(*kind) << "\n";
  return 0;
}

}  // namespace strata::cli
