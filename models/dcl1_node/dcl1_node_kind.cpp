// The table of DC-L1 nodes: one for each design that may stand in one.
#include "models/dcl1_node/dcl1_node.h"
#include "models/l1/l1_decoupled_sectored.h"
#include "models/l1/l1_kind.h"
#include "models/l1/l1_prioritized.h"
#include "models/l1/l1_private.h"
#include "models/l1/l1_sectored.h"
#include "models/l1/l1_tag_split.h"

namespace strata {
namespace {

std::vector<PortSpec> ports(const ParamSet&) {
  return {
      tlm_sockets("sm", PortRole::target, 1, "line accesses of the SMs, through NoC#1",
                  {{"requests"}, {"replies", "-flushes"}}, "core"),
      tlm_sockets("noc", PortRole::initiator, 1,
                  "fetches and forwarded accesses towards the LLC, through NoC#2",
                  {{"requests_to_llc"}, {"replies_from_llc"}}),
      {"flush", PortRole::control_in, 1, true, "LineFlushIf", "drops every line, at the end of a kernel"}};
}

template <class Design>
ModuleKind node_kind(std::string_view name, std::string_view summary) {
  using Params = DcL1NodeParams<Design>;
  ModuleKind kind = module_kind<Params, typename Design::Stats, DcL1Node<Design>, true>(
      name, summary, Role::l1, "core", ports);
  kind.new_stats = []() -> std::unique_ptr<StatSet> {
    auto stats = std::make_unique<typename Design::Stats>();
    stats->writes_back = false;  // see DcL1NodeParams
    return stats;
  };
  kind.storage = [](const ParamSet& params) {
    return Design::storage(static_cast<const Params&>(params).cache);
  };
  kind.resources = [](const ParamSet& set) {
    using Cache = typename Design::Params;
    const Cache& cache = static_cast<const Params&>(set).cache;
    int mshrs = 0;
    if constexpr (has_mshrs<Cache>) mshrs = cache.mshrs;
    return l1_resources(cache, mshrs, has_size<Cache>);
  };
  return kind;
}

}  // namespace

const std::vector<ModuleKind>& dcl1_node_kinds() {
  static const std::vector<ModuleKind> kinds = {
      node_kind<L1Private>(
          "dcl1_node",
          "L1 cache apart from its cores, between two networks (DC-L1), with queues of fixed size"),
      node_kind<L1DecoupledSectored>("dcl1_node_decoupled_sectored",
                                     "The same around the cache of `l1_decoupled_sectored`"),
      node_kind<L1Sectored>("dcl1_node_sectored", "The same around the cache of `l1_sectored`"),
      node_kind<L1Prioritized>("dcl1_node_prioritized",
                               "The same around `l1_prioritized`, whose queues lie behind Q1"),
      node_kind<L1TagSplit>("dcl1_node_tag_split", "The same around the cache of `l1_tag_split`"),
  };
  return kinds;
}

}  // namespace strata
