#include <iostream>

#include "platforms/cli/arguments.h"
#include "platforms/report/explain.h"

namespace strata::cli {

int run_explain(const std::vector<std::string>& arguments) {
  Arguments a(
      "explain NAME... [--plugin FILE]...",
      "Explains a figure of the summary, a counter, a parameter, a resource, a ledger cause, a module, an "
      "instance\nor a word of reports (L2, bottleneck),\n"
      "with its unit, its owner and the laws it obeys. A key of --set is a name too: llc.ways. For a "
      "word that\n"
      "names nothing, it shows the entries that mention it.",
      "  strata explain llc_response_rate\n  strata explain noc.request_queue\n  strata explain llc.ways\n"
      "  strata explain bottleneck\n");
  add_plugin_option(a);
  if (!a.read(arguments, 1, any_number)) return 0;
  const platforms::Netlist known = known_by(a);
  const std::vector<platforms::InstanceName> instances = platforms::instance_names();
  for (const std::string& name : a.words()) std::cout << platforms::explain(name, known.modules(), instances);
  return 0;
}

}  // namespace strata::cli
