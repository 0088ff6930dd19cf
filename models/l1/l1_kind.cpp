// The table of L1 designs: what the netlist knows of each.
#include "models/l1/l1_kind.h"

#include "models/l1/l1_decoupled_sectored.h"
#include "models/l1/l1_local.h"
#include "models/l1/l1_prioritized.h"
#include "models/l1/l1_private.h"
#include "models/l1/l1_sectored.h"
#include "models/l1/l1_tag_split.h"
#include "models/l1/l1_tag_split_rtl.h"
#include "models/l1/l1_with_textures.h"

namespace strata {

namespace {

// With a texture cache beside it.
template <class Design>
constexpr MakeL1 with_textures = make_l1<L1WithTextures<Design>>;

// That keeps stores to local memory; `Base`: what L1WithLocal is around.
template <class Base>
std::unique_ptr<Block> with_local(const char* name, const ParamSet& params, const BuildContext& context) {
  const bool textures = static_cast<const L1Params&>(params).texture_sets != 0;
  const MakeL1 make = textures ? make_l1<L1WithTextures<L1WithLocal<Base>>> : make_l1<L1WithLocal<Base>>;
  return make(name, params, context);
}

ModuleKind tag_split() {
  ModuleKind row = l1_kind<L1TagSplit, with_textures<L1TagSplit>>(
      "l1_tag_split",
      "Tag-split L1: chunks of several lines share a group whose upper tag "
      "bits they have in common");
  row.rtl = &l1_tag_split_rtl_place();
  return row;
}

}  // namespace

const std::vector<ModuleKind>& l1_kinds() {
  static const std::vector<ModuleKind> kinds = {
      l1_kind<L1Private, with_textures<L1Private>, with_local<L1PrivateBySectors>>(
          "l1_private", "Private L1 data cache: write-through without allocation, MSHRs with merging"),
      l1_kind<L1DecoupledSectored, with_textures<L1DecoupledSectored>>(
          "l1_decoupled_sectored",
          "Decoupled sectored L1: several lines share a frame, each chunk in its usual "
          "place"),
      l1_kind<L1Sectored, with_textures<L1Sectored>, with_local<L1Sectored>>(
          "l1_sectored", "The same with lines that are fetched and kept sector by sector (LAMAR)"),
      l1_kind<L1Prioritized, with_textures<L1Prioritized>, with_local<L1Prioritized>>(
          "l1_prioritized",
          "Sectored L1 behind queues by warp or CTA, past which go loads without room (MRPB)"),
      tag_split(),
  };
  return kinds;
}

Resources l1_resources(const L1Params& params, int mshrs, std::uint64_t lines) {
  using Kind = Resource::Kind;
  Resources all = {{"port",
                    "L1 ports",
                    Kind::rate,
                    static_cast<double>(params.banks),
                    {{"requests", static_cast<double>(params.port_cycles)}},
                    Resource::Held::counted,
                    {Cause::port},
                    {}}};
  if (params.port_cycles > 1)
    all.front().reliefs = {{"port_cycles", "/2"}};
  else
    all.front().more = "fewer lines for each instruction, or more banks (banks) in L1s";
  if (mshrs > 0)
    all.push_back({"mshrs",
                   "L1 MSHRs",
                   Kind::room,
                   static_cast<double>(mshrs),
                   {},
                   Resource::Held::loads,
                   {Cause::full},
                   {{"mshrs", "*2"}}});
  all.push_back({"head",
                 "L1 queue heads (held by full MSHRs, merges or miss queue)",
                 Kind::room,
                 1,
                 {{"stall_cycles"}},
                 Resource::Held::counted,
                 {},
                 {{"mshrs", "*2"}, {"merges", "*2"}, {"miss_queue", "*2"}}});
  all.back().more = "more MSHRs, merges and queue places in L1s";
  if (lines > 0)
    all.push_back({"lines",
                   "L1 capacity",
                   Kind::size,
                   static_cast<double>(lines),
                   {},
                   Resource::Held::counted,
                   {},
                   {{"size", "*2"}}});
  return all;
}

std::vector<PortSpec> l1_ports(const ParamSet&) {
  return {
      tlm_sockets("sm", PortRole::target, 1, "line accesses of the SM",
                  {{"requests"}, {"replies", "-flushes"}}, "core"),
      tlm_sockets("noc", PortRole::initiator, 1, "fetches and forwarded accesses towards the LLC",
                  {{"requests_to_llc"}, {"replies_from_llc"}}),
      {"flush", PortRole::control_in, 1, true, "LineFlushIf", "drops every line, at the end of a kernel"}};
}

}  // namespace strata
