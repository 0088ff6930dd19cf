#include "platforms/studies/energy/block_parts.h"

namespace strata::platforms {
static_assert(names_all(energy_groups, EnergyGroup::other));

EnergyGroup group_of(Role role) {
  if (role == Role::router) return EnergyGroup::noc;
  if (role == Role::l1 || role == Role::llc) return EnergyGroup::caches;
  if (role == Role::channel) return EnergyGroup::dram;
  return role == Role::sm ? EnergyGroup::sms : EnergyGroup::other;
}

const std::vector<std::string>& needed_params(Role role) {
  static const std::vector<std::string> router{"inputs", "outputs", "channel_bytes", "vcs", "vc_flits"};
  static const std::vector<std::string> cache{"size", "ways"};
  static const std::vector<std::string> channel{"timing_set"};
  static const std::vector<std::string> sm{"sms"};
  static const std::vector<std::string> none;
  if (role == Role::router) return router;
  if (role == Role::l1 || role == Role::llc) return cache;
  if (role == Role::channel) return channel;
  return role == Role::sm ? sm : none;
}

power::RouterShape router_shape(const ParamValues& params, bool reply) {
  power::RouterShape shape;
  shape.inputs = params.number(reply ? "outputs" : "inputs", 1);
  shape.outputs = params.number(reply ? "inputs" : "outputs", 1);
  shape.bits = 8 * params.number("channel_bytes", 32);
  shape.vcs = params.number("vcs", 1);
  shape.flits = shape.vcs * params.number("vc_flits", 8);
  return shape;
}

power::SramShape cache_shape(const ParamValues& params, double line_bytes) {
  power::SramShape shape;
  shape.bytes = params.number("size", 65536);
  shape.ways = params.number("ways", 4);
  shape.line = params.number("line", line_bytes);
  const double sector = params.number("sector", 0);
  shape.out_bits = 8 * (sector > 0 ? sector : shape.line);
  shape.tags = power::TagAccess::sequential;
  return shape;
}

power::SmallArray queue_lines(const ParamValues& params, double line_bytes) {
  if (!params.has("request_queue") || !params.has("reply_queue") || !params.has("fill_queue")) return {};
  const double entries = params.number("request_queue", 0) + params.number("reply_queue", 0) +
                         params.number("fill_queue", 0) + params.number("miss_queue", 0);
  return {entries, 8 * params.number("line", line_bytes)};
}

std::string dram_family(const std::string& timing_set, std::string& note) {
  for (const char* family : {"hbm3", "hbm2", "hbm", "gddr6", "gddr5"}) {
    if (timing_set.rfind(family, 0) != 0) continue;
    if (std::string(family) != "hbm3") return family;
    note = "no published figures for " + timing_set + ": those of hbm2";
    return "hbm2";
  }
  note = "no figures for timing set " + timing_set + ": those of gddr5";
  return "gddr5";
}

}  // namespace strata::platforms
