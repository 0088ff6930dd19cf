#include "platforms/studies/noc/noc_netlist.h"

#include <algorithm>

#include "platforms/engine/netlist/param_table.h"
#include "platforms/studies/noc/noc_ends.h"

namespace strata::platforms {
namespace {

// From a slot's flit leaving a 4-stage router to its next flit leaving the router before: the credit's link
// and the cycle that counts it.
constexpr int router_credit_delay = 2;

std::string text_of(int number) {
  return std::to_string(number);
}

/// Level `level` of `levels`.
void add_level(Netlist& netlist, int level, int levels, int count, RouterStageParams params) {
  if (level > 0) params.in_credit_delay = router_credit_delay;
  if (level + 1 < levels) params.out_credit_delay = router_credit_delay;
  const std::string name = "net" + text_of(level);
  netlist.add_instance(name, "router_stage", count);
  for (const ParamRow& row : list_params(params)) netlist.set_param(name + "." + row.name, row.value);
}

void add_crossbar(Netlist& netlist, const NocOptions& options) {
  add_level(netlist, 0, 1, 1, router_of(options, options.inputs, options.outputs, 1));
  netlist.bind("src[i].out -> net0[0].in[i]").bind("net0[0].out[o] -> snk[o].in");
}

// A k-ary n-fly: stage s decides digit n - 1 - s of the destination. Its routers join the positions that
// differ in that digit only: position p is port p / w % k of router p / (w k) w + p % w, with the digit's
// weight w.
void add_fly(Netlist& netlist, const NocOptions& options) {
  const std::string k = text_of(options.arity);
  std::string from = "src[p].out", position = "p";
  int weight = options.inputs;
  for (int s = 0; s < options.stages; ++s) {
    weight /= options.arity;
    add_level(netlist, s, options.stages, options.inputs / options.arity,
              router_of(options, options.arity, options.arity, weight));
    const std::string w = text_of(weight), name = "net" + text_of(s);
    const std::string p = "(" + position + ")";
    netlist.bind(from + " -> " + name + "[" + p + " / (" + w + " * " + k + ") * " + w + " + " + p + " % " +
                 w + "].in[" + p + " / " + w + " % " + k + "]");
    from = name + "[r].out[o]";
    position = "r / " + w + " * " + w + " * " + k + " + o * " + w + " + r % " + w;
  }
  netlist.bind(from + " -> snk[" + position + "].in");
}

// Clusters' routers in front of controllers' routers.
void add_hierarchical(Netlist& netlist, const NocOptions& options) {
  const int clusters = options.clusters;
  const int sources = options.inputs / clusters;
  const int controllers = options.outputs / clusters;
  add_level(netlist, 0, 2, clusters, router_of(options, sources, controllers, clusters));
  add_level(netlist, 1, 2, controllers, router_of(options, clusters, clusters, 1));
  netlist.bind("src[i].out -> net0[i / " + text_of(sources) + "].in[i % " + text_of(sources) + "]")
      .bind("net0[c].out[m] -> net1[m].in[c]")
      .bind("net1[m].out[c] -> snk[m * " + text_of(clusters) + " + c].in");
}

ModuleTable modules() {
  ModuleTable table = known_modules();
  table.push_back(&noc_source_kind());
  table.push_back(&noc_sink_kind());
  return table;
}

}  // namespace

Netlist noc_netlist(const NocOptions& options) {
  Netlist netlist("a network between sources and sinks", modules());
  netlist.add_clock("core", "1 GHz").add_clock("noc", "1 GHz");
  int line = static_cast<int>(sector_bytes);
  while (line < sectors_in(options) * static_cast<int>(sector_bytes)) line *= 2;
  netlist.set_param("address_map.line", line).set_param("address_map.partition", line);
  netlist.add_instance("src", "noc_source", options.inputs).add_instance("snk", "noc_sink", options.outputs);
  if (options.topology == NocOptions::Topology::xbar)
    add_crossbar(netlist, options);
  else if (options.topology == NocOptions::Topology::fly)
    add_fly(netlist, options);
  else
    add_hierarchical(netlist, options);
  return netlist;
}

}  // namespace strata::platforms
