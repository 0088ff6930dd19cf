// The places of a machine by role. A new role is a row here, and a place in way() if requests pass it.
#include "tb/contract/stub_peers.h"

#include <algorithm>

namespace strata::contract {
namespace {

std::string text(int number) {
  return std::to_string(number);
}

/// The largest number of at most `most` that divides `whole`.
int divisor(int whole, int most) {
  int best = 1;
  for (int d = 1; d <= std::min(whole, most); ++d)
    if (whole % d == 0) best = d;
  return best;
}

Size one_each(int sockets) {
  return {sockets, {}};
}
Size sms(int sockets) {
  const int clusters = sockets % 2 == 0 ? 2 : 1;
  return {clusters, {{"sms", text(sockets / clusters)}}};
}
Size clusters(int sockets) {
  return {sockets, {{"sms", "2"}}};
}
Size ports(int sockets) {
  return {1, {{"ports", text(sockets)}}};
}
Size inputs(int sockets) {
  return {1, {{"inputs", text(sockets)}, {"outputs", "2"}}};
}
Size outputs(int sockets) {
  return {1, {{"inputs", "2"}, {"outputs", text(sockets)}}};
}
Size single_slices(int sockets) {
  return {sockets, {{"slices", "1"}}};
}
/// Slices of a controller, up to 64 (MemoryControllerParams).
Size slices(int sockets) {
  const int each = divisor(sockets, std::max(1, std::min(64, sockets / 2)));
  return {sockets / each, {{"slices", text(each)}}};
}

const std::vector<Neighbour>& stub_peers() {
  static const std::vector<Neighbour> table = {
      {Role::dispatcher, "cta_dispatcher", 1, {{"clusters", "2"}}, nullptr, nullptr, false, false},
      {Role::sm, "sm_cluster", 2, {{"sms", "2"}}, sms, clusters, false, true},
      {Role::generator, "traffic_generator", 2, {{"ports", "2"}}, ports, nullptr, false, true},
      {Role::l1, "l1_private", 2, {}, one_each, one_each, true, true},
      {Role::router, "router_stage", 1, {{"inputs", "4"}, {"outputs", "2"}}, outputs, inputs, true, true},
      {Role::llc, "llc_slice", 2, {}, one_each, one_each, true, true},
      {Role::memory, "memory_controller", 2, {{"slices", "2"}}, single_slices, slices, true, false},
      {Role::channel, "dram_channel", 2, {}, nullptr, one_each, false, false},
      {Role::control,
       "llc_control",
       1,
       {{"routers", "2"}, {"slices", "4"}, {"gates", "2"}, {"clusters", "2"}},
       nullptr,
       nullptr,
       false,
       false},
      {Role::observer, "contention_tracker", 1, {}, nullptr, nullptr, false, false},
  };
  return table;
}

}  // namespace

const Neighbour* neighbour(Role role) {
  for (const Neighbour& row : stub_peers())
    if (row.role == role) return &row;
  return nullptr;
}

const std::vector<Role>& way() {
  static const std::vector<Role> roles = {Role::l1, Role::router, Role::llc, Role::memory, Role::channel};
  return roles;
}

}  // namespace strata::contract
